// What an agent does to its own machine, in which order, and what it leaves alone.
#include "renderers/registry.h"
#include "tests/unit/apply/scene.h"

namespace quorate::apply {
namespace {

using base::ErrorKind;
using model::BootMode;
using model::DataState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kMemory = "write /s/prod/a/memory.json";
constexpr const char* kConfig = "write /s/prod/a/etcd.yaml";

class NodeSteps : public SceneTest {
 protected:
  // The step that the planner makes for this file.
  model::WriteManifest write(BootMode boot) {
    const model::Member& a = desired_.members[0];
    const renderers::Boot keep = renderers::BootKeep{};
    const auto bundle = renderers::render_member({desired_, a, keep, renderers::config_path("/s", desired_, a)});
    EXPECT_TRUE(bundle);
    return {"a", bundle->digest, boot, ""};
  }
  void promise(const std::string& decision) { memory_.promised = decision; }
  void expect_untouched(const base::Result<void>& result, ErrorKind kind) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, kind) << result.error().message;
    EXPECT_THAT(done_, IsEmpty());
  }
  std::string in_data(const std::string& name) { return desired_.members[0].data_dir + "/" + name; }
};

}  // namespace

// ---------------------------------------------------------------------------------------------------------- promising
TEST_F(NodeSteps, APromiseIsOnTheDiskBeforeAnybodyHearsOfIt) {
  ASSERT_TRUE(carry_out(model::Promise{"a", "d1"}));
  EXPECT_EQ(remembered().promised, "d1");
  EXPECT_THAT(remembered().promised_with, ElementsAre("a", "b", "c"));
}

TEST_F(NodeSteps, APromiseThatTheDiskDidNotTakeWasNotMade) {
  host_.broken = {"/s/prod/a/memory.json"};
  ASSERT_FALSE(carry_out(model::Promise{"a", "d1"}));
  EXPECT_EQ(memory_.promised, "");
}

TEST_F(NodeSteps, APromiseCanBeReplacedUntilItHasBegun) {
  ASSERT_TRUE(carry_out(model::Promise{"a", "d1"}));
  ASSERT_TRUE(carry_out(model::Promise{"a", "d2"}));
  EXPECT_EQ(remembered().promised, "d2");
  memory_.started = "d2";
  done_.clear();
  expect_untouched(carry_out(model::Promise{"a", "d3"}), ErrorKind::Refused);
  EXPECT_EQ(remembered().promised, "d2");
  EXPECT_EQ(memory_.promised, "d2");
}

TEST_F(NodeSteps, WhoHoldsDataOrCannotTellPromisesNothing) {
  for (const auto state : {DataState::Valid, DataState::Damaged, DataState::Foreign, DataState::Reverted}) {
    look_at_a(state);
    expect_untouched(carry_out(model::Promise{"a", "d1"}), ErrorKind::Conflict);
  }
  node("a").data = model::Fact<model::DataDir>::unknown("permission denied");
  expect_untouched(carry_out(model::Promise{"a", "d1"}), ErrorKind::Conflict);
}

// ------------------------------------------------------------------------------------------------------------ starting
TEST_F(NodeSteps, ItIsRememberedThenWrittenThenStarted) {
  promise("d1");
  ASSERT_TRUE(carry_out(write(BootMode::New)));
  EXPECT_THAT(done_, ElementsAre(kMemory, "stop", kConfig, "start"));
  EXPECT_EQ(remembered().started, "d1");
  EXPECT_THAT(runtime_.launched.args, ElementsAre("--config-file", "/s/prod/a/etcd.yaml"));
  EXPECT_EQ(runtime_.launched.program, "/usr/bin/etcd");
  EXPECT_THAT(host_.files["/s/prod/a/etcd.yaml"], HasSubstr("prod-d1"));
}

TEST_F(NodeSteps, WhatCannotBeRememberedIsNotBegun) {
  promise("d1");
  host_.broken = {"/s/prod/a/memory.json"};
  expect_untouched(carry_out(write(BootMode::New)), ErrorKind::Transient);
}

TEST_F(NodeSteps, FilesThatCannotBeWrittenAreNotStartedFrom) {
  promise("d1");
  host_.broken = {"/s/prod/a/etcd.yaml"};
  ASSERT_FALSE(carry_out(write(BootMode::New)));
  EXPECT_THAT(done_, ElementsAre(kMemory, "stop"));
}

TEST_F(NodeSteps, AFounderThatPromisedNothingDoesNotStart) {
  expect_untouched(carry_out(write(BootMode::New)), ErrorKind::Conflict);
}

TEST_F(NodeSteps, AFounderStartsUnderNoSecondDecision) {
  promise("d2");
  memory_.started = "d1";
  expect_untouched(carry_out(write(BootMode::New)), ErrorKind::Refused);
}

TEST_F(NodeSteps, AFounderThatHasHeldDataDoesNotStartFromNothing) {
  promise("d1");
  memory_.started = "d1";
  memory_.initialised = true;
  expect_untouched(carry_out(write(BootMode::New)), ErrorKind::Refused);
}

TEST_F(NodeSteps, Attack9_TheFileSystemIsRememberedBeforeAnythingIsThere) {
  node("a").data.get()->filesystem = "8:1";
  ASSERT_TRUE(carry_out(write(BootMode::Join)));
  EXPECT_EQ(remembered().filesystem, "8:1");
}

TEST_F(NodeSteps, TheFileSystemOfThePlaceBeforeIsNotTakenForThatOfTheNext) {
  memory_.initialised = true;
  memory_.data_dir = "/old/a";
  node("a").data.get()->filesystem = "8:1";
  ASSERT_TRUE(carry_out(write(BootMode::Join)));
  EXPECT_EQ(remembered().filesystem, "");
}

TEST_F(NodeSteps, Attack9_WhoseDataMayBeOnADiskThatIsNotMountedIsNotStartedAgain) {
  ASSERT_TRUE(carry_out(write(BootMode::Join)));
  take_disk();
  done_.clear();
  expect_untouched(carry_out(write(BootMode::Join)), ErrorKind::Refused);
}

TEST_F(NodeSteps, ADiskThatPeopleSayIsGoneHoldsNobodyUp) {
  ASSERT_TRUE(carry_out(write(BootMode::Join)));
  take_disk();
  desired_.members[0].lost = model::Member::Lost{};
  EXPECT_TRUE(carry_out(write(BootMode::Join)));
}

TEST_F(NodeSteps, AJoinThatIsNotMadeIsNotRemembered) {
  lock();
  lose_lock();
  node("a").data.get()->filesystem = "8:0";
  expect_untouched(carry_out(write(BootMode::Join)), ErrorKind::Conflict);
  EXPECT_EQ(memory_.filesystem, "") << "its disk would be taken for another one when it is there";
}

TEST_F(NodeSteps, AStartThatHasBegunIsNotMadeAgain) {
  promise("d1");
  ASSERT_TRUE(carry_out(write(BootMode::New)));
  done_.clear();
  node("a").process = model::Fact<model::Process>::known({true, 4711, ""}, clock_.now());
  ASSERT_TRUE(carry_out(write(BootMode::New)));
  EXPECT_THAT(done_, IsEmpty());
}

TEST_F(NodeSteps, FilesOtherThanThoseOfThePlanAreNotWritten) {
  promise("d1");
  auto planned = write(BootMode::New);
  desired_.etcd.snapshot_count = 7;  // the file has moved on since
  expect_untouched(carry_out(planned), ErrorKind::Conflict);
}

TEST_F(NodeSteps, NobodyJoinsOnTopOfData) {
  for (const auto boot : {BootMode::New, BootMode::Join}) {
    promise("d1");
    look_at_a(DataState::Valid);
    expect_untouched(carry_out(write(boot)), ErrorKind::Conflict);
    look_at_a(DataState::Fresh);
    host_.files[in_data("member/wal/0.wal")] = "since the look";
    expect_untouched(carry_out(write(boot)), ErrorKind::Conflict);
    host_.files.clear();
  }
}

TEST_F(NodeSteps, WhatARefusedStartHasLeftIsMovedAwayBeforeTheNext) {
  promise("d1");
  host_.files[in_data("member/snap/db")] = "";
  ASSERT_TRUE(carry_out(write(BootMode::New)));
  ASSERT_EQ(done_.size(), 5u);
  EXPECT_EQ(done_[1], "stop");
  EXPECT_THAT(done_[2], testing::StartsWith("rename /var/lib/etcd/a /var/lib/etcd/a.aside-"));
  EXPECT_THAT(done_[2], testing::EndsWith("-empty"));
  EXPECT_EQ(done_[4], "start");
}

TEST_F(NodeSteps, WhateverElseLiesThereIsMovedAwayUnderANameThatNobodyDeletes) {
  for (const char* theirs : {"member.bak/wal/0.wal", "notes.txt", "member/snap/0001.snap", "member/other"}) {
    runtime_.state = {};
    host_.files.clear();
    done_.clear();
    memory_.started.clear();
    promise("d1");
    host_.files[in_data("quorate.json")] = "the marker";
    host_.files[in_data(theirs)] = "somebody's";
    ASSERT_TRUE(carry_out(write(BootMode::New))) << theirs;
    ASSERT_EQ(done_.size(), 5u) << theirs;
    EXPECT_THAT(done_[2], testing::EndsWith("-kept")) << theirs;
  }
}

TEST_F(NodeSteps, APlaceInWhichAnotherEtcdHasItsOwnIsNeverMoved) {
  promise("d1");
  host_.files[in_data("default/member/snap/db")] = "of another etcd";
  const auto begun = carry_out(write(BootMode::New));
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().kind, ErrorKind::Refused);
  EXPECT_THAT(begun.error().message, HasSubstr("default holds data of another etcd"));
  EXPECT_EQ(host_.files[in_data("default/member/snap/db")], "of another etcd");
}

TEST_F(NodeSteps, AJoiningMemberIsToldOfAllTheOthersAndForgetsItsPastSelf) {
  memory_.member_id = {0x77};
  memory_.highest_term = 9;
  memory_.latest_index = memory_.lagged_index = 1000;
  look_at_a(DataState::Empty);
  model::ObservedMember* me = model::member_of(observed_, etcd_.id_of("a"));
  me->listed.name.clear();
  me->listed.learner = true;
  ASSERT_TRUE(carry_out(write(BootMode::Join)));
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_THAT(host_.files["/s/prod/a/etcd.yaml"], HasSubstr(std::string(name) + "=" + seat(name).peer_url));
  }
  EXPECT_EQ(remembered().member_id.value, 0u);
  EXPECT_EQ(remembered().highest_term, 0u);
  EXPECT_EQ(remembered().lagged_index, 0u);
  EXPECT_EQ(remembered().started, "");
}

TEST_F(NodeSteps, NobodyJoinsAgainUnderAnIdThatHasHadALogHere) {
  memory_.member_id = etcd_.id_of("a");
  memory_.initialised = true;
  look_at_a(DataState::Empty);
  model::ObservedMember* me = model::member_of(observed_, etcd_.id_of("a"));
  me->listed.name.clear();
  me->listed.learner = true;
  const auto joined = carry_out(write(BootMode::Join));
  expect_untouched(joined, ErrorKind::Refused);
  EXPECT_THAT(joined.error().message, HasSubstr(base::to_string(etcd_.id_of("a"))));
}

TEST_F(NodeSteps, OnlyWholeDataAreKept) {
  for (const auto state :
       {DataState::Fresh, DataState::Empty, DataState::Damaged, DataState::Foreign, DataState::Reverted}) {
    look_at_a(state);
    expect_untouched(carry_out(write(BootMode::Keep)), ErrorKind::Refused);
  }
  look_at_a(DataState::Valid);
  memory_.lagged_index = 1000;
  memory_.withdrawn = true;
  ASSERT_TRUE(carry_out(write(BootMode::Keep)));
  EXPECT_THAT(done_, ElementsAre(kMemory, "stop", kConfig, "start"));
  EXPECT_EQ(remembered().lagged_index, 1000u) << "what was on this disk still counts";
  EXPECT_FALSE(remembered().withdrawn);
}

TEST_F(NodeSteps, Attack9_DataThatStandElsewhereAreNotKeptHere) {
  look_at_a(DataState::Valid);
  node("a").data.get()->path = "/somewhere/else";
  expect_untouched(carry_out(write(BootMode::Keep)), ErrorKind::Refused);
}

TEST_F(NodeSteps, AnEtcdThatThisAgentDidNotStartIsLeftAlone) {
  look_at_a(DataState::Valid);
  node("a").process = model::Fact<model::Process>::known({true, 4711, ""}, clock_.now());
  expect_untouched(carry_out(write(BootMode::Keep)), ErrorKind::Refused);
  expect_untouched(carry_out(model::RemoveManifest{"a"}), ErrorKind::Refused);
  expect_untouched(carry_out(model::SetDataAside{"a"}), ErrorKind::Refused);
  node("a").process = model::Fact<model::Process>::unknown("permission denied");
  expect_untouched(carry_out(write(BootMode::Keep)), ErrorKind::Conflict);
}

TEST_F(NodeSteps, AStepOfAnotherMemberIsNotCarriedOutHere) {
  look_at_a(DataState::Valid);
  expect_untouched(carry_out(model::SetDataAside{"b"}), ErrorKind::Refused);
}

TEST_F(NodeSteps, WhoHasLostTheLockDoesNotRestartItsMember) {
  look_at_a(DataState::Valid);
  lock();
  lose_lock();
  expect_untouched(carry_out(write(BootMode::Keep)), ErrorKind::Conflict);
  expect_untouched(carry_out(model::SetDataAside{"a"}), ErrorKind::Conflict);
}

// --------------------------------------------------------------------------------------------------------- withdrawing
TEST_F(NodeSteps, AMemberIsTakenOutOfServiceForGoodBeforeItIsStopped) {
  look_at_a(DataState::Valid);
  host_.files["/s/prod/a/etcd.yaml"] = "name: a\n";
  ASSERT_TRUE(carry_out(model::RemoveManifest{"a"}));
  EXPECT_THAT(done_, ElementsAre(kMemory, "stop", "remove /s/prod/a/etcd.yaml"));
  EXPECT_TRUE(remembered().withdrawn);
}

TEST_F(NodeSteps, AMemberThatDoesNotStopKeepsItsFiles) {
  look_at_a(DataState::Valid);
  host_.files["/s/prod/a/etcd.yaml"] = "name: a\n";
  host_.files[in_data("member/wal/0.wal")] = "log";
  runtime_.will_not = base::Error{ErrorKind::Transient, "it does not end", ""};
  EXPECT_FALSE(carry_out(model::RemoveManifest{"a"}));
  EXPECT_FALSE(carry_out(model::SetDataAside{"a"}));
  EXPECT_EQ(host_.files.count("/s/prod/a/etcd.yaml"), 1u);
  EXPECT_EQ(host_.files.count(in_data("member/wal/0.wal")), 1u);
}

// -------------------------------------------------------------------------------------------------------- setting
// aside
TEST_F(NodeSteps, WhatIsLeftOfDataWhoseLogIsGoneIsSetAsideAllTheSame) {
  look_at_a(DataState::Damaged);
  memory_.wal_dir = "/fast/a";  // its disk is gone, or a crash came between the two
  host_.files[in_data("member/snap/db")] = "db";
  clock_.set(*base::parse_time("2026-11-18T17:07:11Z"));
  ASSERT_TRUE(carry_out(model::SetDataAside{"a"}));
  const std::string suffix = ".aside-20261118T170711Z-" + base::to_string(etcd_.id_of("a"));
  EXPECT_EQ(host_.files.count("/var/lib/etcd/a" + suffix + "/member/snap/db"), 1u);
}

TEST_F(NodeSteps, DataAreSetAsideOnceNothingRunsOnThem) {
  look_at_a(DataState::Valid);
  host_.files[in_data("member/wal/0.wal")] = "log";
  clock_.set(*base::parse_time("2026-11-18T17:07:11Z"));
  ASSERT_TRUE(carry_out(model::SetDataAside{"a"}));
  const std::string aside = "/var/lib/etcd/a.aside-20261118T170711Z-" + base::to_string(etcd_.id_of("a"));
  EXPECT_THAT(done_, ElementsAre("stop", "rename /var/lib/etcd/a " + aside));
  EXPECT_EQ(host_.files[aside + "/member/wal/0.wal"], "log");
}

TEST_F(NodeSteps, ALogWithAPlaceOfItsOwnGoesWithItsData) {
  look_at_a(DataState::Valid);
  memory_.wal_dir = "/fast/a";
  host_.files[in_data("member/snap/db")] = "db";
  host_.files["/fast/a/0.wal"] = "log";
  ASSERT_TRUE(carry_out(model::SetDataAside{"a"}));
  ASSERT_EQ(done_.size(), 3u);
  EXPECT_THAT(done_[1], testing::StartsWith("rename /fast/a /fast/a.aside-"));
  EXPECT_THAT(done_[2], testing::StartsWith("rename /var/lib/etcd/a /var/lib/etcd/a.aside-"));
}

TEST_F(NodeSteps, ForeignDataAreNobodysToMove) {
  look_at_a(DataState::Foreign);
  expect_untouched(carry_out(model::SetDataAside{"a"}), ErrorKind::Refused);
}

TEST_F(NodeSteps, WhereThereIsNothingNothingIsSetAside) {
  ASSERT_TRUE(carry_out(model::SetDataAside{"a"}));
  EXPECT_THAT(done_, IsEmpty());
}

TEST_F(NodeSteps, WhatNobodyCouldLookAtIsNotMoved) {
  node("a").data = model::Fact<model::DataDir>::unknown("permission denied");
  expect_untouched(carry_out(model::SetDataAside{"a"}), ErrorKind::Conflict);
}

}  // namespace quorate::apply
