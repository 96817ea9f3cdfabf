// What a journal has of a step that is refused again and again.
#include "reconciler/loop/tries.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/support/journal_in_memory.h"

namespace quorate::loop {
namespace {

using model::JournalEvent;

class TriesTest : public testing::Test {
 protected:
  model::JournalEntry entry(JournalEvent event, const std::string& text, const std::string& step = "add-member/c") {
    model::JournalEntry entry;
    entry.at = clock_.now();
    entry.event = event;
    entry.member = "a";
    entry.plan = "p1";
    entry.step = step;
    entry.text = text;
    return entry;
  }
  void refuse(const std::string& text) {
    EXPECT_TRUE(tries_.begin(entry(JournalEvent::Intent, "why")));
    is_open();
    EXPECT_TRUE(tries_.end(entry(JournalEvent::Failed, text)));
    clock_.advance(base::Duration{250});
  }
  // Whoever dies now finds the intent, and nothing after it.
  void is_open() {
    ASSERT_FALSE(journal_.entries.empty());
    EXPECT_EQ(journal_.entries.back().event, JournalEvent::Intent);
  }
  std::string lines() const {
    std::string text;
    for (const model::JournalEntry& each : journal_.entries) {
      text += std::string(model::name_of(each.event)) + " " + each.text + "\n";
    }
    return text;
  }

  fakes::FakeClock clock_;
  support::JournalInMemory journal_;
  Tries tries_{journal_, clock_};
};

TEST_F(TriesTest, ARefusalThatSaysTheSameAgainIsWrittenOnce) {
  for (int time = 0; time < 8; ++time) refuse("unhealthy");
  EXPECT_EQ(lines(), "intent why\nfailed unhealthy\nintent why\n");
  EXPECT_TRUE(tries_.begin(entry(JournalEvent::Intent, "why")));
  EXPECT_TRUE(tries_.end(entry(JournalEvent::Done, "")));
  EXPECT_EQ(lines(), "intent why\nfailed unhealthy\nintent why\ndone \n");
}

TEST_F(TriesTest, WhatIsTriedSeldomIsLeftOpenBetweenNoTwoTries) {
  for (int time = 0; time < 3; ++time) {
    refuse("unhealthy");
    EXPECT_EQ(journal_.entries.back().event, JournalEvent::Failed);
    clock_.advance(std::chrono::seconds{5});
  }
}

TEST_F(TriesTest, AnotherRefusalIsWrittenAtOnce) {
  for (const char* text : {"unhealthy", "unhealthy", "no leader", "no leader"}) refuse(text);
  EXPECT_EQ(lines(), "intent why\nfailed unhealthy\nintent why\nfailed no leader\nintent why\n");
}

TEST_F(TriesTest, WhatIsUnclearIsWrittenEachTime) {
  for (int time = 0; time < 2; ++time) {
    EXPECT_TRUE(tries_.begin(entry(JournalEvent::Intent, "why")));
    EXPECT_TRUE(tries_.end(entry(JournalEvent::Unclear, "no answer")));
  }
  EXPECT_EQ(lines(), "intent why\nunclear no answer\nintent why\nunclear no answer\n");
}

TEST_F(TriesTest, AnIntentThatIsNoLongerTheSameIsWritten) {
  for (int time = 0; time < 3; ++time) refuse("unhealthy");
  model::JournalEntry approved = entry(JournalEvent::Intent, "why");
  approved.approved_by = "ops";
  EXPECT_TRUE(tries_.begin(approved));
  EXPECT_EQ(lines(), "intent why\nfailed unhealthy\nintent why\nfailed unhealthy\nintent why\n");
  EXPECT_EQ(journal_.entries.back().approved_by, "ops");
}

TEST_F(TriesTest, WhatIsTriedForLongIsSaidNowAndThen) {
  for (int time = 0; time < 4 * 60 * 5; ++time) refuse("unhealthy");
  EXPECT_GE(journal_.entries.size(), 10u);
  EXPECT_LE(journal_.entries.size(), 14u);
}

TEST_F(TriesTest, AStepThatIsNotTriedAnyMoreGetsItsEnd) {
  for (int time = 0; time < 3; ++time) refuse("unhealthy");
  EXPECT_TRUE(tries_.turn_to("add-member/c"));
  is_open();
  EXPECT_TRUE(tries_.turn_to(""));
  EXPECT_EQ(lines(), "intent why\nfailed unhealthy\nintent why\nfailed unhealthy\n");
  EXPECT_TRUE(tries_.turn_to(""));
  EXPECT_EQ(journal_.entries.size(), 4u);
  refuse("unhealthy");
  EXPECT_EQ(journal_.entries.size(), 5u);
}

TEST_F(TriesTest, AnotherStepEndsTheOneBefore) {
  for (int time = 0; time < 3; ++time) refuse("unhealthy");
  EXPECT_TRUE(tries_.begin(entry(JournalEvent::Intent, "why", "remove/1")));
  ASSERT_EQ(journal_.entries.size(), 5u);
  EXPECT_EQ(journal_.entries[3].event, JournalEvent::Failed);
  EXPECT_EQ(journal_.entries[3].step, "add-member/c");
  EXPECT_EQ(journal_.entries[4].step, "remove/1");
}

TEST_F(TriesTest, WhatTheJournalDoesNotTakeHasNotBegun) {
  journal_.full = true;
  EXPECT_FALSE(tries_.begin(entry(JournalEvent::Intent, "why")));
  EXPECT_FALSE(tries_.end(entry(JournalEvent::Failed, "unhealthy")));
  EXPECT_FALSE(tries_.begin(entry(JournalEvent::Intent, "why")));
  journal_.full = false;
  refuse("unhealthy");
  EXPECT_EQ(lines(), "intent why\nfailed unhealthy\n");
}

}  // namespace
}  // namespace quorate::loop
