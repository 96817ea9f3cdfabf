// Version quirks: each border of each range, and what an incomplete or unknown version is taken for.
#include "reconciler/model/etcd_release.h"

#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace quorate::model {
namespace {

base::Version version(const std::string& text) {
  return base::parse_version(text).value();
}

TEST(EtcdRelease, AddingNeedsAllVotersUntil3_5_30And3_6_11) {
  for (const char* text : {"3.4.0", "3.4.23", "3.4.45", "3.5.0", "3.5.16", "3.5.29", "3.6.0", "3.6.10", "3.5"}) {
    EXPECT_TRUE(add_needs_all_voters(version(text))) << text;
  }
  for (const char* text : {"3.5.30", "3.5.33", "3.6.11", "3.7.0", "3.7", "4.0.0"}) {
    EXPECT_FALSE(add_needs_all_voters(version(text))) << text;
  }
}

TEST(EtcdRelease, UpdatingALearnerMakesItAVoterUntil3_5_31And3_6_12) {
  for (const char* text : {"3.4.23", "3.5.30", "3.6.11", "3.5", "3.6"}) {
    EXPECT_TRUE(member_update_makes_learner_a_voter(version(text))) << text;
  }
  for (const char* text : {"3.5.31", "3.6.12", "3.7.0"}) {
    EXPECT_FALSE(member_update_makes_learner_a_voter(version(text))) << text;
  }
}

TEST(EtcdRelease, ListsLinearizablyAndSendsSnapshotsFromLearnersFrom3_5On) {
  EXPECT_FALSE(can_list_linearizably(version("3.4.45")));
  EXPECT_FALSE(learner_sends_snapshots(version("3.4.45")));
  EXPECT_TRUE(can_list_linearizably(version("3.5.0")));
  EXPECT_TRUE(learner_sends_snapshots(version("3.6.1")));
}

TEST(EtcdRelease, DefragmentingBesideASnapshotIsSafeFrom3_4_38And3_5_23And3_6_5On) {
  for (const char* text : {"3.4.37", "3.5.22", "3.6.4"}) {
    EXPECT_TRUE(defragment_beside_snapshot_corrupts(version(text))) << text;
  }
  for (const char* text : {"3.4.38", "3.5.23", "3.6.5", "3.7.0"}) {
    EXPECT_FALSE(defragment_beside_snapshot_corrupts(version(text))) << text;
  }
}

TEST(EtcdRelease, MinorsFollowEachOtherOneAtATimeAndNeverDown) {
  EXPECT_TRUE(may_follow({3, 5}, {3, 5}));
  EXPECT_TRUE(may_follow({3, 4}, {3, 5}));
  EXPECT_TRUE(may_follow({3, 6}, {3, 7}));
  EXPECT_FALSE(may_follow({3, 4}, {3, 6}));
  EXPECT_FALSE(may_follow({3, 5}, {3, 4}));
  EXPECT_FALSE(may_follow({3, 5}, {4, 5}));
}

TEST(EtcdRelease, NamesTheGravestFaultAndTheReleaseWithoutIt) {
  for (const auto& [text, harm, loses_data, fixed_in] : {std::tuple("3.5.0", Harm::Data, true, "3.5.6"),
                                                         {"3.5.4", Harm::Data, true, "3.5.6"},
                                                         {"3.5", Harm::Data, true, "3.5.6"},
                                                         {"3.5.5", Harm::Data, true, "3.5.6"},
                                                         {"3.5.6", Harm::Membership, false, "3.5.26"},
                                                         {"3.5.16", Harm::Membership, false, "3.5.26"},
                                                         {"3.5.26", Harm::Security, false, "3.5.33"},
                                                         {"3.4.23", Harm::Security, false, "3.4.44"},
                                                         {"3.6.4", Harm::Security, false, "3.6.14"},
                                                         {"3.7.0", Harm::Security, false, "3.7.1"}}) {
    const KnownBad* bad = known_bad(version(text));
    ASSERT_NE(bad, nullptr) << text;
    EXPECT_EQ(bad->harm, harm) << text;
    EXPECT_EQ(bad->loses_data, loses_data) << text;
    EXPECT_EQ(bad->fixed_in, fixed_in) << text;
    EXPECT_FALSE(bad->reason.empty() || bad->issue.empty()) << text;
  }
  for (const char* text : {"3.4.44", "3.5.33", "3.6.14", "3.7.1", "3.8.0"}) {
    EXPECT_EQ(known_bad(version(text)), nullptr) << text;
  }
}

TEST(EtcdRelease, SaysWhichReleaseHasNoneOfTheFaults) {
  EXPECT_EQ(first_good(version("3.5.2")), version("3.5.33"));
  EXPECT_EQ(first_good(version("3.4.23")), version("3.4.44"));
  EXPECT_EQ(first_good(version("3.5.33")), std::nullopt);
}

TEST(EtcdRelease, EveryFaultOfAVersionIsListedAndNoOther) {
  const auto faults = known_faults(version("3.5.20"));
  ASSERT_EQ(faults.size(), 4u);
  EXPECT_EQ(faults[0]->issue, "etcd-io/etcd#20967");
  EXPECT_EQ(faults[3]->issue, "CVE-2026-44283");
  for (const KnownBad* fault : faults) {
    EXPECT_EQ("3.5." + std::to_string(fault->fixed), fault->fixed_in);
  }
}

}  // namespace
}  // namespace quorate::model
