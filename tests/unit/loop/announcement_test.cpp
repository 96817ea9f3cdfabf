// An etcd that has joined by a snapshot and waits for what was in it.
#include "reconciler/loop/announcement.h"

#include <gtest/gtest.h>

#include "tests/support/cluster_world.h"

namespace quorate::loop {
namespace {

using std::chrono::milliseconds;
using support::Role;

// The second member is a learner on our node, at one moment.
class Announcements : public testing::Test {
 protected:
  Announcements() {
    support::Slot learner;
    learner.role = Role::Learner;
    const auto world = support::WorldBuilder({support::Slot{}, learner}).build();
    view_.observed = world.observed;
    view_.desired = world.desired;
    view_.me = world.desired.members[1];
    view_.serving = "https://10.0.0.11:2379";
    model::RunState run;
    run.phase = model::RunPhase::Running;
    view_.agents.own.facts.run = model::Fact<model::RunState>::known(run, world.observed.at);
    model::DataDir data;
    data.state = model::DataState::Valid;
    data.member = id();
    data.snapshot_index = 12;
    data.consistent_index = 12;
    view_.agents.own.facts.data = model::Fact<model::DataDir>::known(data, world.observed.at);
    row().listed.peer_urls = base::to_strings(view_.me.peer_urls);
    silence();
  }

  static base::MemberId id() { return support::WorldBuilder::id(1); }
  model::ObservedMember& row() { return *model::member_of(view_.observed, id()); }
  model::DataDir& data() { return *view_.agents.own.facts.data.get(); }
  void silence() { row().status = model::Fact<model::MemberStatus>::unknown("connection refused"); }
  bool at(milliseconds moment, const std::string& name) {
    view_.since = moment;
    row().listed.name = name;
    return announcement_.is_missed(view_);
  }

  AgentView view_;
  Announcement announcement_;
};

}  // namespace

TEST_F(Announcements, OneThatCameWithTheSnapshotIsMissedAfterAMoment) {
  EXPECT_FALSE(at(milliseconds{0}, ""));
  EXPECT_FALSE(at(milliseconds{100}, "b"));
  EXPECT_FALSE(at(milliseconds{700}, "b"));
  EXPECT_TRUE(at(milliseconds{800}, "b"));
  EXPECT_FALSE(at(milliseconds{9000}, "b")) << "once is enough";
}

TEST_F(Announcements, WhoHasHadANameBeforeOnlyTakesLong) {
  EXPECT_FALSE(at(milliseconds{0}, "b"));
  EXPECT_FALSE(at(milliseconds{5000}, "b"));
}

TEST_F(Announcements, TheSnapshotIsWaitedFor) {
  EXPECT_FALSE(at(milliseconds{0}, ""));
  data().snapshot_index = data().consistent_index = 0;  // it comes by the log alone
  EXPECT_FALSE(at(milliseconds{100}, "b"));
  EXPECT_FALSE(at(milliseconds{5000}, "b"));
  data().snapshot_index = 12;  // the log knows of it, and the database is still on its way
  EXPECT_FALSE(at(milliseconds{5100}, "b"));
  EXPECT_FALSE(at(milliseconds{9000}, "b"));
  data().consistent_index = 12;
  EXPECT_FALSE(at(milliseconds{9100}, "b"));
  EXPECT_TRUE(at(milliseconds{9800}, "b"));
}

TEST_F(Announcements, WhoAnswersWaitsForNothing) {
  EXPECT_FALSE(at(milliseconds{0}, ""));
  EXPECT_FALSE(at(milliseconds{100}, "b"));
  row().status = model::Fact<model::MemberStatus>::known({}, view_.observed.at);
  EXPECT_FALSE(at(milliseconds{800}, "b"));
  silence();
  EXPECT_FALSE(at(milliseconds{900}, "b")) << "from here on it is counted anew";
}

TEST_F(Announcements, AVoterIsLeftAlone) {
  EXPECT_FALSE(at(milliseconds{0}, ""));
  row().listed.learner = false;
  EXPECT_FALSE(at(milliseconds{100}, "b"));
  EXPECT_FALSE(at(milliseconds{5000}, "b"));
}

TEST_F(Announcements, NothingIsKnownWithoutAQuorum) {
  EXPECT_FALSE(at(milliseconds{0}, ""));
  view_.serving.clear();
  EXPECT_FALSE(at(milliseconds{100}, "b"));
  EXPECT_FALSE(at(milliseconds{5000}, "b"));
}

}  // namespace quorate::loop
