// What an agent says at its start of what its earlier life has left open.
#include "reconciler/loop/interrupted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/support/journal_in_memory.h"

namespace quorate::loop {
namespace {

using model::JournalEvent;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

model::JournalEntry entry(JournalEvent event, const std::string& step) {
  model::JournalEntry entry;
  entry.event = event;
  entry.member = "a";
  entry.plan = "p1";
  entry.step = step;
  return entry;
}

}  // namespace

TEST(Interrupted, AnIntentWithoutAnEndIsSaidOnce) {
  fakes::FakeClock clock;
  support::JournalInMemory journal;
  support::Said said;
  journal.entries = {entry(JournalEvent::Intent, "remove/1"), entry(JournalEvent::Done, "remove/1"),
                     entry(JournalEvent::Intent, "promote/2"), entry(JournalEvent::Failed, "promote/2"),
                     entry(JournalEvent::Intent, "remove/1")};
  tell_interrupted(journal, clock, said, "a");
  EXPECT_THAT(said.lines, ElementsAre(HasSubstr("a: was interrupted in remove/1")));
  EXPECT_EQ(journal.entries.back().event, JournalEvent::Unclear);
  EXPECT_EQ(journal.entries.back().step, "remove/1");
  EXPECT_EQ(journal.entries.back().plan, "p1");
  said.lines.clear();
  tell_interrupted(journal, clock, said, "a");
  EXPECT_THAT(said.lines, IsEmpty());
}

TEST(Interrupted, WhatEndedIsNotSaid) {
  fakes::FakeClock clock;
  support::JournalInMemory journal;
  support::Said said;
  journal.entries = {entry(JournalEvent::Intent, "remove/1"), entry(JournalEvent::Unclear, "remove/1")};
  tell_interrupted(journal, clock, said, "a");
  EXPECT_THAT(said.lines, IsEmpty());
  EXPECT_EQ(journal.entries.size(), 2u);
}

}  // namespace quorate::loop
