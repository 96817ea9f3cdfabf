// The data give way, one node restores beside the place, and whoever has to goes back: what is on disk after each part.
#include <functional>

#include "reconciler/model/standing_json.h"
#include "reconciler/model/state_paths.h"
#include "renderers/etcd_config/fence.h"
#include "renderers/registry.h"
#include "tests/fakes/fake_node.h"
#include "tests/fakes/one_shelf.h"
#include "tests/unit/apply/scene.h"

namespace quorate::apply {
namespace {

using base::ErrorKind;
using model::DataState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Makes files as the real one does, as a whole or not at all.
class FakeRestorer final : public ports::Restorer {
 public:
  explicit FakeRestorer(fakes::FakeHost& host) : host_(host) {}

  std::optional<base::Error> fails;
  std::int64_t revision = 100;
  ports::Survivor survivor;
  ports::Seeding seeding;

  base::Result<void> ready(base::Duration /*within*/) override { return {}; }
  base::Result<void> seed(const ports::Seeding& asked, base::Duration /*within*/) override {
    seeding = asked;
    host_.files[asked.data_dir + "/member/snap/db"] = "restored";
    host_.files[(asked.wal_dir.empty() ? asked.data_dir + "/member/wal" : asked.wal_dir) + "/0.wal"] = "restored";
    return {};
  }
  base::Result<ports::Extracted> extract(const ports::Survivor& asked, base::Duration /*within*/) override {
    survivor = asked;
    if (fails) return tl::unexpected(*fails);
    host_.files[asked.into] = "snapshot";
    return ports::Extracted{4, 1000, revision, 8, std::string(64, 'a')};
  }
  base::Result<ports::Tried> try_out(const ports::Trial& /*trial*/, base::Duration /*within*/) override {
    return base::invalid("not asked here");
  }

 private:
  fakes::FakeHost& host_;
};

class Recovery : public SceneTest {
 protected:
  Recovery() {
    decision_.kind = model::DecisionKind::Recover;
    decision_.generation = 2;
    decision_.seed = "a";
    decision_.source = "1@4.1000";
    for (const char* name : {"a", "b", "c"}) decision_.founders.push_back({name, {seat(name).peer_url}, "life"});
    decision_.after = {etcd_.cluster()};
    decision_.above = 150;
    decision_.id = model::digest_of(decision_, desired_.name, desired_.etcd.token);
    host_.files[data() + "/member/wal/0.wal"] = "old";
    host_.files[data() + "/member/snap/db"] = "old";
    look_at_a(DataState::Valid);
  }

  std::string data() const { return desired_.members[0].data_dir; }
  std::string made() const { return data() + ".restoring-" + decision_.id; }
  std::string yielded() const { return data() + ".yielded-" + decision_.id; }
  base::Result<void> act(model::Action action) {
    model::Step step;
    step.id = model::step_id(action);
    step.owner = "a";
    step.action = std::move(action);
    return apply::carry_out({etcd_, host_, runtime_, clock_, &restorer_, &stores_, &node_},
                            {desired_, desired_.members[0], "/s", observed_, memory_, "", {}, kWithin}, step);
  }
  base::Result<void> promise() { return act(model::Promise{"a", decision_.id, decision_}); }
  base::Result<void> restore() { return act(model::Restore{"a", decision_.id}); }
  base::Result<void> abandon() { return act(model::Abandon{"a", decision_.id, "why"}); }
  bool is_there(const std::string& path) const { return host_.files.count(path) != 0; }

  // Of a backup instead of what was left here.
  void restore_from(const std::string& backup) {
    desired_.backup.emplace();
    decision_.kind = model::DecisionKind::Restore;
    decision_.source = backup + "@4.900";
    decision_.backup = model::ChosenBackup{backup, "sha", 90};
    decision_.id = model::digest_of(decision_, desired_.name, desired_.etcd.token);
    host_.files[model::fetched_path(data())] = "snapshot";
    memory_.standing.fetched = decision_.source;
  }

  void give_a_log_its_place() {
    desired_.members[0].wal_dir = "/wal/a";
    host_.files["/wal/a/0.wal"] = "old";
  }
  void expect_placed(const std::string& what, int changes) {
    EXPECT_EQ(host_.files[data() + "/member/snap/db"], what) << changes;
    EXPECT_EQ(host_.files["/wal/a/0.wal"], what) << changes;
  }
  // The power goes after each change on the way, and whatever comes next begins there, in two ways.
  void cut_short_anywhere(const std::function<base::Result<void>()>& act,
                          const std::function<void(int changes, bool goes_on)>& next) {
    const auto files = host_.files;
    const model::Memory memory = memory_;
    bool through = false;
    for (int changes = 0; !through; ++changes) {
      ASSERT_LT(changes, 30);
      for (const bool goes_on : {true, false}) {
        host_.files = files;
        memory_ = memory;
        host_.changes_left = changes;
        through = act().has_value();
        host_.changes_left.reset();
        memory_ = remembered();
        next(changes, goes_on);
        if (HasFatalFailure()) return;
      }
    }
  }

  std::string config() const { return renderers::config_path("/s", desired_, desired_.members[0]); }
  // The seed's, behind the fence.
  base::Result<void> start_seed() {
    const renderers::Boot keep = renderers::BootKeep{};
    const auto bundle = renderers::render_member({desired_, desired_.members[0], keep, config()});
    return act(model::WriteManifest{"a", bundle->digest, model::BootMode::Keep, "", true});
  }
  void give_pass() {
    const std::string folder = model::fence_folder(model::member_folder("/s", desired_.name, "a"));
    for (const std::string& path : {model::fence_ca(folder), model::fence_pass(folder), model::fence_key(folder)}) {
      host_.files[path] = "pem";
    }
  }

  FakeRestorer restorer_{host_};
  fakes::FakeNode node_;
  std::shared_ptr<fakes::Shelf> shelf_ = std::make_shared<fakes::Shelf>(clock_);
  fakes::OneShelf stores_{shelf_};
  model::Decision decision_;
};

}  // namespace

TEST_F(Recovery, ThePromiseIsTheNameOfTheDirectoryAndTheMemberIsGoneBefore) {
  ASSERT_TRUE(promise());
  EXPECT_THAT(done_, testing::IsSupersetOf({std::string("stop"), "rename " + data() + " " + yielded()}));
  EXPECT_LT(std::find(done_.begin(), done_.end(), "stop"),
            std::find(done_.begin(), done_.end(), "rename " + data() + " " + yielded()));
  EXPECT_TRUE(is_there(yielded() + "/member/wal/0.wal"));
  EXPECT_FALSE(is_there(data() + "/member/wal/0.wal"));
  ASSERT_TRUE(remembered().standing.pledge);
  EXPECT_TRUE(remembered().standing.pledge->given);
  EXPECT_TRUE(remembered().standing.pledge->agreed) << "nobody is asked a second time";
  const auto signed_by = model::read_decision_file(host_.files[model::decision_path(yielded())], "d");
  ASSERT_TRUE(signed_by);
  EXPECT_EQ(*signed_by, decision_) << "it outlives the memory";
}

TEST_F(Recovery, Attack9_APromiseThatWasCutShortIsMadeAgain) {
  host_.broken = {data()};  // it cannot be renamed
  ASSERT_FALSE(promise());
  EXPECT_FALSE(remembered().standing.pledge->given) << "and is not told to anybody";
  host_.broken.clear();
  ASSERT_TRUE(promise());
  ASSERT_TRUE(promise()) << "twice is once";
  EXPECT_TRUE(is_there(yielded() + "/member/wal/0.wal"));
  memory_.standing.pledge->given = false;  // renamed, and not remembered
  ASSERT_TRUE(promise());
  EXPECT_TRUE(memory_.standing.pledge->given);
}

TEST_F(Recovery, AnEmptyPlaceIsPromisedToo) {
  host_.files.clear();
  look_at_a(DataState::Empty);
  ASSERT_TRUE(promise());
  EXPECT_TRUE(is_there(model::decision_path(yielded())));
}

TEST_F(Recovery, ALogOfItsOwnGoesFirst) {
  desired_.members[0].wal_dir = "/wal/a";
  host_.files["/wal/a/0.wal"] = "old";
  ASSERT_TRUE(promise());
  const auto at = [&](const std::string& what) { return std::find(done_.begin(), done_.end(), what); };
  EXPECT_LT(at("rename /wal/a /wal/a.yielded-" + decision_.id), at("rename " + data() + " " + yielded()));
  ASSERT_TRUE(restore());
  EXPECT_EQ(restorer_.survivor.wal_dir, "/wal/a.yielded-" + decision_.id);
  EXPECT_EQ(host_.files["/wal/a/0.wal"], "restored");
  ASSERT_TRUE(abandon());
  EXPECT_EQ(host_.files["/wal/a/0.wal"], "old");
}

// The agent looks at its place between the restore and the first start, and takes what it sees for its own.
TEST_F(Recovery, WhoGivesUpAfterTheRestoreKnowsItsOldDataAgain) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  memory_.cluster_id = {0x77};
  memory_.member_id = {0x78};
  ASSERT_TRUE(abandon());
  EXPECT_EQ(remembered().cluster_id, base::ClusterId{});
  EXPECT_EQ(remembered().member_id, base::MemberId{});
  EXPECT_EQ(host_.files[data() + "/member/wal/0.wal"], "old");
}

TEST_F(Recovery, WhoGivesUpBeforeTheRestoreStillKnowsItsData) {
  memory_.cluster_id = etcd_.cluster();
  memory_.member_id = {0x78};
  memory_.lagged_index = 900;
  ASSERT_TRUE(promise());
  ASSERT_TRUE(abandon());
  EXPECT_EQ(remembered().lagged_index, 900U);
}

// With the disk back, what was restored would stand where the old data were, and no promise would keep it from its
// start.
TEST_F(Recovery, NothingIsGivenUpWhileTheDiskIsNotMounted) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  take_disk();
  const auto refused = abandon();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  ASSERT_TRUE(remembered().standing.pledge);
  EXPECT_TRUE(remembered().standing.abandoned.empty()) << "the others wait, too";
  look_at_a(DataState::Valid);
  ASSERT_TRUE(abandon());
  EXPECT_FALSE(remembered().standing.pledge);
  EXPECT_EQ(host_.files[data() + "/member/wal/0.wal"], "old");
}

TEST_F(Recovery, WhatIsGivenUpNeedsNoDiskThatPeopleSayIsGone) {
  ASSERT_TRUE(promise());
  take_disk();
  desired_.members[0].lost = model::Member::Lost{memory_.member_id};
  ASSERT_TRUE(abandon());
  EXPECT_FALSE(remembered().standing.pledge);
}

TEST_F(Recovery, NothingIsRestoredBeneathThePlaceOfADiskThatIsNotMounted) {
  ASSERT_TRUE(promise());
  take_disk();
  const auto refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_FALSE(is_there(data() + "/member/wal/0.wal"));
}

// What is on it has not given way when the others go on without it, and may reach further than what they go on with.
TEST_F(Recovery, NobodyPromisesWhileHisDiskIsNotMountedUnlessPeopleSayThatItIsGone) {
  take_disk();
  const auto refused = promise();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is its disk mounted?"));
  EXPECT_TRUE(is_there(data() + "/member/wal/0.wal"));
  memory_.member_id = {0x11};
  desired_.members[0].lost = model::Member::Lost{base::MemberId{0x12}};
  EXPECT_FALSE(promise()) << "that is another one";
  desired_.members[0].lost->id = base::MemberId{0x11};
  EXPECT_TRUE(promise());
}

TEST_F(Recovery, NobodyPromisesWhatIsNotHisOrWasGivenUp) {
  model::Decision other = decision_;
  other.founders.erase(other.founders.begin());
  EXPECT_EQ(act(model::Promise{"a", other.id, other}).error().kind, ErrorKind::Refused);
  look_at_a(DataState::Foreign);
  EXPECT_EQ(promise().error().kind, ErrorKind::Refused);
  look_at_a(DataState::Valid);
  memory_.standing.abandoned = {{decision_.id, 2, "a", "why"}};
  EXPECT_EQ(promise().error().kind, ErrorKind::Refused);
  memory_.standing.abandoned.clear();
  node("a").process = model::Fact<model::Process>::known({true, 4711, ""}, clock_.now());
  EXPECT_EQ(promise().error().kind, ErrorKind::Refused) << "an etcd that is not ours has the files open";
  EXPECT_TRUE(is_there(data() + "/member/wal/0.wal"));
}

TEST_F(Recovery, WhatWasCarriedOutBeforeIsSetAsideFirst) {
  model::Decision before = decision_;
  before.id = "before";
  memory_.standing.pledge = model::Pledge{before, true, false, 0, ""};
  host_.files[data() + ".yielded-before/member/wal/0.wal"] = "older";
  EXPECT_EQ(promise().error().kind, ErrorKind::Refused);
  memory_.formed = model::Formed{{0xd}, "before", 2, {"a"}, {}};
  ASSERT_TRUE(promise());
  EXPECT_TRUE(remembered().standing.pledge->given);
  EXPECT_EQ(remembered().standing.pledge->decision.id, decision_.id);
  EXPECT_FALSE(is_there(data() + ".yielded-before/member/wal/0.wal"));
}

TEST_F(Recovery, TheSeedRestoresBesideThePlaceFromACopyUnderTheNewToken) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  EXPECT_EQ(restorer_.survivor.data_dir, yielded());
  EXPECT_EQ(restorer_.seeding.token, desired_.etcd.token + "-" + decision_.id);
  EXPECT_EQ(restorer_.seeding.bump_revision, 1'000'000'050) << "above the highest that was seen";
  EXPECT_EQ(restorer_.seeding.data_dir, data() + ".restoring-" + decision_.id);
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "restored");
  EXPECT_EQ(host_.files[yielded() + "/member/snap/db"], "old") << "what was there is kept";
  EXPECT_EQ(memory_.cluster_id.value, 0U);
  restorer_.seeding = {};
  ASSERT_TRUE(restore());
  EXPECT_EQ(restorer_.seeding.token, "") << "what stands there is not restored again";
}

TEST_F(Recovery, Attack9_ARestoreThatWasCutShortGoesOnWithWhatIsWhole) {
  ASSERT_TRUE(promise());
  host_.broken = {data() + ".restoring-" + decision_.id};  // made, and not renamed
  ASSERT_FALSE(restore());
  EXPECT_EQ(remembered().standing.pledge->tries, 1);
  EXPECT_THAT(remembered().standing.pledge->failed, HasSubstr("input/output error"));
  host_.broken.clear();
  ASSERT_TRUE(restore());
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "restored");
}

TEST_F(Recovery, NothingIsRestoredBeforeThePromiseOrAfterTheStart) {
  EXPECT_EQ(restore().error().kind, ErrorKind::Conflict);
  ASSERT_TRUE(promise());
  memory_.standing.pledge->started = true;
  EXPECT_EQ(restore().error().kind, ErrorKind::Refused);
  EXPECT_EQ(abandon().error().kind, ErrorKind::Refused);
  memory_.standing.pledge->started = false;
  memory_.standing.pledge->decision.seed = "b";
  EXPECT_EQ(restore().error().kind, ErrorKind::Refused);
}

TEST_F(Recovery, WhatHasStartedIsGivenUpOnlyWhereNothingIsLeftOfItAndNobodyHasSeenTheCluster) {
  ASSERT_TRUE(promise());
  memory_.standing.pledge->started = true;
  look_at_a(DataState::Valid);
  EXPECT_EQ(abandon().error().kind, ErrorKind::Refused);
  look_at_a(DataState::Empty);
  memory_.formed = model::Formed{base::ClusterId{0x77}, decision_.id, 2, {"a"}, {}};
  EXPECT_EQ(abandon().error().kind, ErrorKind::Refused);
  memory_.formed.reset();
  ASSERT_TRUE(abandon());
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "old");
  EXPECT_FALSE(remembered().standing.pledge);
}

TEST_F(Recovery, GivenUpItIsAsItWasBefore) {
  const auto before = host_.files;
  ASSERT_TRUE(promise());
  restorer_.fails = base::Error{ErrorKind::Transient, "no space left on device", ""};
  ASSERT_FALSE(restore());
  EXPECT_EQ(remembered().standing.pledge->failed, "no space left on device");
  ASSERT_TRUE(abandon());
  auto after = host_.files;
  after.erase("/s/prod/a/memory.json");
  EXPECT_EQ(after, before);
  EXPECT_FALSE(remembered().standing.pledge);
  EXPECT_TRUE(model::has_abandoned(remembered().standing, decision_.id));
  EXPECT_EQ(promise().error().kind, ErrorKind::Refused);
}

TEST_F(Recovery, GivenUpAfterTheRestoreTheCopyGoesAndTheDataComeBack) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  host_.broken = {yielded()};
  ASSERT_FALSE(abandon());
  host_.broken.clear();
  ASSERT_TRUE(abandon());
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "old");
  EXPECT_FALSE(is_there(model::decision_path(data())));
}

// What it has acknowledged since is nowhere else.
TEST_F(Recovery, WhatSomethingElseHasStartedAfterTheRestoreIsNeverGivenUp) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  look_at_a(DataState::Valid);
  node("a").data.get()->cluster = {0x77};
  node("a").data.get()->term = 2;
  const auto refused = abandon();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "restored");
  EXPECT_TRUE(remembered().standing.abandoned.empty()) << "nobody else goes back either";
  node("a").data.get()->term = 1;
  EXPECT_TRUE(abandon()) << "as etcdutl leaves it";
}

TEST_F(Recovery, WhatSomethingElseStartsRightBeforeItIsGivenUpIsPutBackAndKept) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  look_at_a(DataState::Valid);
  model::DataDir begun;
  begun.state = DataState::Valid;
  begun.cluster = {0x77};
  begun.term = 2;
  node_.data[made()] = begun;
  for (const bool runs : {false, true}) {
    node_.processes["a"].running = runs;
    const auto refused = abandon();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
    EXPECT_EQ(host_.files[data() + "/member/snap/db"], "restored");
    EXPECT_TRUE(remembered().standing.abandoned.empty());
    node_.data.clear();
  }
  node_.processes.clear();
  node_.unreadable[made()] = "input/output error";
  EXPECT_FALSE(abandon()) << "nobody knows";
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "restored");
  node_.unreadable.clear();
  ASSERT_TRUE(abandon());
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "old");
}

// Whoever hears of it starts what was before.
TEST_F(Recovery, NothingCanStartTheSeedAnyMoreWhenTheOthersHearThatItHasGivenUp) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  ASSERT_TRUE(abandon());
  const auto out = std::find(done_.begin(), done_.end(), "rename " + data() + " " + made());
  ASSERT_NE(out, done_.end());
  EXPECT_NE(std::find(out, done_.end(), "write /s/prod/a/memory.json"), done_.end());
  const auto kept = host_.files["/s/prod/a/memory.json"];
  EXPECT_THAT(kept, HasSubstr(decision_.id));
}

TEST_F(Recovery, ARestoreThatWasCutShortAnywhereIsGoneOnWithOrTakenBack) {
  give_a_log_its_place();
  ASSERT_TRUE(promise());
  cut_short_anywhere([&] { return restore(); },
                     [&](int changes, bool goes_on) {
                       const auto next = goes_on ? restore() : abandon();
                       ASSERT_TRUE(next) << changes << ": " << next.error().message;
                       expect_placed(goes_on ? "restored" : "old", changes);
                     });
}

TEST_F(Recovery, AWayBackThatWasCutShortAnywhereIsGoneOnWithOrTakenBack) {
  give_a_log_its_place();
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  cut_short_anywhere([&] { return abandon(); },
                     [&](int changes, bool goes_on) {
                       const model::Standing& standing = memory_.standing;
                       const bool given_up = !standing.pledge || model::has_abandoned(standing, decision_.id);
                       if (goes_on && !given_up) {
                         ASSERT_TRUE(restore()) << changes;
                         expect_placed("restored", changes);
                       } else if (memory_.standing.pledge) {
                         ASSERT_TRUE(abandon()) << changes;
                       }
                       if (!memory_.standing.pledge) expect_placed("old", changes);
                     });
}

TEST_F(Recovery, WhoGivesUpBeforeHisDataHaveGivenWayLeavesThemWhereTheyAre) {
  host_.broken = {data()};  // signed, and not renamed
  ASSERT_FALSE(promise());
  host_.broken.clear();
  ASSERT_TRUE(abandon());
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "old");
  EXPECT_TRUE(model::has_abandoned(remembered().standing, decision_.id));
}

TEST_F(Recovery, WhatSomebodyElseHasPutThereIsNotTakenForWhatWasRestored) {
  ASSERT_TRUE(promise());
  give_pass();
  host_.files[data() + "/member/wal/0.wal"] = "another cluster's";
  const Scene scene{desired_, desired_.members[0], "/s", observed_, memory_, "", {}, kWithin};
  EXPECT_EQ(take_up_seed({etcd_, host_, runtime_, clock_}, scene).error().kind, ErrorKind::Refused);
  EXPECT_FALSE(remembered().standing.pledge->started);
}

TEST_F(Recovery, F12_WhatSomethingElseHasStartedIsStartedNextBehindTheFence) {
  host_.files[config()] = "the file of the cluster before, open to everybody";
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  const Scene scene{desired_, desired_.members[0], "/s", observed_, memory_, "", {}, kWithin};
  EXPECT_FALSE(take_up_seed({etcd_, host_, runtime_, clock_}, scene)) << "there is no pass yet";
  EXPECT_FALSE(remembered().standing.pledge->started);
  give_pass();
  ASSERT_TRUE(take_up_seed({etcd_, host_, runtime_, clock_}, scene));
  EXPECT_TRUE(renderers::has_fence(host_.files[config()]));
  EXPECT_TRUE(remembered().standing.pledge->started);
  EXPECT_EQ(remembered().started, decision_.id);
  desired_.recovery.open_when = model::OpenWhen::First;
  memory_.standing.pledge->started = false;
  host_.files[config()] = "open";
  ASSERT_TRUE(take_up_seed({etcd_, host_, runtime_, clock_}, scene));
  EXPECT_EQ(host_.files[config()], "open") << "the file wants it so";
}

// It would be started in spite of that, beside the cluster before; and it may be all that is left.
TEST_F(Recovery, WhatWasRestoredIsNotGivenUpWhereWhatGaveWayIsGone) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  std::erase_if(host_.files, [&](const auto& each) { return each.first.find(yielded()) == 0; });
  const auto refused = abandon();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  ASSERT_TRUE(remembered().standing.pledge);
  EXPECT_TRUE(remembered().standing.abandoned.empty()) << "the others wait, too";
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "restored");
  std::erase_if(host_.files, [&](const auto& each) { return each.first.find(data() + "/") == 0; });
  ASSERT_TRUE(abandon());
  EXPECT_FALSE(remembered().standing.pledge);
}

TEST_F(Recovery, ASignWhoseDiskWasEmptiedBeforeItWasWrittenIsNoRestore) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  const std::string sign = model::decision_path(data());
  std::erase_if(host_.files,
                [&](const auto& each) { return each.first.find(data() + "/") == 0 && each.first != sign; });
  ASSERT_TRUE(restore());
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "restored") << "anew";
  std::erase_if(host_.files, [&](const auto& each) {
    return (each.first.find(data() + "/") == 0 && each.first != sign) || each.first.find(yielded()) == 0;
  });
  EXPECT_TRUE(abandon()) << "nothing of it is left that could be started";
}

TEST_F(Recovery, TheStartOfTheSeedIsTheEndOfTheWayBack) {
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  look_at_a(DataState::Valid);
  node("a").data.get()->path = data();
  const auto written = act(model::WriteManifest{"a", "another bundle", model::BootMode::Keep, ""});
  ASSERT_FALSE(written);
  EXPECT_FALSE(remembered().standing.pledge->started) << "not before the files are those of the plan";
}

// An agent that has begun starts etcd again from whatever file is there.
TEST_F(Recovery, F12_ASeedWhosePowerGoesAtAnyChangeIsBehindTheFenceOrHasNotBegun) {
  give_pass();
  host_.files[config()] = "the file of the cluster before, open to everybody";
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  look_at_a(DataState::Valid);
  const auto files = host_.files;
  const model::Memory memory = memory_;
  bool through = false;
  int begun = 0;
  for (int changes = 0; !through; ++changes) {
    ASSERT_LT(changes, 20);
    host_.files = files;
    memory_ = memory;
    runtime_.state.phase = model::RunPhase::Stopped;
    host_.changes_left = changes;
    through = start_seed().has_value();
    host_.changes_left.reset();
    memory_ = remembered();
    if (memory_.standing.pledge->started) {
      ++begun;
      EXPECT_TRUE(renderers::has_fence(host_.files[config()])) << changes;
    } else {
      EXPECT_EQ(runtime_.look().phase, model::RunPhase::Stopped) << changes;
    }
    ASSERT_TRUE(start_seed()) << changes;
    EXPECT_TRUE(remembered().standing.pledge->started);
    EXPECT_TRUE(renderers::has_fence(host_.files[config()]));
  }
  EXPECT_GE(begun, 1);
}

TEST_F(Recovery, ASeedIsNotStartedWhereWhatItHadRestoredIsGoneSinceTheLook) {
  give_pass();
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  look_at_a(DataState::Valid);
  ASSERT_TRUE(host_.remove_tree(data()));
  const auto refused = start_seed();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Conflict);
  EXPECT_FALSE(remembered().standing.pledge->started) << "there is a way back still";
  EXPECT_EQ(runtime_.look().phase, model::RunPhase::Stopped);
}

TEST_F(Recovery, GivenUpAfterItsFilesWereWrittenTheMemberIsOpenAgain) {
  give_pass();
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  look_at_a(DataState::Valid);
  host_.changes_left = 1;
  ASSERT_FALSE(start_seed());
  host_.changes_left.reset();
  ASSERT_TRUE(renderers::has_fence(host_.files[config()]));
  ASSERT_FALSE(remembered().standing.pledge->started);
  ASSERT_TRUE(abandon());
  EXPECT_FALSE(renderers::has_fence(host_.files[config()]));
  EXPECT_EQ(host_.files[data() + "/member/snap/db"], "old");
}

TEST_F(Recovery, WhatStoodThereIsSetAsideWhenTheDecisionIsCarriedOut) {
  host_.files[model::marker_path(data())] = model::to_json(model::Marker{{0xc}, {0x1000}, "a", "life", 1});
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  const Scene scene{desired_, desired_.members[0], "/s", observed_, memory_, "", {}, kWithin};
  ASSERT_TRUE(finish_decision({etcd_, host_, runtime_, clock_}, scene));
  EXPECT_FALSE(memory_.standing.pledge);
  bool aside = false;
  for (const auto& [path, content] : host_.files) {
    EXPECT_EQ(path.find(".yielded-"), std::string::npos) << path;
    aside = aside || (path.find(data() + ".aside-") == 0 && path.find("-1000/member/wal") != std::string::npos);
  }
  EXPECT_TRUE(aside);
}

TEST_F(Recovery, F11_ABackupIsRestoredAboveAllRevisionsThatWereSeen) {
  restore_from("b1");
  desired_.bump_revision = 1000;
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
  EXPECT_EQ(restorer_.seeding.snapshot, model::fetched_path(data()));
  EXPECT_EQ(restorer_.seeding.bump_revision, 60 + 1000) << "150 have been seen, the backup has 90";
  EXPECT_THAT(restorer_.seeding.token, HasSubstr(decision_.id)) << "F12";
  EXPECT_TRUE(is_there(data() + "/member/snap/db"));
}

TEST_F(Recovery, WhatWasFetchedAndIsGoneIsFetchedForTheNextAttempt) {
  restore_from("backup");
  ASSERT_TRUE(promise());
  host_.files.erase(model::fetched_path(data()));
  const auto gone = restore();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::Conflict);
  EXPECT_EQ(remembered().standing.fetched, "");
  EXPECT_EQ(remembered().standing.pledge->tries, 0);
}

TEST_F(Recovery, WhatWasNotFetchedIsNotRestored) {
  restore_from("b1");
  memory_.standing.fetched = "b0@4.800";
  ASSERT_TRUE(promise());
  const auto done = restore();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Refused);
  EXPECT_FALSE(is_there(data() + "/member/snap/db"));
}

// Two sets of nodes that know nothing of each other read one store.
TEST_F(Recovery, OneStoreGivesOneClusterInOneGeneration) {
  restore_from("b1");
  model::Decision other = decision_;
  other.seed = "z";
  other.founders = {{"z", {"http://10.9.9.9:2380"}, "elsewhere"}};
  other.id = model::digest_of(other, desired_.name, desired_.etcd.token);
  fakes::FakeStore store(shelf_);
  ASSERT_TRUE(store.put("quorate/generation-2.json", model::to_json(other), ports::Overwrite::Never));
  ASSERT_TRUE(promise());
  const auto done = restore();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Refused);
  EXPECT_THAT(done.error().message, HasSubstr(other.id));
  EXPECT_FALSE(is_there(data() + "/member/snap/db"));
  EXPECT_EQ(memory_.standing.pledge->tries, 1) << "and at last it is given up";
}

// Their files name the same members, and their disks are other ones.
TEST_F(Recovery, OneStoreGivesOneClusterToNodesThatAreCalledAlikeAtTheirNextAttemptToo) {
  restore_from("b1");
  model::Decision other = decision_;
  other.seed = "b";
  for (model::Founder& each : other.founders) each.incarnation = "elsewhere";
  other.id = model::digest_of(other, desired_.name, desired_.etcd.token);
  fakes::FakeStore store(shelf_);
  ASSERT_TRUE(store.put("quorate/generation-2.json", model::to_json(other), ports::Overwrite::Never));
  decision_.attempt = 2;
  decision_.id = model::digest_of(decision_, desired_.name, desired_.etcd.token);
  ASSERT_TRUE(promise());
  const auto done = restore();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Refused);
  EXPECT_FALSE(is_there(data() + "/member/snap/db"));
}

TEST_F(Recovery, AStoreThatDoesNotAnswerUsesUpNoTry) {
  restore_from("b1");
  ASSERT_TRUE(promise());
  shelf_->fail({fakes::StoreCall::Put, base::Error{ErrorKind::Transient, "connection refused", ""}, 0, 5});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(restore().error().kind, ErrorKind::Transient);
  EXPECT_EQ(remembered().standing.pledge->tries, 0);
  ASSERT_TRUE(restore());
}

TEST_F(Recovery, AClusterThatWasWellDoesNotStayStoppedForAStore) {
  restore_from("b1");
  decision_.deliberate = true;
  decision_.id = model::digest_of(decision_, desired_.name, desired_.etcd.token);
  ASSERT_TRUE(promise());
  shelf_->fail({fakes::StoreCall::Put, base::Error{ErrorKind::Transient, "connection refused", ""}, 0, -1});
  ASSERT_FALSE(restore());
  EXPECT_EQ(remembered().standing.pledge->tries, 1) << "and at last it goes on as it was";
  EXPECT_THAT(remembered().standing.pledge->failed, HasSubstr("connection refused"));
}

TEST_F(Recovery, TheNextAttemptOfTheSameFoundersGoesOnWithTheirClaim) {
  restore_from("b1");
  model::Decision before = decision_;
  before.seed = "b";
  before.id = model::digest_of(before, desired_.name, desired_.etcd.token);
  fakes::FakeStore store(shelf_);
  ASSERT_TRUE(store.put("quorate/generation-2.json", model::to_json(before), ports::Overwrite::Never));
  decision_.attempt = 2;
  decision_.id = model::digest_of(decision_, desired_.name, desired_.etcd.token);
  ASSERT_TRUE(promise());
  ASSERT_TRUE(restore());
}

}  // namespace quorate::apply
