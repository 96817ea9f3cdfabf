// What was set aside: what is deleted when it is old, and what never is.
#include "reconciler/loop/asides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/model/memory.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_host.h"
#include "tests/fakes/fake_node.h"
#include "tests/support/journal_in_memory.h"

namespace quorate::loop {
namespace {

using model::JournalEvent;
using std::chrono::hours;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr base::ClusterId kCluster{0xc};
constexpr base::Duration kWeek = hours{24 * 7};
constexpr base::Duration kDay = hours{24};

class AsidesTest : public testing::Test {
 protected:
  AsidesTest() {
    me_.name = "a";
    me_.data_dir = "/data/a";
    clock_.set(*base::parse_time("2026-11-18T17:07:11Z"));
  }

  // Beside the place of the member, of now.
  std::string set_aside(const std::string& label) {
    const std::string path = "/data/a.aside-20261118T170711Z-" + label;
    host_.files[path + "/member/snap/db"] = "db";
    return path;
  }
  std::string set_aside(base::MemberId member, base::ClusterId cluster = kCluster) {
    const std::string path = set_aside(base::to_string(member));
    host_.files[path + "/quorate.json"] = model::to_json(model::Marker{cluster, member, "a", "life", 1});
    return path;
  }
  void tend() { asides_.tend(me_, kCluster, kWeek, {}); }
  // Seen every hour, as an agent does.
  void pass(base::Duration time) {
    for (base::Duration passed{}; passed < time; passed += hours{1}) {
      tend();
      clock_.advance(hours{1});
    }
    tend();
  }
  bool is_there(const std::string& path) {
    return std::any_of(host_.files.begin(), host_.files.end(),
                       [&](const auto& file) { return file.first.rfind(path + "/", 0) == 0; });
  }

  std::vector<std::string> done_;
  fakes::FakeHost host_{done_};
  fakes::FakeNode node_;
  fakes::FakeClock clock_;
  support::JournalInMemory journal_;
  support::Said said_;
  model::Member me_;
  Asides asides_{{host_, node_, clock_, journal_, said_}};
};

}  // namespace

TEST_F(AsidesTest, DataOfThisClusterGoWhenTheyAreOldAndNotBefore) {
  const std::string path = set_aside(base::MemberId{0xa1});
  pass(kWeek - hours{1});
  EXPECT_TRUE(is_there(path));
  pass(hours{1});
  EXPECT_FALSE(is_there(path));
  EXPECT_THAT(said_.lines, ElementsAre(HasSubstr("deleted " + path)));
}

TEST_F(AsidesTest, EachDeletionIsOnRecordBeforeItIsMade) {
  const std::string path = set_aside(base::MemberId{0xa1});
  journal_.full = true;
  pass(kWeek);
  EXPECT_TRUE(is_there(path)) << "what cannot be written down is not done";
  journal_.full = false;
  pass(hours{2});
  EXPECT_FALSE(is_there(path));
  ASSERT_EQ(journal_.entries.size(), 2u);
  EXPECT_EQ(journal_.entries[0].event, JournalEvent::Intent);
  EXPECT_EQ(journal_.entries[0].step, "delete/" + path);
  EXPECT_EQ(journal_.entries[1].event, JournalEvent::Done);
}

TEST_F(AsidesTest, DataOfAnotherClusterWaitForPeople) {
  const std::string path = set_aside(base::MemberId{0xa1}, {0xbad});
  pass(2 * kWeek);
  EXPECT_TRUE(is_there(path));
}

TEST_F(AsidesTest, DataWhoseMarkerIsMissingBrokenOrOfAnotherMemberWaitForPeople) {
  const std::string bare = set_aside("unmarked");
  const std::string broken = set_aside(base::MemberId{0xa2});
  host_.files[broken + "/quorate.json"] = "{";
  const std::string other = set_aside(base::MemberId{0xa3});
  host_.files[other + "/quorate.json"] = model::to_json(model::Marker{kCluster, {0xa4}, "a", "life", 1});
  pass(2 * kWeek);
  EXPECT_TRUE(is_there(bare) && is_there(broken) && is_there(other));
}

TEST_F(AsidesTest, WhatARefusedStartHasLeftGoesIfThatIsStillAllThatIsThere) {
  const std::string path = set_aside("empty");
  pass(kWeek);
  EXPECT_FALSE(is_there(path));
}

TEST_F(AsidesTest, WhatIsCalledEmptyAndIsNotWaitsForPeople) {
  const std::string path = set_aside("empty");
  host_.files[path + "/default/member/wal/0.wal"] = "of another etcd";
  pass(2 * kWeek);
  EXPECT_TRUE(is_there(path));
  host_.files.erase(path + "/default/member/wal/0.wal");
  host_.files[path + "/member.bak/snap/db"] = "moved there by somebody";
  pass(kWeek);
  EXPECT_TRUE(is_there(path));
}

TEST_F(AsidesTest, ADatabaseThatWasUsedIsNotNothing) {
  const std::string path = set_aside("empty");
  model::DataDir used;
  used.state = model::DataState::Damaged;
  node_.data[path] = used;
  pass(2 * kWeek);
  EXPECT_TRUE(is_there(path));
}

TEST_F(AsidesTest, WhatWasKeptForPeopleIsKept) {
  const std::string path = set_aside("kept");
  host_.files[path + "/quorate.json"] = model::to_json(model::Marker{kCluster, {0xa1}, "a", "life", 1});
  pass(2 * kWeek);
  EXPECT_TRUE(is_there(path));
}

TEST_F(AsidesTest, NamesThatAreNotOursAreNotRead) {
  for (const char* name : {"/data/a.aside-", "/data/a.aside-yesterday-empty", "/data/a.aside-20261118T170711Z",
                           "/data/b.aside-20261118T170711Z-empty", "/data/a.aside-20261318T170711Z-empty"}) {
    host_.files[std::string(name) + "/x"] = "x";
  }
  pass(2 * kWeek);
  EXPECT_THAT(done_, IsEmpty());
}

TEST_F(AsidesTest, AClockThatIsSetForwardDeletesNothing) {
  const std::string path = set_aside(base::MemberId{0xa1});
  pass(2 * kDay);
  clock_.set(clock_.now() + 10 * kWeek);
  pass(hours{2});
  EXPECT_TRUE(is_there(path)) << "only two days have passed";
  pass(5 * kDay);
  EXPECT_FALSE(is_there(path));
}

TEST_F(AsidesTest, AnAgentThatStartsUnderAWrongClockWaitsADay) {
  const std::string path = set_aside(base::MemberId{0xa1});
  clock_.set(clock_.now() + 10 * kWeek);
  pass(kDay - hours{1});
  EXPECT_TRUE(is_there(path));
  clock_.set(*base::parse_time("2026-11-19T17:07:11Z"));  // somebody has noticed
  pass(kDay);
  EXPECT_TRUE(is_there(path));
}

TEST_F(AsidesTest, ALogThatHasAPlaceOfItsOwnGoesWithItsData) {
  me_.wal_dir = "/fast/a";
  const std::string path = set_aside(base::MemberId{0xa1});
  // A crash came between the two: their stamps differ.
  host_.files["/fast/a.aside-20261118T170702Z-a1/0.wal"] = "log";
  host_.files["/fast/a.aside-20261118T170711Z-a2/0.wal"] = "of another, whose data are still there";
  host_.files["/fast/a/0.wal"] = "log of now";
  pass(kWeek);
  EXPECT_FALSE(is_there(path));
  EXPECT_FALSE(is_there("/fast/a.aside-20261118T170702Z-a1"));
  EXPECT_TRUE(is_there("/fast/a.aside-20261118T170711Z-a2"));
  EXPECT_TRUE(is_there("/fast/a"));
}

TEST_F(AsidesTest, DataStayWhileTheirLogCannotBeDeleted) {
  me_.wal_dir = "/fast/a";
  const std::string path = set_aside(base::MemberId{0xa1});
  host_.files["/fast/a.aside-20261118T170711Z-a1/0.wal"] = "log";
  host_.broken = {"/fast/a.aside-20261118T170711Z-a1"};
  pass(kWeek);
  EXPECT_TRUE(is_there(path)) << "they tell whose the log is";
  EXPECT_THAT(said_.lines, ElementsAre(HasSubstr("could not delete")));
  host_.broken.clear();
  pass(hours{2});
  EXPECT_FALSE(is_there(path));
}

}  // namespace quorate::loop
