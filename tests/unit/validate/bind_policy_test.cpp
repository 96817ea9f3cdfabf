// What a file means about changing the cluster: healing, rollout, protection, pauses, adoption, drift.
#include <gmock/gmock.h>

#include "tests/support/desired_text.h"

namespace quorate::validate {
namespace {

using model::StepClass;
using std::chrono::minutes;
using std::chrono::seconds;
using support::desired_of;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kHead = "apiVersion: quorate/v1\nname: prod\n";
constexpr const char* kThree = "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}\n";
constexpr const char* kAdopt =
    "adopt: {clusterId: \"cdf818194e3a8c32\", endpoints: [\"https://10.9.0.1:2379\"], stage: join}\n";

model::Desired three_and(const std::string& rest) {
  return desired_of(std::string(kHead) + kThree + rest);
}

base::Time at(std::string_view text) {
  return base::parse_time(text).value();
}

// The codes of what is wrong with a text.
std::vector<std::string> codes_of(const std::string& text) {
  const auto loaded = load::load(model::Source("quorate.yaml", std::string(kHead) + text, "/srv"));
  std::vector<std::string> codes;
  for (const auto& finding : validate(*loaded.spec).findings) codes.emplace_back(model::info(finding.code).id);
  return codes;
}

}  // namespace

TEST(BindPolicy, AFileThatIsSilentMeansTheDefaultsOfTheModel) {
  const auto desired = three_and("");
  const model::Desired silent;
  EXPECT_EQ(desired.generation, silent.generation);
  EXPECT_EQ(desired.if_no_cluster, silent.if_no_cluster);
  EXPECT_EQ(desired.reconcile.apply, silent.reconcile.apply);
  EXPECT_EQ(desired.reconcile.every, silent.reconcile.every);
  EXPECT_EQ(desired.reconcile.health_every, silent.reconcile.health_every);
  EXPECT_EQ(desired.recovery.open_when, silent.recovery.open_when);
  EXPECT_EQ(desired.keep_old_data, silent.keep_old_data);
  EXPECT_EQ(desired.settle, silent.settle);
  EXPECT_EQ(desired.stop_timeout, silent.stop_timeout);
  EXPECT_EQ(desired.members[0].agent_port, model::Member{}.agent_port);
  EXPECT_THAT(desired.approvals, IsEmpty());
  EXPECT_EQ(desired.reconcile.self_heal, silent.reconcile.self_heal);
  EXPECT_EQ(desired.reconcile.dead_after, silent.reconcile.dead_after);
  EXPECT_EQ(desired.reconcile.max_heals_per_day, silent.reconcile.max_heals_per_day);
  EXPECT_EQ(desired.protect.min_voters, silent.protect.min_voters);
  EXPECT_EQ(desired.protect.max_removals, silent.protect.max_removals);
  EXPECT_EQ(desired.protect.approve, silent.protect.approve);
  EXPECT_EQ(desired.rollout.order, silent.rollout.order);
  EXPECT_EQ(desired.rollout.soak, silent.rollout.soak);
  EXPECT_EQ(desired.drift.delay, silent.drift.delay);
  EXPECT_THAT(desired.drift.ignore, IsEmpty());
  EXPECT_THAT(desired.lost, IsEmpty());
  EXPECT_FALSE(desired.paused);
  EXPECT_FALSE(desired.adopt);
  EXPECT_TRUE(desired.members[0].managed);
  EXPECT_FALSE(desired.members[0].retire);
  EXPECT_FALSE(desired.members[0].lost);
}

TEST(BindPolicy, EachFieldArrives) {
  const auto desired = three_and(
      "generation: 7\nbootstrap: {ifNoCluster: restore-or-new}\nrecovery: {openWhen: first}\n"
      "reconcile: {apply: manual, every: 2m, healthEvery: 5s, selfHeal: all, deadAfter: 90s, maxHealsPerDay: 0}\n"
      "runtime: {type: process, settle: 3m, stopTimeout: 1m}\nstorage: {keepOldData: 14d}\n"
      "protect: {minVoters: 3, maxRemovals: 2, approve: [upgrade, restore]}\n"
      "rollout: {order: name, soak: 2m}\n"
      "drift: {for: 10m, ignore: [{path: etcd.quota, reason: by hand, until: \"2026-10-01T00:00:00Z\"},\n"
      "                           {path: labels.team, reason: moved}]}\n");
  EXPECT_EQ(desired.generation, 7);
  EXPECT_EQ(desired.if_no_cluster, model::IfNoCluster::RestoreOrNew);
  EXPECT_EQ(desired.recovery.open_when, model::OpenWhen::First);
  EXPECT_EQ(desired.reconcile.apply, model::ApplyMode::Manual);
  EXPECT_EQ(desired.reconcile.every, minutes(2));
  EXPECT_EQ(desired.reconcile.health_every, seconds(5));
  EXPECT_EQ(desired.settle, minutes(3));
  EXPECT_EQ(desired.stop_timeout, minutes(1));
  EXPECT_EQ(desired.keep_old_data, std::chrono::hours(24 * 14));
  EXPECT_EQ(desired.reconcile.self_heal, model::SelfHeal::All);
  EXPECT_EQ(desired.reconcile.dead_after, seconds(90));
  EXPECT_EQ(desired.reconcile.max_heals_per_day, 0);
  EXPECT_EQ(desired.protect.min_voters, 3);
  EXPECT_EQ(desired.protect.max_removals, 2);
  EXPECT_THAT(desired.protect.approve, ElementsAre(StepClass::Upgrade, StepClass::Restore));
  EXPECT_EQ(desired.rollout.order, model::RolloutOrder::Name);
  EXPECT_EQ(desired.rollout.soak, minutes(2));
  EXPECT_EQ(desired.drift.delay, minutes(10));
  ASSERT_EQ(desired.drift.ignore.size(), 2U);
  EXPECT_EQ(desired.drift.ignore[0].path, "etcd.quota");
  EXPECT_EQ(desired.drift.ignore[0].reason, "by hand");
  EXPECT_EQ(desired.drift.ignore[0].until, at("2026-10-01T00:00:00Z"));
  EXPECT_FALSE(desired.drift.ignore[1].until);
}

TEST(BindPolicy, NobodyNeedsToAgreeWhenTheListIsEmpty) {
  EXPECT_THAT(three_and("protect: {approve: []}\n").protect.approve, IsEmpty());
}

TEST(BindPolicy, EachWordOfAChoiceIsItsOwn) {
  using model::IfNoCluster;
  const auto when_none = [](const std::string& word) {
    return three_and("bootstrap: {ifNoCluster: " + word + "}\n").if_no_cluster;
  };
  EXPECT_EQ(when_none("wait"), IfNoCluster::Wait);
  EXPECT_EQ(when_none("restore"), IfNoCluster::Restore);
  EXPECT_EQ(when_none("new"), IfNoCluster::New);
  EXPECT_EQ(three_and("reconcile: {selfHeal: \"off\"}\n").reconcile.self_heal, model::SelfHeal::Off);
  EXPECT_EQ(three_and("reconcile: {selfHeal: safe}\n").reconcile.self_heal, model::SelfHeal::Safe);
}

TEST(BindPolicy, APauseNamesItsMembersOrMeansEverything) {
  const auto some =
      three_and("paused: {reason: new disks, until: \"2026-09-24T17:00:00Z\", members: [etcd-b]}\n").paused;
  ASSERT_TRUE(some);
  EXPECT_EQ(some->reason, "new disks");
  EXPECT_EQ(some->until, at("2026-09-24T17:00:00Z"));
  EXPECT_THAT(some->members, ElementsAre("etcd-b"));
  EXPECT_THAT(three_and("paused: {reason: new disks, until: 2026-09-24T17:00:00Z}\n").paused->members, IsEmpty());
}

TEST(BindPolicy, AnAdoptionHasItsClusterItsEndpointsAndItsStage) {
  const auto desired = desired_of(std::string(kHead) +
                                  "members: {boot-0: {address: 10.9.0.1, managed: false, retire: true}, cp-0: "
                                  "10.9.1.1}\n" +
                                  kAdopt);
  ASSERT_TRUE(desired.adopt);
  EXPECT_EQ(desired.adopt->cluster.value, 0xcdf818194e3a8c32U);
  ASSERT_EQ(desired.adopt->endpoints.size(), 1U);
  EXPECT_EQ(base::to_string(desired.adopt->endpoints[0]), "https://10.9.0.1:2379");
  EXPECT_EQ(desired.adopt->stage, model::AdoptStage::Join);
  EXPECT_FALSE(desired.members[0].managed);
  EXPECT_TRUE(desired.members[0].retire);
  EXPECT_TRUE(desired.members[1].managed);
}

TEST(BindPolicy, AnApprovalNamesItsStepItsClusterAndItsEnd) {
  const auto approvals = three_and(
                             "approvals:\n"
                             "  - {step: \"remove/etcd-d@fd422379fda50e48\", cluster: \"cdf818194e3a8c32\", by: ana,\n"
                             "     until: \"2026-09-25T16:00:00Z\"}\n"
                             "  - {step: set-data-aside/etcd-c, cluster: \"1\", until: \"2026-09-26T16:00:00Z\"}\n")
                             .approvals;
  ASSERT_EQ(approvals.size(), 2U);
  EXPECT_EQ(approvals[0].step, "remove/etcd-d@fd422379fda50e48");
  EXPECT_EQ(approvals[0].cluster.value, 0xcdf818194e3a8c32U);
  EXPECT_EQ(approvals[0].by, "ana");
  EXPECT_EQ(approvals[0].until, at("2026-09-25T16:00:00Z"));
  EXPECT_EQ(approvals[1].by, "");
}

TEST(BindPolicy, AMemberIsLostByItsIdOrBecauseItNeverHadOne) {
  const auto desired = desired_of(std::string(kHead) +
                                  "members:\n  a: {address: 10.0.0.1, lost: never}\n"
                                  "  b: {address: 10.0.0.2, lost: \"fd422379fda50e48\"}\n  c: 10.0.0.3\n"
                                  "lost: [\"8211f1d0f64f3269\", \"91e3\"]\n");
  ASSERT_TRUE(desired.members[0].lost && desired.members[1].lost);
  EXPECT_FALSE(desired.members[0].lost->id);
  EXPECT_EQ(desired.members[1].lost->id, base::MemberId{0xfd422379fda50e48U});
  EXPECT_THAT(desired.lost, ElementsAre(base::MemberId{0x8211f1d0f64f3269U}, base::MemberId{0x91e3U}));
}

TEST(BindPolicy, FieldsKnowTheirLines) {
  const auto desired = desired_of(std::string(kHead) +
                                  "members:\n"
                                  "  etcd-b: {address: 10.0.0.12}\n"
                                  "  etcd-a: 10.0.0.11\n"
                                  "  etcd-c:\n"
                                  "    address: 10.0.0.13\n"
                                  "    zone: a\n"
                                  "etcd:\n"
                                  "  version: \"3.5.21\"\n"
                                  "  flags:\n"
                                  "    max-txn-ops: 256\n"
                                  "x-note: {deep: 1}\n");
  EXPECT_EQ(desired.file, "quorate.yaml");
  EXPECT_EQ(desired.members[0].line, 5);
  EXPECT_EQ(desired.members[1].line, 4);
  EXPECT_EQ(desired.lines.at("name"), 2);
  EXPECT_EQ(desired.lines.at("members"), 3);
  EXPECT_EQ(desired.lines.at("members.etcd-a"), 5);
  EXPECT_EQ(desired.lines.at("members.etcd-c.zone"), 8);
  EXPECT_EQ(desired.lines.at("etcd.version"), 10);
  EXPECT_EQ(desired.lines.at("etcd.flags.max-txn-ops"), 12);
  EXPECT_EQ(desired.lines.count("x-note"), 0U);
  EXPECT_EQ(desired.lines.count("etcd.quota"), 0U);
}

TEST(BindPolicy, MembersThatSizeMakesHaveNoLine) {
  const auto desired =
      desired_of(std::string(kHead) + "size: 3\nruntime: {type: kubernetes}\netcd: {version: \"3.5.21\"}\n");
  ASSERT_EQ(desired.members.size(), 3U);
  EXPECT_EQ(desired.members[0].line, 0);
  EXPECT_EQ(desired.lines.at("size"), 3);
}

TEST(BindPolicy, AnEnvelopeMovesNoLine) {
  const auto desired = desired_of(
      "apiVersion: quorate/v1\nkind: EtcdCluster\nmetadata: {name: prod}\nspec:\n"
      "  generation: 2\n  members:\n    a: 10.0.0.1\n");
  EXPECT_EQ(desired.lines.at("generation"), 5);
  EXPECT_EQ(desired.members[0].line, 7);
}

TEST(Policy, AnEvenNumberOfVotersIsRightDuringAMove) {
  const std::string members =
      "members: {boot-0: {address: 10.9.0.1, managed: false}, cp-0: {address: 10.9.1.1, zone: a}}\n";
  EXPECT_THAT(codes_of(members + kAdopt), IsEmpty());
  std::string done = kAdopt;
  done.replace(done.find("join"), 4, "done");
  EXPECT_THAT(codes_of(members + done), ElementsAre("W201"));
}

TEST(Policy, WhatRetiresIsNoVoterOfTheClusterThatIsWanted) {
  const std::string two_zones =
      "members:\n  a: {address: 10.0.0.1, zone: a}\n  b: {address: 10.0.0.2, zone: b}\n"
      "  c: {address: 10.0.0.3, zone: c}\n  d: {address: 10.0.0.4, zone: a";
  EXPECT_THAT(codes_of(two_zones + "}\n"), ElementsAre("W201", "W206"));
  EXPECT_THAT(codes_of(two_zones + ", retire: true}\n"), IsEmpty());
}

TEST(Policy, WhereAnUnmanagedMemberKeepsItsFilesIsNotAskedFor) {
  // One node, one unit and one directory: with both managed each of these is a mistake.
  EXPECT_THAT(codes_of("members:\n  old: {address: 10.0.0.1, node: n1, managed: false, storage: {dir: /data}}\n"
                       "  a: {address: 10.0.0.2, node: n1, storage: {dir: /data}}\n"
                       "runtime: {type: systemd}\n" +
                       std::string(kAdopt)),
              IsEmpty());
}

TEST(Policy, ADoubledListIsReportedOnceForEachRepetition) {
  EXPECT_THAT(codes_of(std::string(kThree) + "protect: {approve: [heal, heal, heal]}\n"), ElementsAre("E126", "E126"));
}

TEST(Policy, MinVotersOfAFileWithMistakesInItsMembersIsNotJudged) {
  EXPECT_THAT(codes_of("members: {}\nprotect: {minVoters: 3}\n"), ElementsAre("E107"));
}

}  // namespace quorate::validate
