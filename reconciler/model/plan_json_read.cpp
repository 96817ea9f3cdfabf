// Reads what plan_json_write.cpp wrote; what is worked out from the rest (summary, drift, symbols) is not read.
#include <array>

#include "reconciler/model/json_words.h"
#include "reconciler/model/plan_json.h"
#include "reconciler/model/step_json.h"

namespace quorate::model {
namespace {

constexpr std::array<PlanStatus, 4> kStatuses = {PlanStatus::Converged, PlanStatus::Actionable,
                                                 PlanStatus::NeedsObservation, PlanStatus::NeedsHuman};
constexpr std::array<Notice::Level, 3> kLevels = {Notice::Level::Info, Notice::Level::Warning, Notice::Level::Critical};
constexpr std::array<Ruling, 3> kRulings = {Ruling::Go, Ruling::Hold, Ruling::Deny};
constexpr std::array<Risk, 5> kRisks = {Risk::None, Risk::Low, Risk::Medium, Risk::High, Risk::Critical};

template <class Values>
auto read_named(const JsonPlace& place, const Values& values) {
  return one_of(place, values, [](const auto& value) { return name_of(value); });
}

// A code of a newer release reads as failure, as scripts are told to take it.
ExitCode read_exit_code(const JsonPlace& place) {
  const int number = place.count();
  for (const ExitCodeInfo& info : all_exit_codes()) {
    if (static_cast<int>(info.code) == number) return info.code;
  }
  return ExitCode::Failed;
}

int read_line(const JsonPlace& place) {
  return place.exists() ? place.count() : 0;
}

Quorum read_quorum(const JsonPlace& place) {
  return {place.at("voters").count(), place.at("up").count()};
}

std::optional<base::Time> read_optional_time(const JsonPlace& place) {
  if (!place.exists()) return std::nullopt;
  return place.time();
}

Verdict read_verdict(const JsonPlace& place) {
  Verdict verdict;
  verdict.ruling = read_named(place.at("ruling"), kRulings);
  verdict.rule = place.at("rule").text_or_null();
  verdict.text = place.at("text").text_or_null();
  verdict.arithmetic = place.at("arithmetic").text_or_null();
  place.at("instead").each([&](const JsonPlace& way) {
    verdict.instead.push_back({way.at("text").text(), way.at("command").text_or_null()});
  });
  verdict.until = read_optional_time(place.at("until"));
  verdict.code = read_exit_code(place.at("exit_code"));
  return verdict;
}

Reason read_reason(const JsonPlace& place) {
  Reason reason;
  reason.code = place.at("code").text();
  reason.text = place.at("text").text();
  place.at("evidence").each_entry([&](const std::string& name, const JsonPlace& value) {
    reason.evidence[name] = value.text();
  });
  reason.file = place.at("file").text_or_null();
  reason.line = read_line(place.at("line"));
  return reason;
}

std::vector<Claim> read_claims(const JsonPlace& place) {
  std::vector<Claim> claims;
  place.each([&](const JsonPlace& item) { claims.push_back(read_claim(item)); });
  return claims;
}

Step read_step(const JsonPlace& place) {
  Step step;
  step.id = place.at("id").text();
  step.action = read_action(place.at("action"), place.at("args"));
  step.owner = place.at("owner").text();
  step.step_class = read_named(place.at("class"), kStepClasses);
  step.reason = read_reason(place.at("reason"));
  step.needs = read_claims(place.at("needs"));
  step.ensures = read_claims(place.at("ensures"));
  step.before = read_quorum(place.at("quorum").at("before"));
  step.after = read_quorum(place.at("quorum").at("after"));
  step.risk = read_named(place.at("risk").at("level"), kRisks);
  step.risk_why = place.at("risk").at("why").texts();
  step.undo = place.at("undo").text_or_null();
  return step;
}

Notice read_notice(const JsonPlace& place) {
  Notice notice;
  notice.code = place.at("code").text();
  notice.object = place.at("object").text();
  notice.field = place.at("field").text_or_null();
  notice.want = place.at("want").text_or_null();
  notice.have = place.at("have").text_or_null();
  notice.level = read_named(place.at("level"), kLevels);
  notice.text = place.at("text").text();
  notice.help = place.at("help").text_or_null();
  notice.drift = place.at("drift").truth();
  const base::Time since = place.at("since").time_or_null();
  if (since != base::Time{}) notice.since = since;
  notice.ignored = place.at("ignored").text_or_null();
  notice.file = place.at("file").text_or_null();
  notice.line = read_line(place.at("line"));
  return notice;
}

Check read_check(const JsonPlace& place) {
  const std::array<bool, 2> results = {true, false};
  const auto word = [](bool passed) { return std::string_view(passed ? "pass" : "fail"); };
  return {place.at("id").text(), one_of(place.at("result"), results, word)};
}

// Steps behind the first that may not run have no verdict; a verdict cannot come after one of them.
void read_steps(const JsonPlace& place, Gated& gated) {
  place.each([&](const JsonPlace& item) {
    gated.plan.steps.push_back(read_step(item));
    const JsonPlace verdict = item.at("verdict");
    if (!verdict.exists()) return;
    if (gated.verdicts.size() + 1 != gated.plan.steps.size()) verdict.fail("must be null: an earlier step has none");
    gated.verdicts.push_back(read_verdict(verdict));
  });
}

Gated read_gated(const JsonPlace& root) {
  Gated gated;
  Plan& plan = gated.plan;
  plan.id = root.at("id").text();
  plan.status = read_named(root.at("status"), kStatuses);
  plan.stop = read_exit_code(root.at("stop_code"));
  gated.code = read_exit_code(root.at("exit_code"));
  gated.applicable = root.at("applicable").truth();
  plan.cluster = root.at("cluster").at("name").text();
  plan.cluster_id.value = root.at("cluster").at("id").id_or_null();
  plan.desired_digest = root.at("desired").at("digest").text();
  plan.now = read_quorum(root.at("quorum").at("now"));
  read_steps(root.at("steps"), gated);
  if (root.at("verdict").exists()) gated.whole = read_verdict(root.at("verdict"));
  root.at("notices").each([&](const JsonPlace& item) { plan.notices.push_back(read_notice(item)); });
  root.at("checks").each([&](const JsonPlace& item) { gated.checks.push_back(read_check(item)); });
  return gated;
}

PlanContext read_context(const JsonPlace& root) {
  PlanContext context;
  const JsonPlace desired = root.at("desired");
  context.source = desired.at("source").text();
  context.file = desired.at("file").text();
  context.sha256 = desired.at("sha256").text();
  const JsonPlace observed = root.at("observed");
  context.observed_at = observed.at("at").time_or_null();
  context.observed_by = observed.at("by").text();
  context.answered = observed.at("answered").texts();
  context.silent = observed.at("silent").texts();
  observed.at("silence").each_entry(
      [&](const std::string& name, const JsonPlace& why) { context.silence[name] = why.text(); });
  context.etcd_version = observed.at("etcd_version").text_or_null();
  observed.at("client_urls").each_entry([&](const std::string& name, const JsonPlace& urls) {
    context.client_urls[name] = urls.texts();
  });
  context.expires_at = read_optional_time(root.at("expires_at"));
  return context;
}

}  // namespace

base::Result<SavedPlan> read_plan(std::string_view text, std::string_view name) {
  const auto tree = open_document(text, name, "plan");
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  const JsonPlace root(reading);
  SavedPlan saved{read_gated(root), read_context(root)};
  if (!reading.problem.empty()) {
    return base::invalid(std::string(name) + ": " + reading.problem, "plan anew with quorate plan --out FILE");
  }
  return saved;
}

}  // namespace quorate::model
