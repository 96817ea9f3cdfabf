// Who asks for a pass, who signs it, and that nothing of it is left when the fence is gone.
#include "reconciler/loop/fence_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/model/state_paths.h"
#include "tests/fakes/fake_host.h"
#include "tests/support/desired_builder.h"

namespace quorate::loop {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Signs with words, so that a test can read who has signed what.
class FakeNotary final : public ports::Notary {
 public:
  base::Result<std::string> new_key() override { return "private " + std::to_string(++keys_); }
  base::Result<std::string> public_key(const std::string& key) override {
    if (key.compare(0, 8, "private ") != 0) return base::invalid("no key");
    return "public " + key.substr(8);
  }
  base::Result<std::string> new_authority(const std::string& name) override { return "secret of " + name; }
  base::Result<std::string> certificate_of(const std::string& authority) override {
    return "certificate of " + authority.substr(10);
  }
  base::Result<std::string> sign(const std::string& authority, const std::string& public_key,
                                 const std::string& name) override {
    if (public_key.compare(0, 7, "public ") != 0) return base::invalid("no key");
    ++signed_;
    return name + ", " + public_key + ", by " + authority.substr(10);
  }
  int signatures() const { return signed_; }

 private:
  int keys_ = 0;
  int signed_ = 0;
};

class FenceKeeperTest : public testing::Test {
 protected:
  // One agent and its disk; what the agents have said reaches it with `hear`.
  struct Node {
    explicit Node(std::string name, const model::Desired& desired, FakeNotary& notary)
        : host(done), keeper(host, &notary, "/s") {
      auto followed = std::make_shared<Followed>();
      followed->desired = desired;
      view.followed = followed;
      view.desired = desired;
      view.me.name = std::move(name);
    }
    model::Standing standing() const {
      model::Standing standing = memory.standing;
      keeper.add_to(standing);
      return standing;
    }
    void hear(const std::vector<const Node*>& others) {
      view.observed.nodes.clear();
      for (const Node* other : others) {
        model::NodeFacts facts;
        facts.member = other->view.me.name;
        facts.standing = other->standing();
        view.observed.nodes.push_back(std::move(facts));
      }
    }
    bool tend() { return keeper.tend(view, memory).value(); }
    std::string file(std::string (*path)(const std::string& folder)) {
      return host.files[path(model::fence_folder(model::member_folder("/s", "prod", view.me.name)))];
    }

    std::vector<std::string> done;
    fakes::FakeHost host;
    FenceKeeper keeper;
    AgentView view;
    model::Memory memory;
  };

  void promise(Node& node) {
    model::Decision decision;
    decision.id = "d2";
    decision.seed = "a";
    node.memory.standing.pledge = model::Pledge{decision, true, false, 0, ""};
  }
  void talk() {
    for (Node* node : {&a_, &b_, &c_}) node->hear({&a_, &b_, &c_});
  }

  model::Desired desired_ = support::DesiredBuilder{}.build();
  FakeNotary notary_;
  Node a_{"a", desired_, notary_};
  Node b_{"b", desired_, notary_};
  Node c_{"c", desired_, notary_};
};

TEST_F(FenceKeeperTest, WithoutADecisionNothingIsAskedAndNothingStandsOnDisk) {
  talk();
  EXPECT_FALSE(a_.tend());
  EXPECT_THAT(a_.host.files, IsEmpty());
  EXPECT_TRUE(a_.standing().pass_key.empty());
}

TEST_F(FenceKeeperTest, TheSeedKeepsTheFenceAndHasAPassBeforeAnybodyElse) {
  promise(a_);
  talk();
  EXPECT_TRUE(a_.tend());
  ASSERT_TRUE(a_.standing().fencing);
  EXPECT_EQ(a_.standing().fencing->authority, "certificate of fence of decision d2");
  EXPECT_EQ(a_.file(model::fence_pass), "root, public 1, by fence of decision d2");
  EXPECT_EQ(a_.file(model::fence_ca), "certificate of fence of decision d2");
  EXPECT_EQ(a_.file(model::fence_key), "private 1");
  talk();
  EXPECT_FALSE(a_.tend()) << "there is nothing new";
  EXPECT_EQ(notary_.signatures(), 1);
}

TEST_F(FenceKeeperTest, WhoeverHearsOfItAsksAndTakesWhatIsSignedForItsOwnKey) {
  promise(a_);
  a_.tend();
  talk();
  EXPECT_TRUE(b_.tend()) << "it was no founder, and needs a pass all the same";
  EXPECT_TRUE(b_.file(model::fence_pass).empty());
  talk();
  EXPECT_TRUE(a_.tend());
  talk();
  b_.tend();
  EXPECT_EQ(b_.file(model::fence_pass), "root, public 2, by fence of decision d2");
  for (const auto& [path, content] : a_.host.files) EXPECT_NE(content, b_.file(model::fence_key));
  b_.host.files.clear();  // with the disk
  talk();
  b_.tend();
  EXPECT_TRUE(b_.file(model::fence_pass).empty()) << "it is of the key that is gone";
  talk();
  a_.tend();
  talk();
  b_.tend();
  EXPECT_EQ(b_.file(model::fence_pass), "root, public 3, by fence of decision d2");
}

TEST_F(FenceKeeperTest, NobodyButTheSeedOfTheDecisionIsAsked) {
  promise(a_);
  a_.tend();
  a_.memory.standing.pledge->decision.seed = "c";
  b_.hear({&a_, &b_, &c_});
  EXPECT_FALSE(b_.tend());
  EXPECT_TRUE(b_.standing().pass_key.empty());
}

TEST_F(FenceKeeperTest, WhatIsNoKeyGetsNoPassAndIsInNobodysWay) {
  promise(a_);
  a_.tend();
  talk();
  b_.tend();
  talk();
  a_.view.observed.nodes[2].standing->pass_key = "nonsense";
  a_.tend();
  EXPECT_EQ(a_.standing().fencing->passes.size(), 2U);
}

TEST_F(FenceKeeperTest, KeysAreOutlivedByRestartsAndBadOnesAreReplaced) {
  promise(a_);
  a_.tend();
  const std::string certificate = a_.file(model::fence_ca);
  FenceKeeper again(a_.host, &notary_, "/s");
  ASSERT_TRUE(again.tend(a_.view, a_.memory).value());
  model::Standing standing;
  again.add_to(standing);
  EXPECT_EQ(standing.pass_key, "public 1");
  a_.host.files[model::fence_key("/s/prod/a/fence")] = "cut sho";
  ASSERT_TRUE(again.tend(a_.view, a_.memory).value());
  EXPECT_EQ(a_.file(model::fence_key), "private 2");
  EXPECT_EQ(a_.file(model::fence_ca), certificate);
}

TEST_F(FenceKeeperTest, AllOfItGoesWhenTheDecisionIsCarriedOutOrGivenUp) {
  promise(a_);
  a_.tend();
  talk();
  b_.tend();
  a_.memory.standing.pledge.reset();
  EXPECT_TRUE(a_.tend());
  EXPECT_THAT(a_.host.files, IsEmpty());
  EXPECT_FALSE(a_.standing().fencing);
  talk();
  EXPECT_TRUE(b_.tend());
  EXPECT_THAT(b_.host.files, IsEmpty());
  EXPECT_TRUE(b_.standing().pass_key.empty());
}

TEST_F(FenceKeeperTest, AMemberThatIsStillFencedKeepsItsPass) {
  promise(a_);
  a_.tend();
  a_.memory.standing.pledge.reset();
  a_.hear({&a_});
  a_.view.observed.nodes[0].manifest = model::Fact<model::Manifest>::known({"digest", true, true}, {});
  a_.tend();
  EXPECT_FALSE(a_.file(model::fence_pass).empty());
}

TEST_F(FenceKeeperTest, WhereTheFileSaysFirstThereIsNoFence) {
  promise(a_);
  a_.view.desired.recovery.open_when = model::OpenWhen::First;
  EXPECT_FALSE(a_.tend());
  EXPECT_THAT(a_.host.files, IsEmpty());
}

}  // namespace
}  // namespace quorate::loop
