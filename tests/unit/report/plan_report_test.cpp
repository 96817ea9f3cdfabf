// What people, programs and CI systems are told of a plan.
#include "reconciler/report/plan_report.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reconciler/report/plan_step_text.h"
#include "reconciler/report/prose.h"
#include "tests/unit/report/plan_builder.h"
#include "tests/unit/report/xml_reader.h"

namespace quorate::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string shown(const model::Gated& gated) {
  return plan_text(gated, context_of_three(), {});
}

model::Gated waiting() {
  model::Gated gated = gated_of(
      {step_of(model::Remove{"etcd-c", {3}}, {3, 3}, {2, 2}), step_of(model::RemoveManifest{"etcd-c"}, {2, 2}, {2, 2})},
      {3, 3});
  gated.plan.steps[0].risk = model::Risk::High;
  gated.plan.steps[0].risk_why = {"survivable failures fall from 1 to 0"};
  gated.verdicts[0] = {model::Ruling::Hold,           "P3", "classes in protect.approve wait for an approval",
                       "class destructive",           {},   std::nullopt,
                       model::ExitCode::NeedsApproval};
  gated.code = model::ExitCode::NeedsApproval;
  return gated;
}

}  // namespace

TEST(PlanText, SaysFirstThatItIsRefused) {
  EXPECT_THAT(shown(refused()), StartsWith("Refused: step 1 would lose quorum. Nothing can be applied.\n"
                                           "Plan 7f3a9c2e for prod (cdf818194e3a8c32)\n"));
}

TEST(PlanText, ShowsTheRuleTheArithmeticAndWhatWorksInstead) {
  EXPECT_THAT(
      shown(refused()),
      HasSubstr("\n"
                "  1 x   remove member etcd-b (91bc3c398fb3c146)                                 BLOCKED by Q1\n"
                "        why     the file no longer lists it\n"
                "        quorum  2 voters, 1 up, needs 2: no writes, and no way to add a member back\n"
                "        Q1      never remove a voter when fewer voters than the new quorum would be up\n"
                "\n"
                "  What works instead:\n"
                "   a  bring etcd-c back, then remove etcd-b  see it:  quorate plan --assume-up etcd-c\n"
                "   b  replace etcd-c first, then shrink: two commits\n"
                "\n"
                "  No flag overrides Q1.\n"));
  EXPECT_THAT(shown(refused()), Not(HasSubstr("Plan: ")));
}

TEST(PlanText, NamesTheStepsThatWaitForAPerson) {
  EXPECT_THAT(shown(waiting()),
              AllOf(HasSubstr("waits for approval (P3)\n"), HasSubstr("risk    high: survivable failures fall"),
                    HasSubstr("approval needed for step 1.")));
}

TEST(PlanText, NoLineIsLongerThanItsWidth) {
  model::Gated gated = waiting();
  gated.plan.steps[0].reason.text = std::string(30, 'x') + " " + std::string(90, 'y') + " and so on";
  const std::string text = plan_wide(gated, context_of_three(), {});
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_TRUE(line.find('y') != std::string::npos || line.size() <= kPlanWidth) << line;
  }
}

TEST(PlanText, SaysWhatItWaitsForBeforeTheStepThatNeedsIt) {
  model::Gated gated = gated_of({step_of(model::Promote{"etcd-d", {4}, {}}, {3, 3}, {4, 4}),
                                 step_of(model::AddMember{"etcd-e", {"https://10.0.0.15:2380"}, ""}, {4, 4}, {4, 4})},
                                {3, 3});
  gated.plan.steps[1].needs = {model::Soaked{base::Duration{60000}}};
  EXPECT_THAT(shown(gated), HasSubstr("    ..  soak 1m (rollout.soak); stop here if a member becomes unhealthy\n"
                                      "  2 +   add member etcd-e as learner, https://10.0.0.15:2380"));
}

TEST(PlanText, TerminalsAreNotSteeredByNames) {
  model::Gated gated = gated_of({step_of(model::Remove{"etcd-\033[31mc\n\r", {3}}, {3, 3}, {2, 2})}, {3, 3});
  gated.plan.steps[0].reason.text = "\033]0;title\007";
  gated.plan.notices = {notice_of("UnexpectedMember", "member/x", "a\033[2Jb")};
  gated.plan.cluster = "pro\033d";
  for (const auto& format : plan_formats()) {
    const auto text = render_plan(format, gated, context_of_three(), {});
    EXPECT_EQ(text->find('\033'), std::string::npos) << format;
    EXPECT_EQ(text->find('\007'), std::string::npos) << format;
  }
}

TEST(PlanText, CiSystemsAreNotSteeredByNames) {
  model::Gated gated = gated_of({step_of(model::Remove{"::error file=x::boo", {3}}, {3, 3}, {2, 2})}, {3, 3});
  gated.plan.steps[0].reason.text = "##[error]boo ::set-output name=a::b ##vso[task.complete]";
  gated.plan.notices = {notice_of("UnexpectedMember", "member/x", "::stop-commands::token")};
  for (const auto& format : plan_formats()) {
    const auto text = render_plan(format, gated, context_of_three(), {});
    EXPECT_THAT(*text, Not(HasSubstr("##vso["))) << format;
    if (format == "github") continue;  // has escapes of its own; a command stands at the start of a line only
    EXPECT_THAT(*text, Not(HasSubstr("##[error]"))) << format;
    EXPECT_THAT(*text, Not(testing::ContainsRegex("(^|\n) *::[a-z]"))) << format;
  }
}

TEST(Printable, LeavesAddressesAlone) {
  EXPECT_EQ(printable("listens on ::1 and ::ffff:10.0.0.1, [::]:2379"),
            "listens on ::1 and ::ffff:10.0.0.1, [::]:2379");
  EXPECT_EQ(printable("::error::x a::b ## [x]"), ": :error::x a::b ## [x]");
  EXPECT_EQ(printable_verbatim("::error::x"), "::error::x");
}

TEST(SafeJson, HoldsTheSameAndNothingThatSteers) {
  const std::string hostile = "a\u009b31m ##[error] ##vso[x] \x7f \u00a0";
  const std::string json = nlohmann::json(hostile).dump();
  const std::string safe = safe_json(json);
  EXPECT_EQ(nlohmann::json::parse(safe), hostile);
  EXPECT_THAT(safe, AllOf(HasSubstr("\\u009b"), Not(HasSubstr("##["))));
  EXPECT_THAT(safe, AllOf(Not(HasSubstr("\xc2\x9b")), Not(HasSubstr("##vso["))));
}

TEST(PlanText, ADifferenceThatNoStepSettlesIsNoMatch) {
  model::Gated gated = gated_of({}, {3, 3});
  gated.plan.notices = {notice_of("UnexpectedMember", "member/x", "member x (1) is not in the file")};
  EXPECT_THAT(shown(gated), AllOf(StartsWith("No changes to make. prod differs from quorate.yaml"),
                                  HasSubstr("warning   member x (1) is not in the file")));
}

TEST(PlanText, EveryActionIsASentence) {
  const std::vector<std::pair<model::Action, std::string>> cases = {
      {model::Promise{"a", "7c1e"}, "promise on a to keep to decision 7c1e"},
      {model::Backup{"prod"}, "back up prod"},
      {model::WriteManifest{"a", "d", model::BootMode::New, ""}, "start a: write its manifest (new cluster)"},
      {model::WriteManifest{"a", "d", model::BootMode::Join, ""}, "start a: write its manifest (join)"},
      {model::WriteManifest{"a", "d", model::BootMode::Keep, ""}, "write manifest of a, restart"},
      {model::WriteManifest{"a", "d", model::BootMode::Keep, "3.5.21"}, "upgrade a to 3.5.21"},
      {model::RemoveManifest{"a"}, "remove the files of a"},
      {model::MoveLeader{"a", "b", {2}}, "move the leader from a to b"},
      {model::UpdatePeerUrls{"a", {1}, {"https://x:1"}}, "change peer URLs of a (1) to https://x:1"},
      {model::SetDataAside{"a"}, "set the data of a aside"},
      {model::Compact{"prod"}, "compact the history of prod"},
      {model::Defragment{"a", {1}}, "defragment a (1)"},
      {model::DisarmAlarm{"a", {{1}, model::AlarmKind::NoSpace}}, "disarm the NOSPACE alarm of a"},
      {model::Remove{"a", {1}, true}, "replace member a (1): it leaves and comes back new"},
      {model::Remove{"", {1}}, "remove learner 1, which never started"},
  };
  for (const auto& [action, sentence] : cases) {
    EXPECT_THAT(shown(gated_of({step_of(action, {3, 3}, {3, 3})}, {3, 3})), HasSubstr(" " + sentence + " "));
  }
}

TEST(PlanMarkdown, StartsWithTheMarkThatFindsTheCommentAgain) {
  EXPECT_THAT(plan_markdown(waiting(), context_of_three(), {}),
              StartsWith("<!-- quorate:plan cluster=prod -->\n### prod: "));
}

TEST(PlanMarkdown, IsNeverTooLongForAComment) {
  std::vector<model::Step> steps(5000, step_of(model::Remove{"etcd-c", {3}}, {3, 3}, {2, 2}));
  model::Gated gated = gated_of(std::move(steps), {3, 3});
  gated.plan.notices.assign(5000, notice_of("UnexpectedMember", "member/x", std::string(200, '|')));
  const std::string text = plan_markdown(gated, context_of_three(), {});
  EXPECT_LE(text.size(), 60000U);
  EXPECT_THAT(text, HasSubstr("more steps left out here"));
}

TEST(PlanMarkdown, NoNameIsTooLongForAComment) {
  model::Gated gated = waiting();
  gated.plan.cluster = std::string(70000, '*');
  model::PlanContext context = context_of_three();
  context.file = std::string(70000, 'f');
  EXPECT_LE(plan_markdown(gated, context, {}).size(), 60000U);
}

TEST(PlanMarkdown, ADifferenceThatNoStepSettlesIsNoMatch) {
  model::Gated gated = gated_of({}, {3, 3});
  gated.plan.notices = {notice_of("UnexpectedMember", "member/x", "member x (1) is not in the file")};
  EXPECT_THAT(plan_markdown(gated, context_of_three(), {}), HasSubstr("prod: 1 difference that no step settles\n"));
  gated.plan.notices.clear();
  EXPECT_THAT(plan_markdown(gated, context_of_three(), {}), HasSubstr("prod: no changes\n"));
}

TEST(PlanMarkdown, NothingBreaksOut) {
  model::Gated gated = waiting();
  gated.plan.cluster = "p --> <script>|`@everyone";
  gated.plan.steps[0].reason.text = "````\n</details>";
  gated.plan.notices = {notice_of("UnexpectedMember", "member/x", "</details><img src=x>|`*")};
  const std::string text = plan_markdown(gated, context_of_three(), {});
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("\n````\n</details>\n#")));
  EXPECT_EQ(text.find("-->"), text.find(" -->\n### ") + 1);
}

TEST(PlanGithub, PointsAtTheLineThatAsked) {
  model::Gated gated = refused();
  gated.plan.steps[0].reason.file = "quorate.yaml";
  gated.plan.steps[0].reason.line = 8;
  EXPECT_THAT(plan_github(gated, context_of_three(), {}),
              StartsWith("::error file=quorate.yaml,line=8,title=Q1::step 1: remove member etcd-b"));
}

TEST(PlanSarif, AnAlertStaysTheSameWhenLinesMove) {
  model::Gated gated = refused();
  const auto first = nlohmann::json::parse(plan_sarif(gated, context_of_three(), {}));
  gated.plan.steps[0].reason.line = 80;
  const auto second = nlohmann::json::parse(plan_sarif(gated, context_of_three(), {}));
  EXPECT_EQ(first["runs"][0]["results"][0]["partialFingerprints"],
            second["runs"][0]["results"][0]["partialFingerprints"]);
  EXPECT_EQ(first["runs"][0]["results"][0]["ruleId"], "Q1");
}

TEST(PlanJunit, FailsForTheStepThatIsBlocked) {
  EXPECT_THAT(plan_junit(refused(), context_of_three(), {}),
              AllOf(HasSubstr("tests=\"1\" failures=\"1\""), HasSubstr("<failure type=\"Q1\"")));
  EXPECT_THAT(plan_junit(gated_of({}, {3, 3}), context_of_three(), {}), HasSubstr("name=\"ok\"/>"));
}

TEST(PlanFormats, YamlHoldsTheSameAsJson) {
  EXPECT_THAT(*render_plan("yaml", refused(), context_of_three(), {}),
              AllOf(HasSubstr("kind: plan"), HasSubstr("rule: Q1")));
  EXPECT_FALSE(render_plan("xml", refused(), context_of_three(), {}));
}

}  // namespace quorate::report
