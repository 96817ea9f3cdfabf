// Journals as people read them.
#include "reconciler/report/history.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "reconciler/base/yaml_text.h"

namespace quorate::report {
namespace {

using base::Json;
using model::JournalEntry;
using model::JournalEvent;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

base::Time at(std::string_view text) {
  return base::parse_time(text).value();
}

JournalEntry entry(std::string_view when, JournalEvent event, const std::string& step, const std::string& text = "") {
  return {at(when), event, "etcd-a", "1a2b3c4d", step, "heal", "e3b0c442", text, "", ""};
}

std::vector<JournalEntry> a_replacement() {
  return {entry("2026-09-24T09:00:00Z", JournalEvent::Intent, "remove/etcd-c@1", "etcd-c is dead"),
          entry("2026-09-24T09:00:02Z", JournalEvent::Done, "remove/etcd-c@1"),
          entry("2026-09-24T09:00:03Z", JournalEvent::Intent, "add-member/etcd-c@http://10.0.0.13:2380"),
          entry("2026-09-24T09:00:10Z", JournalEvent::Unclear, "add-member/etcd-c@http://10.0.0.13:2380", "no reply"),
          entry("2026-09-24T09:00:11Z", JournalEvent::Intent, "add-member/etcd-c@http://10.0.0.13:2380"),
          entry("2026-09-24T09:00:12Z", JournalEvent::Failed, "add-member/etcd-c@http://10.0.0.13:2380", "refused"),
          entry("2026-09-24T09:01:00Z", JournalEvent::Intent, "promote/etcd-c@2")};
}

}  // namespace

TEST(History, AnIntentFindsWhatBecameOfIt) {
  const auto steps = steps_of("prod", a_replacement());
  ASSERT_THAT(steps, SizeIs(4));
  EXPECT_EQ(steps[0].outcome, Outcome::Done);
  EXPECT_EQ(steps[0].reason, "etcd-c is dead");
  EXPECT_EQ(*steps[0].ended - steps[0].began, std::chrono::seconds(2));
  EXPECT_EQ(steps[1].outcome, Outcome::Unclear);
  EXPECT_EQ(steps[1].result, "no reply");
  EXPECT_EQ(steps[2].outcome, Outcome::Failed);
  EXPECT_EQ(steps[3].outcome, Outcome::Unfinished);
  EXPECT_FALSE(steps[3].ended);
}

TEST(History, AnOutcomeWhoseIntentIsGoneWithTheOldJournalIsKept) {
  const auto steps = steps_of("prod", {entry("2026-09-24T09:00:02Z", JournalEvent::Done, "promote/etcd-c@2")});
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].outcome, Outcome::Done);
  EXPECT_EQ(steps[0].began, at("2026-09-24T09:00:02Z"));
}

TEST(History, StepsOfSeveralAgentsStandInTheOrderOfTheirBeginnings) {
  auto steps = steps_of("prod", {entry("2026-09-24T09:00:05Z", JournalEvent::Intent, "promote/b@2")});
  for (auto& step : steps_of("prod", {entry("2026-09-24T09:00:01Z", JournalEvent::Intent, "promote/a@1")})) {
    steps.push_back(step);
  }
  sort_history(steps);
  EXPECT_EQ(steps[0].step, "promote/a@1");
}

TEST(History, IsFoundByTheIdOfAStepOrOfAPlan) {
  const auto steps = steps_of("prod", a_replacement());
  EXPECT_THAT(with_id(steps, "add-member/etcd-c@http://10.0.0.13:2380"), SizeIs(2));
  EXPECT_THAT(with_id(steps, "1a2b3c4d"), SizeIs(4));
  EXPECT_THAT(with_id(steps, "1a2b3c4"), IsEmpty());
}

TEST(History, TextHasARowForEachStepAndShowHasItsReasons) {
  const auto steps = steps_of("prod", a_replacement());
  const auto rows = render_history("text", steps, false, {}).value();
  EXPECT_THAT(rows, HasSubstr("2026-09-24T09:00:00Z"));
  EXPECT_THAT(rows, HasSubstr("remove/etcd-c@1"));
  EXPECT_THAT(rows, Not(HasSubstr("etcd-c is dead")));
  const auto whole = render_history("text", steps, true, {}).value();
  EXPECT_THAT(whole, HasSubstr("reason   etcd-c is dead"));
  EXPECT_THAT(whole, HasSubstr("no end is recorded"));
  EXPECT_EQ(render_history("text", {}, false, {}).value(), "Nothing was done.\n");
  EXPECT_FALSE(render_history("csv", steps, false, {}));
}

TEST(History, SaysWhoApprovedAStepAndWhy) {
  auto journal = a_replacement();
  for (std::size_t i = 0; i < 2; ++i) {
    journal[i].approved_by = "ops@example.com";
    journal[i].approved_why = "the rack is gone";
  }
  const auto steps = steps_of("prod", journal);
  EXPECT_THAT(render_history("text", steps, false, {}).value(), HasSubstr("1a2b3c4d  ops@example.com"));
  EXPECT_THAT(render_history("text", steps, true, {}).value(),
              HasSubstr("approved by ops@example.com: the rack is gone"));
  const auto tree = Json::parse(render_history("json", steps, false, {}).value());
  EXPECT_EQ(tree["steps"][0]["approved_by"], "ops@example.com");
  EXPECT_EQ(tree["steps"][0]["approved_why"], "the rack is gone");
  EXPECT_EQ(tree["steps"][1]["approved_by"], nullptr);
}

TEST(History, WhatOneAgentTriesAgainAndAgainIsOneRow) {
  std::vector<JournalEntry> journal;
  for (int i = 0; i < 3; ++i) {
    journal.push_back(entry("2026-09-24T09:00:00Z", JournalEvent::Intent, "promote/etcd-c@2"));
    journal.push_back(entry("2026-09-24T09:00:01Z", JournalEvent::Failed, "promote/etcd-c@2", "behind"));
  }
  journal.push_back(entry("2026-09-24T09:00:02Z", JournalEvent::Intent, "promote/etcd-c@2"));
  journal.push_back(entry("2026-09-24T09:00:03Z", JournalEvent::Done, "promote/etcd-c@2"));
  const auto text = render_history("text", steps_of("prod", journal), false, {}).value();
  EXPECT_THAT(text, HasSubstr("failed, 3 times"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST(History, JsonHasEverything) {
  const auto tree = Json::parse(render_history("json", steps_of("prod", a_replacement()), false, {}).value());
  EXPECT_EQ(tree["kind"], "history");
  EXPECT_EQ(tree["steps"][0]["outcome"], "done");
  EXPECT_EQ(tree["steps"][0]["cluster"], "prod");
  EXPECT_EQ(tree["steps"][0]["desired_digest"], "e3b0c442");
  EXPECT_EQ(tree["steps"][3]["ended"], nullptr);
}

TEST(History, AJournalCannotSteerTheTerminal) {
  const auto steps =
      steps_of("prod", {entry("2026-09-24T09:00:00Z", JournalEvent::Intent, "a/b\033[2J@1", "x\033]0;")});
  EXPECT_THAT(render_history("text", steps, false, {}).value(), Not(HasSubstr("\033")));
  EXPECT_THAT(render_history("text", steps, true, {}).value(), Not(HasSubstr("\033")));
}

}  // namespace quorate::report
