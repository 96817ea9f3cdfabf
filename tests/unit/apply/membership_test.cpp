// Changes of the member list: announced first, fenced by the lock, and never taken for refused when only the answer was
// lost.
#include "tests/unit/apply/scene.h"

namespace quorate::apply {
namespace {

using base::ErrorKind;
using model::StepClass;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Membership : public SceneTest {
 protected:
  static fakes::Seat newcomer() { return seat("d"); }
  static model::AddMember addition() { return {"d", {newcomer().peer_url}, ""}; }
  model::Remove removal(const std::string& name) { return {name, etcd_.id_of(name)}; }

  // d has been added, has started and caught up; its agent has written Keep.
  model::Promote joined() {
    EXPECT_TRUE(etcd_.add_learner(at("a"), {newcomer().peer_url}, kWithin));
    etcd_.join(newcomer(), base::parse_version("3.5.21").value());
    clock_.advance(std::chrono::seconds{10});
    observe();
    node("d").manifest = model::Fact<model::Manifest>::known({"digest", true}, clock_.now());
    return {"d", etcd_.id_of("d"), {newcomer().peer_url}};
  }
};

}  // namespace

// ---------------------------------------------------------------------------------------------------------- removing
TEST_F(Membership, ARemovalIsAnnouncedBeforeItIsAskedFor) {
  lock();
  etcd_.stop("b");
  observe();
  const auto refused = carry_out(removal("c"), StepClass::Destructive);
  ASSERT_FALSE(refused) << "it would cost the quorum";
  EXPECT_NE(listed(etcd_.id_of("c")), nullptr);
  EXPECT_THAT(records().announced.condemned, ElementsAre(etcd_.id_of("c")));
}

TEST_F(Membership, AMemberIsRemovedByItsId) {
  lock();
  const base::MemberId c = etcd_.id_of("c");
  ASSERT_TRUE(carry_out(removal("c"), StepClass::Destructive));
  EXPECT_EQ(listed(c), nullptr);
  EXPECT_THAT(members(), SizeIs(2));
}

TEST_F(Membership, AMemberThatIsGoneAlreadyIsRemoved) {
  lock();
  EXPECT_TRUE(carry_out(model::Remove{"x", {0x77}}, StepClass::Destructive));
  EXPECT_THAT(members(), SizeIs(3));
}

TEST_F(Membership, ARemovalWhoseAnswerWasLostIsLookedFor) {
  lock();
  etcd_.loses = LossyEtcd::Loses::Answer;
  EXPECT_TRUE(carry_out(removal("c"), StepClass::Destructive));
}

TEST_F(Membership, Attack11_ARemovalThatNeverArrivedIsNotTakenForDone) {
  lock();
  etcd_.loses = LossyEtcd::Loses::Call;
  const auto unclear = carry_out(removal("c"), StepClass::Destructive);
  ASSERT_FALSE(unclear);
  EXPECT_EQ(unclear.error().kind, ErrorKind::Ambiguous);
}

TEST_F(Membership, NothingIsRemovedWithoutTheLock) {
  const auto refused = carry_out(removal("c"), StepClass::Destructive);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Conflict);
  EXPECT_THAT(members(), SizeIs(3));
}

TEST_F(Membership, NothingIsRemovedByWhoHasLostTheLock) {
  lock();
  lose_lock();
  const auto late = carry_out(removal("c"), StepClass::Destructive);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::Conflict);
  EXPECT_THAT(members(), SizeIs(3));
  EXPECT_THAT(records().announced.condemned, IsEmpty());
}

// ------------------------------------------------------------------------------------------------- what is written
// down
TEST_F(Membership, AReplacementIsCountedWithThoseOfTheDay) {
  lock();
  const base::Time before = clock_.now() - std::chrono::hours{2};
  observed_.heals_of_the_day = model::Fact<std::vector<base::Time>>::known({before}, clock_.now());
  etcd_.wipe("c");
  observe();
  ASSERT_TRUE(carry_out(removal("c"), StepClass::Heal, "MemberEmptied"));
  EXPECT_THAT(records().heals, SizeIs(2));
  EXPECT_EQ(records().heals.front(), before);
}

TEST_F(Membership, ARemovalThatWasAnnouncedBeforeIsNotCountedAgain) {
  lock();
  observed_.announced = model::Fact<model::Announced>::known({{etcd_.id_of("c")}, {}}, clock_.now());
  ASSERT_TRUE(carry_out(removal("c"), StepClass::Heal, model::kCondemned));
  EXPECT_THAT(records().heals, IsEmpty());
}

TEST_F(Membership, WhatTheFileAskedForIsNoHeal) {
  lock();
  ASSERT_TRUE(carry_out(removal("c"), StepClass::Destructive));
  EXPECT_THAT(records().heals, IsEmpty());
}

TEST_F(Membership, AMemberThatLosesItsDataWithEveryRestartCostsNoHeal) {
  lock();
  desired_.storage = model::StorageKind::Memory;
  ASSERT_TRUE(carry_out(removal("c"), StepClass::Heal, "MemberEmptied"));
  EXPECT_THAT(records().heals, IsEmpty());
}

TEST_F(Membership, AChangeBeginsASoakAndAHealDoesNot) {
  lock();
  ASSERT_TRUE(carry_out(removal("c"), StepClass::Heal));
  EXPECT_FALSE(records().last_change);
  clock_.advance(std::chrono::seconds{5});
  observe();
  const auto promote = joined();
  ASSERT_TRUE(carry_out(promote));
  EXPECT_TRUE(records().last_change);
}

TEST_F(Membership, WhatIsDoneByWhomStandsThereForPeople) {
  lock();
  ASSERT_TRUE(carry_out(removal("c"), StepClass::Destructive));
  const auto note = value_of(std::string(model::kDoingKey));
  ASSERT_TRUE(note);
  EXPECT_THAT(*note, testing::HasSubstr(model::step_id(removal("c")) + " by a"));
}

// ------------------------------------------------------------------------------------------------------------- adding
TEST_F(Membership, AnAdditionIsAnnouncedAndMakesALearner) {
  lock();
  ASSERT_TRUE(carry_out(addition()));
  ASSERT_THAT(members(), SizeIs(4));
  EXPECT_THAT(records().announced.adding, ElementsAre(ElementsAre(newcomer().peer_url)));
  const auto all = members();
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const auto& each) { return each.learner; }), 1);
}

TEST_F(Membership, ALearnerThatIsTakenBackIsNoLongerAnnounced) {
  lock();
  ASSERT_TRUE(carry_out(addition()));
  observe();
  const auto all = members();
  const auto learner = std::find_if(all.begin(), all.end(), [](const auto& each) { return each.learner; });
  ASSERT_NE(learner, all.end());
  ASSERT_TRUE(carry_out(model::Remove{learner->name, learner->id}, StepClass::Heal));
  EXPECT_THAT(members(), SizeIs(3));
  EXPECT_THAT(records().announced.adding, IsEmpty());
}

TEST_F(Membership, AnAdditionWhoseAnswerWasLostIsFoundByItsUrls) {
  lock();
  etcd_.loses = LossyEtcd::Loses::Answer;
  ASSERT_TRUE(carry_out(addition()));
  EXPECT_THAT(members(), SizeIs(4));
}

TEST_F(Membership, AnAdditionThatNeverArrivedIsUnclear) {
  lock();
  etcd_.loses = LossyEtcd::Loses::Call;
  const auto unclear = carry_out(addition());
  ASSERT_FALSE(unclear);
  EXPECT_EQ(unclear.error().kind, ErrorKind::Ambiguous);
}

TEST_F(Membership, AVoterAtThoseUrlsIsNotTheLearnerThatWasAskedFor) {
  lock();
  const auto refused = carry_out(model::AddMember{"d", {seat("c").peer_url}, ""});
  ASSERT_FALSE(refused);
  EXPECT_THAT(members(), SizeIs(3));
}

TEST_F(Membership, NothingIsAddedWithoutTheLock) {
  EXPECT_EQ(carry_out(addition()).error().kind, ErrorKind::Conflict);
  EXPECT_THAT(members(), SizeIs(3));
}

// ---------------------------------------------------------------------------------------------------------- promoting
TEST_F(Membership, ALearnerThatHasCaughtUpAndKeepsItsDataVotes) {
  lock();
  const auto promote = joined();
  ASSERT_TRUE(carry_out(promote));
  EXPECT_FALSE(listed(promote.id)->learner);
}

TEST_F(Membership, NobodyIsPromotedWhoWouldJoinAgainOnAnEmptyDisk) {
  lock();
  const auto promote = joined();
  for (const auto& manifest : {model::Fact<model::Manifest>::known({"digest", false}, clock_.now()),
                               model::Fact<model::Manifest>::unknown("its agent does not answer")}) {
    node("d").manifest = manifest;
    const auto waits = carry_out(promote);
    ASSERT_FALSE(waits);
    EXPECT_EQ(waits.error().kind, ErrorKind::Transient);
    EXPECT_TRUE(listed(promote.id)->learner);
  }
}

TEST_F(Membership, APlanThatKnewNoIdYetFindsTheLearnerByItsUrls) {
  lock();
  auto promote = joined();
  const base::MemberId id = std::exchange(promote.id, base::MemberId{});
  ASSERT_TRUE(carry_out(promote));
  EXPECT_FALSE(listed(id)->learner);
}

TEST_F(Membership, APromotionWhoseAnswerWasLostIsLookedFor) {
  lock();
  const auto promote = joined();
  etcd_.loses = LossyEtcd::Loses::Call;
  EXPECT_FALSE(carry_out(promote));
  etcd_.loses = LossyEtcd::Loses::Answer;
  EXPECT_TRUE(carry_out(promote));
}

// ------------------------------------------------------------------------------------------------------------- others
TEST_F(Membership, NewPeerUrlsAreAnnouncedUntilTheyAreThere) {
  lock();
  const model::UpdatePeerUrls update{"c", etcd_.id_of("c"), {"https://10.0.0.99:2380"}};
  ASSERT_TRUE(carry_out(update));
  EXPECT_THAT(listed(update.id)->peer_urls, ElementsAre("https://10.0.0.99:2380"));
  EXPECT_FALSE(value_of(model::updating_key(update.id)));
}

TEST_F(Membership, NewPeerUrlsThatAreRefusedStayAnnounced) {
  lock();
  const model::UpdatePeerUrls update{"c", etcd_.id_of("c"), {seat("b").peer_url}};
  ASSERT_FALSE(carry_out(update));
  EXPECT_TRUE(value_of(model::updating_key(update.id)));
}

TEST_F(Membership, TheLeaderItselfIsAskedToGiveTheLeadAway) {
  lock();
  const base::MemberId leader = etcd_.leader();
  const auto all = members();
  const auto other =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.id != leader && each.name != "a"; });
  ASSERT_TRUE(carry_out(model::MoveLeader{"", other->name, other->id}));
  EXPECT_EQ(etcd_.leader(), other->id);
}

TEST_F(Membership, AHeirThatThePlanKnewByNameAloneIsFoundInTheList) {
  lock();
  const base::MemberId leader = etcd_.leader();
  const auto all = members();
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.id != leader; });
  ASSERT_TRUE(carry_out(model::MoveLeader{"", other->name, {}}));
  EXPECT_EQ(etcd_.leader(), other->id);
}

}  // namespace quorate::apply
