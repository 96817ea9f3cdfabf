// Which changes of a node the other agents are told of at once.
#include "reconciler/loop/gist.h"

#include <gtest/gtest.h>

namespace quorate::loop {
namespace {

model::NodeFacts healthy() {
  model::NodeFacts facts;
  model::DataDir data;
  data.state = model::DataState::Valid;
  data.member = base::MemberId{7};
  data.last_index = 100;
  facts.data = model::Fact<model::DataDir>::known(data, {});
  model::Process process;
  process.running = true;
  facts.process = model::Fact<model::Process>::known(process, {});
  model::RunState run;
  run.phase = model::RunPhase::Running;
  facts.run = model::Fact<model::RunState>::known(run, {});
  facts.manifest = model::Fact<model::Manifest>::known({"digest", true}, {});
  return facts;
}

}  // namespace

TEST(Gist, ALogThatGrowsIsNoNews) {
  const Gist before = gist_of(healthy(), {});
  model::NodeFacts later = healthy();
  later.data.get()->last_index = 200;
  EXPECT_EQ(gist_of(later, before), before);
}

TEST(Gist, AnEmptiedDirectoryAnEndAndAnotherFileAreNews) {
  const Gist before = gist_of(healthy(), {});
  model::NodeFacts emptied = healthy();
  emptied.data.get()->state = model::DataState::Empty;
  EXPECT_NE(gist_of(emptied, before), before);
  model::NodeFacts ended = healthy();
  ended.process.get()->running = false;
  ended.run.get()->phase = model::RunPhase::Waiting;
  EXPECT_NE(gist_of(ended, before), before);
  model::NodeFacts joining = healthy();
  joining.manifest.get()->keep = false;
  EXPECT_NE(gist_of(joining, before), before);
}

// All agents would wake each other, and read each other's directories, which makes those no less busy.
TEST(Gist, ADirectoryThatIsTooBusyToBeReadIsNoNews) {
  const Gist before = gist_of(healthy(), {});
  model::NodeFacts busy = healthy();
  busy.data = model::Fact<model::DataDir>::unknown("it changed in each of 20 looks", {});
  EXPECT_EQ(gist_of(busy, before), before);
}

}  // namespace quorate::loop
