// A journal on a real disk, cut and broken at any place.
#include "reconciler/adapters/system/journal.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace quorate::adapters::system {
namespace {

using model::JournalEntry;
using testing::ElementsAre;
using testing::HasSubstr;

JournalEntry entry(const std::string& step, const std::string& text = "because") {
  JournalEntry made;
  made.at = base::Time{std::chrono::seconds{1'790'000'000}};
  made.event = model::JournalEvent::Intent;
  made.member = "a";
  made.plan = "p1";
  made.step = step;
  made.step_class = "heal";
  made.desired_digest = "d1";
  made.text = text;
  return made;
}

class Journal : public testing::Test {
 protected:
  std::string text(const std::string& suffix = "") const {
    std::ifstream file(path_ + suffix, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& content) const { std::ofstream(path_, std::ios::binary) << content; }
  std::vector<std::string> steps() {
    std::vector<std::string> names;
    const auto entries = journal_->read();
    EXPECT_TRUE(entries) << entries.error().message;
    for (const JournalEntry& each : entries.value_or(std::vector<JournalEntry>{})) names.push_back(each.step);
    return names;
  }

  tests::TempFolder folder_;
  std::string path_ = folder_ / "state/journal";
  std::unique_ptr<ports::Journal> journal_ = make_journal(path_);
};

TEST_F(Journal, GivesBackWhatWasAppendedInOrder) {
  EXPECT_THAT(steps(), ElementsAre());
  ASSERT_TRUE(journal_->append(entry("one", "line\nbreak \x1b[31m \xff")));
  ASSERT_TRUE(journal_->append(entry("two")));
  EXPECT_THAT(steps(), ElementsAre("one", "two"));
  EXPECT_EQ(journal_->read().value()[1], entry("two"));
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms(0600));
}

// Whatever a crash leaves of the second line, the first one is read, and the third one stands in a line of its own.
TEST_F(Journal, NeverMergesLinesWhereverACrashCutTheLastOne) {
  const std::string one = model::to_json_line(entry("one")) + "\n";
  const std::string two = model::to_json_line(entry("two")) + "\n";
  std::filesystem::create_directories(folder_ / "state");
  for (std::size_t left = 0; left < two.size(); ++left) {
    put(one + two.substr(0, left));
    ASSERT_THAT(steps(), ElementsAre("one")) << left;
    ASSERT_TRUE(journal_->append(entry("three")));
    ASSERT_THAT(steps(), ElementsAre("one", "three")) << left;
  }
}

TEST_F(Journal, TakesZerosAtItsEndForALineThatNeverReachedTheDisk) {
  const std::string one = model::to_json_line(entry("one")) + "\n";
  std::filesystem::create_directories(folder_ / "state");
  for (const std::string& rest : {std::string(5000, '\0'), std::string(5000, '\0') + "}\n",
                                  std::string(200'000, '\0') + "\"}\n", std::string(300'000, 'x')}) {
    put(one + rest);
    EXPECT_THAT(steps(), ElementsAre("one"));
    ASSERT_TRUE(journal_->append(entry("two")));
    EXPECT_THAT(steps(), ElementsAre("one", "two"));
  }
  put(std::string(200'000, '\0'));
  EXPECT_THAT(steps(), ElementsAre());
  ASSERT_TRUE(journal_->append(entry("two")));
  EXPECT_THAT(steps(), ElementsAre("two"));
}

TEST_F(Journal, NamesTheLineThatIsBrokenInItsMiddle) {
  ASSERT_TRUE(journal_->append(entry("one")));
  std::ofstream(path_, std::ios::app) << "{\"at\": 3}\n";
  ASSERT_TRUE(journal_->append(entry("three")));
  const auto entries = journal_->read();
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().kind, base::ErrorKind::Invalid);
  EXPECT_THAT(entries.error().message, HasSubstr(path_ + ":2"));
  EXPECT_FALSE(entries.error().help.empty());
}

TEST_F(Journal, BeginsASecondFileInsteadOfGrowingForEver) {
  journal_ = make_journal(path_, 2000);
  std::vector<std::string> all;
  for (int number = 0; number < 40; ++number) {
    all.push_back(std::to_string(number));
    ASSERT_TRUE(journal_->append(entry(all.back())));
    EXPECT_LE(std::filesystem::file_size(path_), 2000U);
  }
  const auto read = steps();
  EXPECT_GT(read.size(), 10U);
  EXPECT_EQ(read, std::vector<std::string>(all.end() - static_cast<std::ptrdiff_t>(read.size()), all.end()));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".2"));
  // A crash between the rename and the first line of the new file.
  std::filesystem::rename(path_, path_ + ".1");
  EXPECT_EQ(steps().back(), "39");
}

TEST_F(Journal, CutsTextsThatAreTooLongAndReadsThemBack) {
  ASSERT_TRUE(journal_->append(entry("one", std::string(1 << 20, '\x1b'))));
  ASSERT_TRUE(journal_->append(entry("two")));
  EXPECT_THAT(steps(), ElementsAre("one", "two"));
  EXPECT_FALSE(journal_->append(entry(std::string(1 << 20, 's'))));
  EXPECT_THAT(steps(), ElementsAre("one", "two"));
}

TEST_F(Journal, IsNeverALinkOrAFolder) {
  std::filesystem::create_directories(folder_ / "state");
  std::filesystem::create_symlink(folder_ / "elsewhere", path_);
  EXPECT_FALSE(journal_->append(entry("one")));
  EXPECT_FALSE(journal_->read());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(journal_->append(entry("one")));
  EXPECT_FALSE(journal_->read());
}

}  // namespace
}  // namespace quorate::adapters::system
