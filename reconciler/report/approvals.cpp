// The text is the block of the file as it is, so that it can be appended with >>.
#include "reconciler/report/approvals.h"

#include "reconciler/report/prose.h"

namespace quorate::report {

std::optional<std::string> render_approvals(std::string_view format, const std::vector<model::Approval>& approvals) {
  base::Json list = base::Json::array();
  for (const model::Approval& each : approvals) {
    base::Json entry = {{"step", each.step}, {"cluster", base::to_string(each.cluster)}};
    if (!each.by.empty()) entry["by"] = each.by;
    entry["until"] = base::to_string(each.until);
    list.push_back(std::move(entry));
  }
  if (format == "text") return base::to_yaml({{"approvals", list}});
  if (format != "json") return std::nullopt;
  return document({{"format_version", "1.0"}, {"kind", "approvals"}, {"approvals", list}});
}

}  // namespace quorate::report
