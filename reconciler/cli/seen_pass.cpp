// Written by the agent, read by the command line of the same release.
#include "reconciler/cli/seen_pass.h"

#include "reconciler/model/health.h"
#include "reconciler/model/json_words.h"

namespace quorate::cli {
namespace {

using base::Json;

std::string words_of(const model::Verdict& verdict) {
  return verdict.rule + ", " + (verdict.arithmetic.empty() ? verdict.text : verdict.arithmetic);
}

Json hold_json(const std::string& step, const model::Verdict& verdict) {
  const bool passes =
      verdict.ruling == model::Ruling::Hold &&
      (verdict.until || verdict.code == model::ExitCode::Different || verdict.code == model::ExitCode::Unknown);
  return {{"step", step},
          {"exit_code", static_cast<int>(verdict.code)},
          {"text", words_of(verdict)},
          {"passes", passes && verdict.code != model::ExitCode::Busy}};
}

Json holds_json(const model::Gated& gated) {
  Json holds = Json::array();
  if (gated.whole) holds.push_back(hold_json("", *gated.whole));
  for (std::size_t i = 0; i < gated.verdicts.size() && i < gated.plan.steps.size(); ++i) {
    if (gated.verdicts[i].ruling == model::Ruling::Go) continue;
    holds.push_back(hold_json(gated.plan.steps[i].id, gated.verdicts[i]));
  }
  return holds;
}

// As the gate does: behind what waits for a person or for a moment the road is shown.
bool ends_early(const model::Gated& gated) {
  if (gated.verdicts.empty() || gated.verdicts.back().ruling == model::Ruling::Go) return false;
  const model::ExitCode code = gated.verdicts.back().code;
  return code != model::ExitCode::NeedsApproval && code != model::ExitCode::Different;
}

Json step_ids(const model::Plan& plan) {
  Json ids = Json::array();
  for (const model::Step& step : plan.steps) ids.push_back(step.id);
  return ids;
}

Json quorum_json(const model::Observed& observed) {
  if (!observed.membership) return nullptr;
  const model::Quorum quorum = model::quorum_of(observed);
  return {{"voters", quorum.voters}, {"up", quorum.up}};
}

std::string paused_text(const loop::Pass& pass) {
  if (!pass.paused) return "";
  return "paused until " + base::to_string(pass.paused->until) + ": " + pass.paused->reason;
}

Json given_json(const model::Observed& observed) {
  Json given = Json::array();
  for (const model::NodeFacts& node : observed.nodes) {
    const auto& pledge = node.standing ? node.standing->pledge : std::nullopt;
    if (pledge && pledge->given) given.push_back(pledge->decision.id);
  }
  return given;
}

}  // namespace

std::string pass_text(const std::string& member, const loop::Pass& pass) {
  const model::Gated& gated = pass.plan.gated;
  const model::Plan& plan = gated.plan;
  const Json json = {{"member", member},
                     {"plan", plan.id},
                     {"desired_digest", pass.desired_digest},
                     {"status", model::name_of(plan.status)},
                     {"exit_code", static_cast<int>(gated.code)},
                     {"steps", step_ids(plan)},
                     {"ends_early", ends_early(gated)},
                     {"held", holds_json(gated)},
                     {"denied", pass.denied},
                     {"notice", plan.notices.empty() ? "" : plan.notices.front().text},
                     {"did", pass.did},
                     {"step", pass.step},
                     {"failed", pass.failed ? pass.failed->message : ""},
                     {"given_up", pass.given_up},
                     {"waits", pass.waits},
                     {"began", pass.began.count()},
                     {"health", model::name_of(model::health_of(pass.observed))},
                     {"quorum", quorum_json(pass.observed)},
                     {"lock", pass.records.lock_owner},
                     {"paused", paused_text(pass)},
                     {"given", given_json(pass.observed)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

base::Result<SeenPass> read_pass(std::string_view text) {
  const auto tree = model::parse_json(text, "the agent's answer");
  if (!tree) return tl::unexpected(tree.error());
  model::JsonReading reading{*tree, {}};
  const model::JsonPlace root(reading);
  SeenPass pass;
  pass.member = root.at("member").text();
  pass.plan = root.at("plan").text();
  pass.desired_digest = root.at("desired_digest").text();
  pass.status = root.at("status").text();
  pass.exit_code = root.at("exit_code").count();
  pass.steps = root.at("steps").texts();
  pass.ends_early = root.at("ends_early").truth();
  root.at("held").each([&](const model::JsonPlace& place) {
    pass.held.push_back(
        {place.at("step").text(), place.at("exit_code").count(), place.at("text").text(), place.at("passes").truth()});
  });
  pass.denied = root.at("denied").texts();
  pass.notice = root.at("notice").text();
  pass.did = root.at("did").truth();
  pass.step = root.at("step").text();
  pass.failed = root.at("failed").text();
  pass.given_up = root.at("given_up").truth();
  pass.waits = root.at("waits").text();
  pass.began = base::Duration{root.at("began").whole()};
  pass.health = root.at("health").text();
  if (root.has("quorum")) {
    pass.quorum = model::Quorum{root.at("quorum").at("voters").count(), root.at("quorum").at("up").count()};
  }
  pass.lock = root.at("lock").text();
  pass.paused = root.at("paused").text();
  pass.given = root.at("given").texts();
  if (reading.problem.empty()) return pass;
  return base::invalid("the agent's answer " + reading.problem);
}

}  // namespace quorate::cli
