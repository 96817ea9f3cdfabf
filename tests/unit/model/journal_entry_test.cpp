// Lines of the journal: one per entry, whatever stands in it, and a line that is none is refused.
#include "reconciler/model/journal_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quorate::model {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

JournalEntry failure() {
  JournalEntry entry;
  entry.at = *base::parse_time("2026-09-24T12:00:00Z");
  entry.event = JournalEvent::Failed;
  entry.member = "etcd-a";
  entry.plan = "7f3a9c2e";
  entry.step = "remove/etcd-c@fd422379fda50e48";
  entry.step_class = "heal";
  entry.desired_digest = "file";
  entry.text = "etcdserver: unhealthy cluster";
  return entry;
}

}  // namespace

TEST(JournalEntry, IsReadBackAsItWasWritten) {
  for (const auto event : {JournalEvent::Intent, JournalEvent::Done, JournalEvent::Failed, JournalEvent::Unclear}) {
    JournalEntry entry = failure();
    entry.event = event;
    const auto read = read_journal_line(to_json_line(entry), "journal:1");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, entry);
  }
}

TEST(JournalEntry, NamesWhoApprovedItWhereSomebodyDid) {
  JournalEntry entry = failure();
  EXPECT_THAT(to_json_line(entry), Not(HasSubstr("approved"))) << "as older releases wrote it";
  entry.approved_by = "ops@example.com";
  entry.approved_why = "the rack is gone";
  const auto read = read_journal_line(to_json_line(entry), "journal:1");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, entry);
}

TEST(JournalEntry, StaysOnOneLineWhateverTheErrorSaid) {
  JournalEntry entry = failure();
  entry.text = "two\nlines\r and a \"quote\" and \x01";
  const std::string line = to_json_line(entry);
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  EXPECT_EQ(read_journal_line(line, "journal:1")->text, entry.text);
  entry.text = "no UTF-8: \xff\xfe";
  EXPECT_TRUE(read_journal_line(to_json_line(entry), "journal:1"));
}

TEST(JournalEntry, BeginsWithItsTimeForPeopleWhoReadTheFile) {
  EXPECT_THAT(to_json_line(failure()), testing::StartsWith("{\"at\":\"2026-09-24T12:00:00Z\",\"event\":\"failed\""));
}

TEST(JournalEntry, ALineWithoutAnyOfItsFieldsIsNoEntry) {
  const json all = json::parse(to_json_line(failure()));
  for (const auto& [key, value] : all.items()) {
    json line = json::parse(to_json_line(failure()));
    line.erase(key);
    const auto read = read_journal_line(line.dump(), "journal:7");
    ASSERT_FALSE(read) << key;
    EXPECT_THAT(read.error().message, HasSubstr("journal:7"));
  }
}

TEST(JournalEntry, OtherLinesAreNoEntries) {
  for (const char* line : {"", "{", "[]", "null", "{\"at\": \"yesterday\"}"}) {
    EXPECT_FALSE(read_journal_line(line, "journal:1")) << line;
  }
  json line = json::parse(to_json_line(failure()));
  line["event"] = "dreamt";
  EXPECT_THAT(read_journal_line(line.dump(), "journal:1").error().message, HasSubstr("intent, done, failed, unclear"));
}

}  // namespace quorate::model
