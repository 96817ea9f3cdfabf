// The status screen: two words, a row for each member, and what happens next.
#include "reconciler/report/status.h"

#include <algorithm>
#include <cstdio>

#include "reconciler/base/utf8.h"
#include "reconciler/model/health.h"
#include "reconciler/model/rules.h"
#include "reconciler/report/backups.h"
#include "reconciler/report/plan_step_text.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using base::Json;
using model::ObservedMember;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

struct Row {
  std::string name;
  std::string address = "-";
  std::string role = "-";
  std::string state = "-";
  const ObservedMember* listed = nullptr;
  std::optional<std::uint64_t> lag;
  std::optional<base::Time> expires;
  std::string note;
};

std::string host_of(const std::vector<std::string>& urls) {
  if (urls.empty()) return "-";
  std::string text = urls.front();
  const std::size_t scheme = text.find("://");
  if (scheme != std::string::npos) text = text.substr(scheme + 3);
  const std::size_t colon = text.rfind(':');
  return text.substr(0, colon);
}

std::string role_of(const model::Observed& observed, const ObservedMember& member) {
  if (member.listed.learner) return "learner";
  return model::leader_of(observed) == member.listed.id ? "leader" : "voter";
}

void add_status(const model::Observed& observed, const ObservedMember& member, Row& row) {
  row.listed = &member;
  row.role = role_of(observed, member);
  if (row.address == "-") row.address = host_of(member.listed.peer_urls);
  if (!member.status) {
    row.state = member.listed.name.empty() ? "unstarted" : "down";
    row.note = member.status.why();
    return;
  }
  row.state = model::is_up(member) ? "up" : "no reads";
  if (!model::is_up(member)) row.note = member.serves.is_known() ? "it knows no leader" : member.serves.why();
  const ObservedMember* leader = model::member_of(observed, model::leader_of(observed));
  if (leader == nullptr || !leader->status || leader == &member) return;
  // The members were asked one after the other, so the later answer may be ahead.
  const std::uint64_t ahead = leader->status->raft_index;
  row.lag = ahead - std::min(ahead, member.status->raft_applied);
}

void add_certificates(const model::Observed& observed, Row& row) {
  const model::NodeFacts* node = model::node_of(observed, row.name);
  if (node == nullptr || !node->certificates) return;
  for (const model::Certificate& each : *node->certificates) {
    if (!row.expires || each.not_after < *row.expires) row.expires = each.not_after;
  }
}

std::string note_of_unseen(const StatusView& view, const model::Member& member) {
  for (const base::Url& url : member.client_urls) {
    const auto why = view.context.silence.find(base::to_string(url));
    if (why != view.context.silence.end()) return why->second;
  }
  return "not seen";
}

std::vector<Row> rows_of(const StatusView& view) {
  std::vector<Row> rows;
  for (const model::Member& member : view.desired.members) {
    Row row;
    row.name = member.name;
    row.address = member.address.empty() ? "-" : member.address;
    if (!view.observed.membership) row.note = note_of_unseen(view, member);
    add_certificates(view.observed, row);
    rows.push_back(std::move(row));
  }
  if (!view.observed.membership) return rows;
  for (const ObservedMember& member : view.observed.membership->members) {
    const auto known = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return !member.listed.name.empty() && row.name == member.listed.name;
    });
    if (known != rows.end()) {
      add_status(view.observed, member, *known);
      continue;
    }
    Row row;
    row.name = member.listed.name.empty() ? base::to_string(member.listed.id) : member.listed.name;
    add_status(view.observed, member, row);
    row.note = row.note.empty() ? "not in the file" : "not in the file; " + row.note;
    rows.push_back(std::move(row));
  }
  for (Row& row : rows) {
    if (row.listed == nullptr) row.note = "not in the cluster";
  }
  return rows;
}

std::string gib(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(bytes) / kGiB);
  return text;
}

// "1.2 / 8.0 GiB", "24 MiB / 8.0 GiB"
std::string size_words(std::int64_t size, std::int64_t quota) {
  constexpr std::int64_t kMiB = 1024 * 1024;
  if (size < 1024 * kMiB) return std::to_string((size + kMiB - 1) / kMiB) + " MiB / " + gib(quota) + " GiB";
  return gib(size) + " / " + gib(quota) + " GiB";
}

std::vector<std::string> cells(const StatusView& view, const Row& row) {
  const bool answers = row.listed != nullptr && row.listed->status.is_known();
  std::string note = row.note;
  if (answers) {
    for (const std::string& error : row.listed->status->errors) note += (note.empty() ? "" : "; ") + error;
  }
  return {row.name,
          row.address,
          row.role,
          row.state,
          answers ? row.listed->status->version : "-",
          answers ? size_words(row.listed->status->db_size, model::quota_of(view.desired)) : "-",
          row.lag ? std::to_string(*row.lag) : "-",
          row.expires ? base::age_text(std::max(*row.expires - view.observed.at, base::Duration{})) : "-",
          note};
}

std::string health_words(const StatusView& view) {
  const model::Health health = model::health_of(view.observed);
  std::string word(model::name_of(health));
  for (char& c : word) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const model::Quorum quorum = model::quorum_of(view.observed);
  if (health == model::Health::Unknown) return word;
  if (health == model::Health::NoQuorum) {
    return "NO QUORUM, " + std::to_string(quorum.up) + " of " + std::to_string(quorum.voters) + " voters up";
  }
  if (health == model::Health::AtRisk) word = "AT RISK";
  return word + ", can lose " + std::to_string(quorum.can_lose()) + " of " + std::to_string(quorum.voters);
}

std::string changes_words(const StatusView& view) {
  const std::string first = headline(view.gated);
  if (!first.empty()) return first;
  if (view.gated.plan.steps.empty()) return "none planned";
  return counts_words(view.gated) + ". " + consent_words(view.gated) + " See: quorate plan";
}

// "8m ago, 214 MiB, next in 22m; last verified 6h ago"
std::string backup_words(const StatusView& view) {
  const model::Observed& observed = view.observed;
  if (!observed.backups) return "not seen: " + observed.backups.why();
  const model::BackupsSeen& seen = *observed.backups;
  if (seen.newest.empty()) return "none yet";
  std::string text =
      base::age_text(std::max(observed.at - seen.covers, base::Duration{})) + " ago, " + bytes_text(seen.size);
  const base::Duration left = model::next_backup(*view.desired.backup, seen.covers) - observed.at;
  text += left.count() <= 0 ? ", next one is due" : ", next in " + base::age_text(left);
  const bool by_restore = view.desired.backup->verify_how == model::VerifiedHow::Restore;
  if (seen.verified) {
    return text + (seen.verified_how == model::VerifiedHow::Restore ? "; last test restore ok " : "; last verified ") +
           base::age_text(observed.at - *seen.verified) + " ago";
  }
  if (view.desired.backup->verify_every.count() == 0) return text;
  return text + (by_restore ? "; none test-restored yet" : "; none verified yet");
}

Json backup_json(const StatusView& view) {
  const model::Observed& observed = view.observed;
  if (!view.desired.backup) return nullptr;
  Json backup = {{"store", view.desired.backup->to}, {"newest", nullptr}};
  if (observed.backup_trouble) {
    backup["failing"] = {{"since", base::to_string(observed.backup_trouble->since)},
                         {"text", observed.backup_trouble->text}};
  }
  if (!observed.backups || observed.backups->newest.empty()) return backup;
  const model::BackupsSeen& seen = *observed.backups;
  backup["newest"] = {{"name", seen.newest},
                      {"revision", seen.revision},
                      {"size", seen.size},
                      {"covers", base::to_string(seen.covers)}};
  backup["next"] = base::to_string(model::next_backup(*view.desired.backup, seen.covers));
  backup["verified"] = seen.verified ? Json(base::to_string(*seen.verified)) : Json(nullptr);
  backup["verified_how"] = seen.verified ? Json(name_of(seen.verified_how)) : Json(nullptr);
  backup["count"] = seen.count;
  return backup;
}

std::string status_text(const StatusView& view, const PlanOptions& options) {
  const model::Health health = model::health_of(view.observed);
  const bool good = health == model::Health::Healthy;
  std::string title = view.desired.name;
  if (view.gated.plan.cluster_id.value != 0) title += " (" + base::to_string(view.gated.plan.cluster_id) + ")";
  const std::string sync = std::string(model::name_of(model::sync_of(view.gated))) + " with " + view.context.file;
  const std::string word = health_words(view);
  std::string text = options.style.bold(printable(title)) + "      " + printable(sync) + "      " +
                     (good ? options.style.green(word) : options.style.red(word)) + "\n\n";
  std::vector<std::vector<std::string>> rows = {
      {"MEMBER", "ADDRESS", "ROLE", "STATE", "ETCD", "DB / QUOTA", "LAG", "CERT", "NOTE"}};
  for (const Row& row : rows_of(view)) rows.push_back(cells(view, row));
  text += table_text(rows, options.style);
  text += "\n";
  if (view.desired.backup) text += labelled("backup", backup_words(view), 0, 10);
  text += labelled("drift", drift_words({view.gated, view.context, view.desired.drift}), 0, 10);
  text += labelled("changes", changes_words(view), 0, 10);
  if (view.desired.paused) {
    text += labelled("paused", "until " + moment_words(view.desired.paused->until) + ": " + view.desired.paused->reason,
                     0, 9);
  }
  if (!view.gated.plan.steps.empty() && headline(view.gated).empty()) {
    text += labelled("next", step_sentence(view.gated.plan.steps.front()), 0, 10);
  }
  for (const model::Notice& notice : view.gated.plan.notices) {
    const bool overrides = notice.code == kOverridden;
    if (notice.drift || (notice.level == model::Notice::Level::Info && !overrides)) continue;
    text += labelled(overrides ? "override" : notice_word(notice.level), notice.text, 0, 10);
  }
  return text;
}

Json row_json(const StatusView& view, const Row& row) {
  const bool answers = row.listed != nullptr && row.listed->status.is_known();
  const auto or_null = [&](const auto& value) { return answers ? Json(value) : Json(nullptr); };
  const auto known = [](const std::string& text) { return text == "-" || text.empty() ? Json(nullptr) : Json(text); };
  Json object = {{"name", row.name},
                 {"id", row.listed == nullptr ? Json(nullptr) : Json(base::to_string(row.listed->listed.id))},
                 {"address", known(row.address)},
                 {"role", known(row.role)},
                 {"state", known(row.state)}};
  object["version"] = answers ? or_null(row.listed->status->version) : Json(nullptr);
  object["db_size"] = answers ? or_null(row.listed->status->db_size) : Json(nullptr);
  object["db_size_in_use"] = answers ? or_null(row.listed->status->db_size_in_use) : Json(nullptr);
  object["quota"] = model::quota_of(view.desired);
  object["lag"] = row.lag ? Json(*row.lag) : Json(nullptr);
  object["certificate_expires"] = row.expires ? Json(base::to_string(*row.expires)) : Json(nullptr);
  object["note"] = known(row.note);
  return object;
}

std::string status_json(const StatusView& view) {
  const model::Quorum quorum = model::quorum_of(view.observed);
  Json root = {{"format_version", "1.0"}, {"kind", "status"}, {"exit_code", static_cast<int>(status_code(view))}};
  const base::ClusterId id = view.gated.plan.cluster_id;
  root["cluster"] = {{"name", view.desired.name}, {"id", id.value == 0 ? Json(nullptr) : Json(base::to_string(id))}};
  root["sync"] = model::name_of(model::sync_of(view.gated));
  root["health"] = model::name_of(model::health_of(view.observed));
  root["observed"] = {{"at", base::to_string(view.observed.at)}, {"silence", view.context.silence}};
  root["quorum"] = {
      {"voters", quorum.voters}, {"up", quorum.up}, {"needs", quorum.needs()}, {"can_lose", quorum.can_lose()}};
  root["members"] = Json::array();
  for (const Row& row : rows_of(view)) root["members"].push_back(row_json(view, row));
  root["plan"] = {{"id", view.gated.plan.id},
                  {"steps", view.gated.plan.steps.size()},
                  {"exit_code", static_cast<int>(view.gated.code)}};
  root["backup"] = backup_json(view);
  root["notices"] = Json::array();
  for (const model::Notice& notice : view.gated.plan.notices) {
    root["notices"].push_back({{"code", notice.code}, {"level", model::name_of(notice.level)}, {"text", notice.text}});
  }
  return document(root);
}

}  // namespace

std::string table_text(const std::vector<std::vector<std::string>>& rows, const Style& style) {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> safe;
  for (const auto& row : rows) {
    safe.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      safe.back().push_back(printable(row[i]));
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], base::count_characters(safe.back().back()));
    }
  }
  std::string text;
  for (const auto& row : safe) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i]) + (i + 1 < row.size() ? "  " : "");
    line.erase(line.find_last_not_of(' ') + 1);
    text += (&row == &safe.front() ? style.bold(line) : line) + "\n";
  }
  return text;
}

model::ExitCode status_code(const StatusView& view) {
  const bool is_old = view.gated.whole && view.gated.whole->rule == "F1";
  if (!view.observed.membership || is_old) return model::ExitCode::Unknown;
  return view.wrong_file ? model::ExitCode::Invalid : model::ExitCode::Ok;
}

std::optional<std::string> render_status(std::string_view format, const StatusView& view, const PlanOptions& options) {
  if (format == "text") return status_text(view, options);
  if (format == "json") return status_json(view);
  if (format == "yaml") return yaml_of(status_json(view));
  return std::nullopt;
}

}  // namespace quorate::report
