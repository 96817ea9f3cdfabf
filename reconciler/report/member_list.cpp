// The member list with what etcd's own does not tell: which members the file has, and what each one runs.
#include <algorithm>

#include "reconciler/base/words.h"
#include "reconciler/report/prose.h"
#include "reconciler/report/status.h"

namespace quorate::report {
namespace {

using base::Json;
using model::ObservedMember;

const model::Member* member_in(const model::Desired& desired, const model::ListedMember& listed) {
  const auto found = std::find_if(desired.members.begin(), desired.members.end(), [&](const model::Member& each) {
    if (!listed.name.empty()) return each.name == listed.name;
    return base::same_texts(base::to_strings(each.peer_urls), listed.peer_urls);
  });
  return found == desired.members.end() ? nullptr : &*found;
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text.empty() ? "-" : text;
}

std::string in_file(const model::Desired* desired, const ObservedMember& member) {
  if (desired == nullptr) return "-";
  return member_in(*desired, member.listed) == nullptr ? "no" : "yes";
}

std::string member_list_text(const MemberListView& view, bool wide, const PlanOptions& options) {
  const model::Desired* desired = view.desired;
  const model::Observed& observed = view.observed;
  if (!observed.membership) {
    std::string text = "No member list: " + printable(observed.membership.why()) + "\n";
    for (const model::EndpointAnswer& each : observed.endpoints) {
      if (!each.cluster) text += "  " + printable(each.endpoint + ": " + each.cluster.why()) + "\n";
    }
    return text;
  }
  std::vector<std::vector<std::string>> rows = {
      {"ID", "STATUS", "NAME", "PEER URLS", "CLIENT URLS", "LEARNER", "IN FILE", "ETCD"}};
  if (wide) rows.front().insert(rows.front().end(), {"ANSWERS", "REVISION", "NOTE"});
  for (const ObservedMember& member : observed.membership->members) {
    const model::ListedMember& listed = member.listed;
    const bool answers = member.status.is_known();
    rows.push_back({base::to_string(listed.id), listed.name.empty() ? "unstarted" : "started",
                    listed.name.empty() ? "-" : listed.name, list(listed.peer_urls), list(listed.client_urls),
                    listed.learner ? "true" : "false", in_file(desired, member),
                    answers ? member.status->version : "-"});
    if (!wide) continue;
    rows.back().insert(rows.back().end(),
                       {answers ? "in " + base::to_string(member.status->latency) : "no",
                        answers ? std::to_string(member.status->revision) : "-", answers ? "" : member.status.why()});
  }
  std::string text = view.too_old.empty() ? "" : "Too old: " + printable(view.too_old) + "\n\n";
  text += table_text(rows, options.style);
  if (desired == nullptr || options.quiet) return text;
  for (const model::Member& member : desired->members) {
    const auto& all = observed.membership->members;
    const bool listed = std::any_of(all.begin(), all.end(), [&](const ObservedMember& each) {
      return member_in(*desired, each.listed) == &member;
    });
    if (!listed) text += "In the file and not in the cluster: " + printable(member.name) + "\n";
  }
  return text;
}

std::string member_list_json(const MemberListView& view) {
  const model::Desired* desired = view.desired;
  const model::Observed& observed = view.observed;
  const auto or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  Json root = {{"format_version", "1.0"}, {"kind", "member-list"}};
  root["exit_code"] = static_cast<int>(member_list_code(view));
  root["cluster_id"] = observed.membership ? Json(base::to_string(observed.membership->cluster)) : Json(nullptr);
  root["linearizable"] = observed.membership && observed.membership->linearizable;
  root["why"] = or_null(observed.membership ? view.too_old : observed.membership.why());
  root["members"] = Json::array();
  if (!observed.membership) return document(root);
  for (const ObservedMember& member : observed.membership->members) {
    const bool answers = member.status.is_known();
    root["members"].push_back(
        {{"id", base::to_string(member.listed.id)},
         {"status", member.listed.name.empty() ? "unstarted" : "started"},
         {"name", member.listed.name},
         {"peer_urls", member.listed.peer_urls},
         {"client_urls", member.listed.client_urls},
         {"learner", member.listed.learner},
         {"in_file", desired == nullptr ? Json(nullptr) : Json(member_in(*desired, member.listed) != nullptr)},
         {"version", answers ? Json(member.status->version) : Json(nullptr)},
         {"revision", answers ? Json(member.status->revision) : Json(nullptr)},
         {"why", answers ? Json(nullptr) : Json(member.status.why())}});
  }
  return document(root);
}

}  // namespace

model::ExitCode member_list_code(const MemberListView& view) {
  return view.observed.membership && view.too_old.empty() ? model::ExitCode::Ok : model::ExitCode::Unknown;
}

std::optional<std::string> render_member_list(std::string_view format, const MemberListView& view,
                                              const PlanOptions& options) {
  if (format == "text") return member_list_text(view, false, options);
  if (format == "wide") return member_list_text(view, true, options);
  if (format == "json") return member_list_json(view);
  if (format == "yaml") return yaml_of(member_list_json(view));
  return std::nullopt;
}

}  // namespace quorate::report
