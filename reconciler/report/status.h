// The members of a cluster as one screen, and as a list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/report/drift.h"

namespace quorate::report {

struct StatusView {
  const model::Desired& desired;
  const model::Observed& observed;
  const model::Gated& gated;
  const model::PlanContext& context;
  bool wrong_file = false;  // as it is now; this is about what it said when it was valid last
};

// The code of the notice of a field that a node file says something else for.
inline constexpr std::string_view kOverridden = "Overridden";

// Ok whatever it shows, since drift is the check; Invalid where the file is wrong; Unknown where nobody could look, or
// what was seen is too old.
model::ExitCode status_code(const StatusView& view);
std::optional<std::string> render_status(std::string_view format, const StatusView& view, const PlanOptions& options);

struct MemberListView {
  const model::Desired* desired = nullptr;  // null: nobody says which members are in the file
  const model::Observed& observed;
  std::string too_old;  // why it says nothing of now; empty: it does
};

model::ExitCode member_list_code(const MemberListView& view);
std::optional<std::string> render_member_list(std::string_view format, const MemberListView& view,
                                              const PlanOptions& options);

// Columns of words, as wide as their widest; the first row is a heading.
std::string table_text(const std::vector<std::vector<std::string>>& rows, const Style& style);

}  // namespace quorate::report
