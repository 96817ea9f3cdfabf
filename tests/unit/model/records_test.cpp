// The agents' records in etcd: each is read back, none spoils another, and those of another cluster are void.
#include "reconciler/model/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr base::ClusterId kCluster{0xcdf818194e3a8c32};
constexpr base::ClusterId kOther{0xbad};
constexpr base::MemberId kMember{0xfd422379fda50e48};

base::Time noon() {
  return *base::parse_time("2026-09-24T12:00:00Z");
}
Record record(std::string_view key, std::string value, std::int64_t revision = 5) {
  return {std::string(key), std::move(value), revision};
}
Records read(std::vector<Record> records) {
  return read_records(records, kCluster);
}

Allowed permission() {
  return {"7f3a9c2e",
          {"remove/etcd-c@fd422379fda50e48", "promote/etcd-d"},
          "ann",
          noon(),
          "the disk is gone",
          false,
          "file",
          kCluster};
}

// One of each, written for one cluster.
std::vector<Record> one_of_each(base::ClusterId cluster) {
  const Formed formed{cluster, "d1", 2, {"a", "b"}};
  const Applied applied{"file", {"a", "b"}, cluster, Protect{3, 2, {StepClass::Heal, StepClass::Upgrade}}};
  return {record(kInForceKey, in_force_value(cluster, {"file", 4, 0}), 91),
          record(kFormedKey, formed_value(cluster, formed)),
          record(kAppliedKey, applied_value(cluster, applied)),
          record(kDoingKey, note_value(cluster, "promote/etcd-d by a")),
          record(kHealsKey, heals_value(cluster, {noon(), noon() - std::chrono::hours{1}})),
          record(kLastChangeKey, time_value(cluster, noon())),
          record(kPauseKey, paused_value(cluster, {"a switch", noon(), {"b"}})),
          record(kDataCheckKey, data_check_value(cluster, {500, false, "a has 1, b has 2"})),
          record(kLockKey, note_value(cluster, "a on node-1")),
          record(condemned_key(kMember), condemned_value(cluster, kMember)),
          record(adding_key({"https://10.0.0.9:2380"}), urls_value(cluster, {"https://10.0.0.9:2380"})),
          record(updating_key(kMember), updating_value(cluster, kMember, {"https://10.0.0.9:2380"})),
          record(allowed_key("7f3a9c2e", false), allowed_value(cluster, permission()))};
}

}  // namespace

TEST(Records, EachIsReadBackAsItWasWritten) {
  const Records all = read(one_of_each(kCluster));
  EXPECT_THAT(all.problems, IsEmpty());
  EXPECT_EQ(all.in_force.digest, "file");
  EXPECT_EQ(all.in_force.counter, 4);
  EXPECT_EQ(all.in_force.mod_revision, 91);
  ASSERT_TRUE(all.formed);
  EXPECT_EQ(*all.formed, (Formed{kCluster, "d1", 2, {"a", "b"}}));
  ASSERT_TRUE(all.applied);
  EXPECT_EQ(*all.applied,
            (Applied{"file", {"a", "b"}, kCluster, Protect{3, 2, {StepClass::Heal, StepClass::Upgrade}}}));
  EXPECT_THAT(all.heals, ElementsAre(noon(), noon() - std::chrono::hours{1}));
  EXPECT_EQ(all.last_change, noon());
  EXPECT_EQ(all.lock_owner, "a on node-1");
  EXPECT_EQ(all.data_check, (DataCheck{500, false, "a has 1, b has 2"}));
  EXPECT_THAT(all.announced.condemned, ElementsAre(kMember));
  EXPECT_THAT(all.announced.adding, ElementsAre(ElementsAre("https://10.0.0.9:2380")));
  ASSERT_EQ(all.announced.updating.size(), 1u);
  const Updating& updating = all.announced.updating.front();
  EXPECT_EQ(updating.member, kMember);
  EXPECT_THAT(updating.peer_urls, ElementsAre("https://10.0.0.9:2380"));
  EXPECT_TRUE(updating.in_flight) << "until somebody has seen it for long enough";
}

TEST(Records, APauseSaysWhatItHoldsUntilWhenAndWhy) {
  const Records all = read(one_of_each(kCluster));
  ASSERT_TRUE(all.paused);
  EXPECT_EQ(all.paused->reason, "a switch");
  EXPECT_EQ(all.paused->until, noon());
  EXPECT_THAT(all.paused->members, ElementsAre("b"));
}

TEST(Records, APermissionSaysWhoGaveItForWhat) {
  const Records all = read(one_of_each(kCluster));
  ASSERT_EQ(all.allowed.size(), 1u);
  const Allowed& allowed = all.allowed.front();
  EXPECT_EQ(allowed.what, permission().what);
  EXPECT_EQ(allowed.steps, permission().steps);
  EXPECT_EQ(allowed.by, "ann");
  EXPECT_EQ(allowed.until, noon());
  EXPECT_EQ(allowed.reason, "the disk is gone");
  EXPECT_FALSE(allowed.denied);
  EXPECT_EQ(allowed.desired_digest, "file");
  EXPECT_EQ(allowed.cluster, kCluster);
}

TEST(Records, OfAnotherClusterAreVoidAndNoProblem) {
  const Records all = read(one_of_each(kOther));
  EXPECT_THAT(all.problems, IsEmpty());
  EXPECT_EQ(all.in_force.digest, "");
  EXPECT_EQ(all.in_force.mod_revision, 91) << "whoever replaces it has to compare it";
  EXPECT_EQ(all.lock_owner, "");
  EXPECT_FALSE(all.formed || all.applied || all.last_change || all.paused || all.data_check);
  EXPECT_THAT(all.allowed, IsEmpty());
  EXPECT_EQ(all.announced, Announced{});
  EXPECT_THAT(all.heals, IsEmpty());
}

TEST(Records, OneThatCannotBeReadIsNamedAndSpoilsNoOther) {
  const std::vector<Record> good = one_of_each(kCluster);
  const std::string half = "{\"cluster\": \"" + base::to_string(kCluster) + "\"";
  for (const std::string& bad : {std::string(), std::string("junk"), std::string("[]"), half, half + "}",
                                 std::string("{\"cluster\": 7}"), std::string(1 << 20, ' ')}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::vector<Record> records = good;
      records[i].value = bad;
      const Records all = read(records);
      const bool read_by_nobody = records[i].key == kDoingKey || records[i].key == updating_key(kMember);
      if (read_by_nobody && bad == half + "}") continue;  // for people who look
      ASSERT_EQ(all.problems.size(), 1u) << records[i].key;
      EXPECT_THAT(all.problems.front(), HasSubstr(records[i].key));
      EXPECT_EQ(all.formed.has_value(), records[i].key != kFormedKey);
      EXPECT_EQ(all.last_change.has_value(), records[i].key != kLastChangeKey);
      EXPECT_EQ(all.lock_owner.empty(), records[i].key == kLockKey);
    }
  }
}

TEST(Records, HalfOfAListIsNotTakenForAll) {
  const std::string value =
      "{\"cluster\": \"" + base::to_string(kCluster) + "\", \"heals\": [\"2026-09-24T12:00:00Z\", \"yesterday\"]}";
  const Records all = read({record(kHealsKey, value)});
  EXPECT_THAT(all.heals, IsEmpty());
  EXPECT_THAT(all.problems, ElementsAre(HasSubstr("/heals/1")));
}

TEST(Records, AKeyThatNobodyKnowsIsLeftAlone) {
  const Records all = read({record("/quorate/of-a-later-release", note_value(kCluster, "x"))});
  EXPECT_THAT(all.problems, IsEmpty());
}

TEST(Records, KeysNameTheMemberInFull) {
  EXPECT_EQ(condemned_key(kMember), "/quorate/condemned/fd422379fda50e48");
  EXPECT_EQ(condemned_key({0x7}), "/quorate/condemned/0000000000000007");
  EXPECT_EQ(updating_key({0x7}), "/quorate/updating/0000000000000007");
  EXPECT_EQ(allowed_key("7f3a9c2e", false), "/quorate/allowed/yes/7f3a9c2e");
  EXPECT_EQ(allowed_key("7f3a9c2e", true), "/quorate/allowed/no/7f3a9c2e");  // neither replaces the other
}

TEST(Records, TheKeyOfAnAdditionIsThatOfItsUrlsInAnyOrder) {
  const std::string one = "https://10.0.0.9:2380";
  const std::string two = "https://[fd00::9]:2380";
  EXPECT_EQ(adding_key({one, two}), adding_key({two, one}));
  EXPECT_NE(adding_key({one, two}), adding_key({one}));
  EXPECT_NE(adding_key({one + two}), adding_key({one, two}));
  EXPECT_THAT(adding_key({one}), testing::StartsWith("/quorate/adding/"));
}

TEST(Records, WhateverPeopleWriteBecomesOneRecord) {
  Allowed allowed = permission();
  allowed.reason = "\"}\n\xff\x01 /quorate/";
  const Records all = read({record(allowed_key(allowed.what, false), allowed_value(kCluster, allowed))});
  EXPECT_THAT(all.problems, IsEmpty());
  EXPECT_EQ(all.allowed.size(), 1u);
}

}  // namespace quorate::model
