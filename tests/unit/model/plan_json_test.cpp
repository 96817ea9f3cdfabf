// Plans as files: the field names that scripts rely on, and reading them back.
#include "reconciler/model/plan_json.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quorate::model {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

Step removal() {
  Step step;
  step.action = Remove{"etcd-c", {0xfd422379fda50e48}, false};
  step.id = step_id(step.action);
  step.owner = "cluster";
  step.step_class = StepClass::Heal;
  step.reason = {"MemberEmptied", "its agent reports an empty data directory", {{"data_dir", "empty"}}, "", 0};
  step.needs = {MemberIs{{0xfd422379fda50e48}, "etcd-c", MemberState::Down}, VotersUp{2}};
  step.ensures = {MemberIs{{0xfd422379fda50e48}, "etcd-c", MemberState::Absent}};
  step.before = {3, 2};
  step.after = {2, 2};
  step.risk = Risk::Medium;
  step.risk_why = {"can_lose stays 0 until step 4"};
  return step;
}

SavedPlan replacing() {
  SavedPlan saved;
  Plan& plan = saved.gated.plan;
  plan.status = PlanStatus::Actionable;
  plan.cluster = "prod";
  plan.cluster_id.value = 0xcdf818194e3a8c32;
  plan.desired_digest = "d1";
  plan.steps = {removal()};
  plan.now = {3, 2};
  plan.id = "7f3a9c2e";
  Notice notice;
  notice.code = "MemberEmptied";
  notice.object = "member/etcd-c";
  notice.text = "etcd-c is empty";
  notice.drift = true;
  plan.notices = {notice};
  saved.gated.verdicts = {Verdict{}};
  saved.gated.checks = {{"Q1", true}, {"Q2", false}};
  saved.gated.code = ExitCode::Different;
  saved.context.file = "quorate.yaml";
  saved.context.sha256 = "ab12";
  saved.context.observed_at = *base::parse_time("2026-09-24T09:12:41Z");
  saved.context.observed_by = "quorate plan on node-1";
  saved.context.answered = {"etcd-a", "etcd-b"};
  saved.context.silent = {"etcd-c"};
  saved.context.expires_at = base::parse_time("2026-09-24T10:12:41Z");
  return saved;
}

json tree_of(const SavedPlan& saved) {
  return json::parse(to_json(saved.gated, saved.context));
}

std::string problem(const std::function<void(json&)>& change) {
  json tree = tree_of(replacing());
  change(tree);
  const auto read = read_plan(tree.dump(), "p.json");
  if (read) return "";
  EXPECT_EQ(read.error().kind, base::ErrorKind::Invalid);
  return read.error().message;
}

}  // namespace

TEST(PlanJson, HasTheFieldsThatScriptsRelyOn) {
  const json tree = tree_of(replacing());
  EXPECT_EQ(tree["format_version"], "1.0");
  EXPECT_EQ(tree["kind"], "plan");
  EXPECT_EQ(tree["id"], "7f3a9c2e");
  EXPECT_EQ(tree["status"], "Actionable");
  EXPECT_EQ(tree["exit_code"], 2);
  EXPECT_EQ(tree["complete"], true);
  EXPECT_EQ(tree["applicable"], true);
  EXPECT_EQ(tree["cluster"], json({{"name", "prod"}, {"id", "cdf818194e3a8c32"}}));
  EXPECT_EQ(tree["desired"],
            json({{"source", "file"}, {"file", "quorate.yaml"}, {"sha256", "ab12"}, {"digest", "d1"}}));
  EXPECT_EQ(tree["observed"]["at"], "2026-09-24T09:12:41Z");
  EXPECT_EQ(tree["observed"]["answered"], json({"etcd-a", "etcd-b"}));
  EXPECT_EQ(tree["observed"]["silent"], json::array({"etcd-c"}));
  EXPECT_EQ(tree["summary"], json({{"add", 0},
                                   {"change", 0},
                                   {"remove", 1},
                                   {"replace", 0},
                                   {"actions", 0},
                                   {"blocked", 0},
                                   {"risk", "medium"},
                                   {"approvals", 0}}));
  EXPECT_EQ(tree["quorum"]["now"], json({{"voters", 3}, {"up", 2}, {"needs", 2}, {"can_lose", 0}}));
  EXPECT_EQ(tree["quorum"]["worst"]["voters"], 3);
  EXPECT_EQ(tree["quorum"]["after"]["voters"], 2);
  EXPECT_EQ(tree["drift"][0]["path"], "/members/etcd-c");
  EXPECT_EQ(tree["drift"][0]["reason"], "MemberEmptied");
  EXPECT_EQ(tree["drift"][0]["since"], nullptr);
  EXPECT_EQ(tree["drift"][0]["severity"], "warning");
  EXPECT_EQ(tree["checks"], json({{{"id", "Q1"}, {"result", "pass"}}, {{"id", "Q2"}, {"result", "fail"}}}));
  EXPECT_EQ(tree["expires_at"], "2026-09-24T10:12:41Z");
}

TEST(PlanJson, AStepSaysWhatItDoesAndWhy) {
  const json step = tree_of(replacing())["steps"][0];
  EXPECT_EQ(step["n"], 1);
  EXPECT_EQ(step["id"], "remove/etcd-c@fd422379fda50e48");
  EXPECT_EQ(step["action"], "remove");
  EXPECT_EQ(step["object"], "etcd-c");
  EXPECT_EQ(step["args"], json({{"member", "etcd-c"}, {"id", "fd422379fda50e48"}, {"replaces", false}}));
  EXPECT_EQ(step["owner"], "cluster");
  EXPECT_EQ(step["symbol"], "-");
  EXPECT_EQ(step["class"], "heal");
  EXPECT_EQ(step["reason"]["code"], "MemberEmptied");
  EXPECT_EQ(step["reason"]["evidence"], json({{"data_dir", "empty"}}));
  EXPECT_EQ(step["reason"]["line"], nullptr);
  EXPECT_EQ(step["risk"]["level"], "medium");
  EXPECT_EQ(step["risk"]["why"], json::array({"can_lose stays 0 until step 4"}));
  EXPECT_EQ(step["quorum"]["before"]["can_lose"], 0);
  EXPECT_EQ(step["undo"], nullptr);
  EXPECT_EQ(step["needs"],
            json({{{"member", "fd422379fda50e48"}, {"name", "etcd-c"}, {"state", "down"}}, {{"voters_up", 2}}}));
  EXPECT_EQ(step["ensures"][0]["state"], "absent");
  EXPECT_EQ(step["approval"], nullptr);
  EXPECT_EQ(step["verdict"]["ruling"], "go");
}

TEST(PlanJson, AVerdictSaysRuleArithmeticAndWaysOut) {
  SavedPlan saved = replacing();
  Verdict& verdict = saved.gated.verdicts[0];
  verdict.ruling = Ruling::Deny;
  verdict.rule = "Q1";
  verdict.text = "never remove a voter when fewer voters than the new quorum would be up";
  verdict.arithmetic = "2 voters, 1 up, needs 2";
  verdict.instead = {{"replace etcd-c first", "quorate member replace etcd-c"}, {"bring etcd-c back", ""}};
  verdict.code = ExitCode::Refused;
  const json tree = tree_of(saved);
  EXPECT_EQ(tree["complete"], false);
  EXPECT_EQ(tree["summary"]["blocked"], 1);
  const json& shown = tree["steps"][0]["verdict"];
  EXPECT_EQ(shown["ruling"], "deny");
  EXPECT_EQ(shown["rule"], "Q1");
  EXPECT_EQ(shown["arithmetic"], "2 voters, 1 up, needs 2");
  EXPECT_EQ(shown["instead"][0],
            json({{"text", "replace etcd-c first"}, {"command", "quorate member replace etcd-c"}}));
  EXPECT_EQ(shown["instead"][1]["command"], nullptr);
  EXPECT_EQ(shown["exit_code"], 4);
}

TEST(PlanJson, KeysStandInTheOrderOfTheContract) {
  const auto tree = nlohmann::ordered_json::parse(to_json(replacing().gated, replacing().context));
  std::vector<std::string> keys;
  for (const auto& [key, value] : tree.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("format_version", "kind", "id", "status", "exit_code", "stop_code", "complete",
                                "applicable", "cluster", "desired", "observed", "summary", "quorum", "drift", "steps",
                                "verdict", "notices", "checks", "expires_at"));
}

TEST(PlanJson, ReadsBackAPlanHoweverOldItIs) {
  const SavedPlan saved = replacing();
  const auto read = read_plan(to_json(saved.gated, saved.context), "p.json");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, saved);
}

TEST(PlanJson, PassesOverWhatANewerMinorReleaseAdds) {
  json tree = tree_of(replacing());
  tree["format_version"] = "1.4";
  tree["estimate_s"] = 35;
  tree["steps"][0]["estimate_s"] = 35;
  tree["exit_code"] = 77;
  const auto read = read_plan(tree.dump(), "p.json");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->gated.plan, replacing().gated.plan);
  EXPECT_EQ(read->gated.code, ExitCode::Failed) << "an unknown code is a failure";
}

TEST(PlanJson, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem([](json& tree) { tree.erase("steps"); }), "p.json: the document has no steps");
  EXPECT_EQ(problem([](json& tree) { tree["steps"][0].erase("owner"); }), "p.json: /steps/0 has no owner");
  EXPECT_THAT(problem([](json& tree) { tree["status"] = "Fine"; }),
              HasSubstr("/status must be one of Converged, Actionable, NeedsObservation, NeedsHuman, found \"Fine\""));
  EXPECT_THAT(problem([](json& tree) { tree["steps"][0]["action"] = "format-disk"; }),
              HasSubstr("/steps/0/action must be one of promise, backup, add-member"));
  EXPECT_THAT(problem([](json& tree) { tree["steps"][0]["args"] = json::object(); }),
              HasSubstr("/steps/0/args has no member"));
  EXPECT_THAT(problem([](json& tree) {
                tree["steps"][0]["needs"][1] = {{"moon", "full"}};
              }),
              HasSubstr("/steps/0/needs/1 is no claim that this release knows"));
  EXPECT_THAT(problem([](json& tree) { tree["steps"][0]["needs"][1]["voters_up"] = "some"; }),
              HasSubstr("must be a number or \"all\""));
  EXPECT_THAT(problem([](json& tree) { tree["steps"][0]["risk"]["level"] = 3; }), HasSubstr("must be text"));
  EXPECT_THAT(problem([](json& tree) { tree["quorum"]["now"]["up"] = 5000000000; }), HasSubstr("whole number"));
  EXPECT_THAT(problem([](json& tree) {
                tree["steps"].push_back(tree["steps"][0]);
                tree["steps"][0]["verdict"] = nullptr;
              }),
              HasSubstr("/steps/1/verdict must be null: an earlier step has none"));
  EXPECT_THAT(problem([](json& tree) { tree["kind"] = "observation"; }), HasSubstr("/kind must be \"plan\""));
}

}  // namespace quorate::model
