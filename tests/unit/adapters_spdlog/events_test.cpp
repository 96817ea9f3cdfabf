// Events as they arrive in a file.
#include "reconciler/adapters/spdlog/events.h"

#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/base/time.h"
#include "tests/support/temp_folder.h"

namespace quorate::log {
namespace {

using ports::EventLevel;
using testing::MatchesRegex;

class Events : public testing::Test {
 protected:
  void SetUp() override { file_ = ::open(path_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600); }
  void TearDown() override {
    ::close(file_);
    ::unsetenv("JOURNAL_STREAM");
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream file(path_, std::ios::binary);
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }
  std::string say(EventFormat format, EventLevel level, const std::string& text) {
    make_events({format, EventLevel::Debug, file_})->say(level, text);
    return lines().empty() ? "" : lines().back();
  }
  std::string stream_of_file() const {
    struct stat about {};
    EXPECT_EQ(::fstat(file_, &about), 0);
    return std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino);
  }

  tests::TempFolder folder_;
  std::string path_ = folder_ / "log";
  int file_ = -1;
};

TEST_F(Events, AreLinesWithTheTimeInUtc) {
  const std::string line = say(EventFormat::Text, EventLevel::Warning, "member b is silent");
  EXPECT_THAT(line, MatchesRegex("[0-9-]+T[0-9:.]+Z warning: member b is silent"));
  EXPECT_TRUE(base::parse_time(line.substr(0, line.find(' '))));
}

TEST_F(Events, HaveNoTimeWhereTheJournalKeepsIt) {
  ASSERT_EQ(::setenv("JOURNAL_STREAM", stream_of_file().c_str(), 1), 0);
  EXPECT_TRUE(goes_to_the_journal(file_));
  EXPECT_EQ(say(EventFormat::Text, EventLevel::Info, "hello"), "info: hello");
  ASSERT_EQ(::setenv("JOURNAL_STREAM", "1:2", 1), 0);
  EXPECT_FALSE(goes_to_the_journal(file_));
  EXPECT_FALSE(goes_to_the_journal(-1));
}

TEST_F(Events, CarryThePriorityForTheJournal) {
  EXPECT_EQ(say(EventFormat::Journal, EventLevel::Debug, "a"), "<7>a");
  EXPECT_EQ(say(EventFormat::Journal, EventLevel::Info, "a"), "<6>a");
  EXPECT_EQ(say(EventFormat::Journal, EventLevel::Warning, "a"), "<4>a");
  EXPECT_EQ(say(EventFormat::Journal, EventLevel::Error, "a"), "<3>a");
}

TEST_F(Events, AreJsonForPrograms) {
  const auto line =
      nlohmann::json::parse(say(EventFormat::Json, EventLevel::Error, "gr\xc3\xbc\xc3\x9f \"you\"\n\x1b[2J"));
  EXPECT_EQ(line["level"], "error");
  EXPECT_EQ(line["text"], "gr\xc3\xbc\xc3\x9f \"you\"\n\x1b[2J");
  EXPECT_TRUE(base::parse_time(line["time"].get<std::string>()));
}

TEST_F(Events, GiveATerminalNothingToObey) {
  const std::string evil =
      "a\x1b[2J\nb\r\x07\x7f\xc2\x9b"
      "31m\xe2\x80\xae\xff{}%s";
  for (const EventFormat format : {EventFormat::Text, EventFormat::Journal, EventFormat::Json}) {
    const std::size_t before = lines().size();
    const std::string line = say(format, EventLevel::Info, evil);
    EXPECT_EQ(lines().size(), before + 1);
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c != '\x7f') << line;
    EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(line.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_NE(line.find("{}%s"), std::string::npos);
  }
}

TEST_F(Events, BelowTheLevelAreNotSaid) {
  const auto events = make_events({EventFormat::Journal, EventLevel::Warning, file_});
  events->say(EventLevel::Debug, "no");
  events->say(EventLevel::Info, "no");
  events->say(EventLevel::Warning, "yes");
  events->say(EventLevel::Error, "yes");
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(Events, OfSeveralThreadsStayWholeLines) {
  const auto events = make_events({EventFormat::Journal, EventLevel::Info, file_});
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&] {
      for (int time = 0; time < 250; ++time) events->say(EventLevel::Info, std::string(300, 'x'));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto all = lines();
  EXPECT_EQ(all.size(), 1000U);
  for (const std::string& line : all) EXPECT_EQ(line, "<6>" + std::string(300, 'x'));
}

TEST_F(Events, ThatCannotBeWrittenAreLostAndNothingElse) {
  make_events({EventFormat::Text, EventLevel::Info, -1})->say(EventLevel::Error, "nobody reads this");
}

}  // namespace
}  // namespace quorate::log
