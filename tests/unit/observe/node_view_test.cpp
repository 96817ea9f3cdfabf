// What a node says of its member, and what it says when something there cannot be looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/model/step.h"
#include "reconciler/observe/observe.h"
#include "renderers/registry.h"
#include "tests/fakes/fake_etcd.h"
#include "tests/fakes/fake_node.h"
#include "tests/fakes/one_by_one.h"
#include "tests/support/desired_builder.h"

namespace quorate::observe {
namespace {

using model::DataState;
using testing::HasSubstr;

class NodeView : public testing::Test {
 protected:
  NodeView() : desired_(support::DesiredBuilder{}.build()) { node_.here = {"a"}; }

  const model::Member& a() const { return desired_.members.front(); }

  void render() {
    question_.bundles.clear();
    for (const model::Member& member : desired_.members) {
      auto bundle = renderers::render_member(
          {desired_, member, keep_, renderers::config_path("/var/lib/quorate", desired_, member)});
      ASSERT_TRUE(bundle) << bundle.error().message;
      question_.bundles.emplace(member.name, *std::move(bundle));
    }
  }
  // Member a's files as the agent writes them, as root.
  void install() {
    render();
    for (const renderers::File& file : question_.bundles.at("a").files) {
      node_.files[file.path] = {file.content, file.mode, file.owner.empty() ? "root" : file.owner, false};
    }
  }

  model::Observed look() {
    question_.desired = &desired_;
    for (const char* name : {"a", "b", "c"}) question_.endpoints.push_back(endpoint(name));
    return observe({etcd_, node_, parallel_, clock_}, question_);
  }
  model::NodeFacts look_at(const std::string& member) { return *model::node_of(look(), member); }
  std::string digest() {
    const auto facts = look_at("a");
    EXPECT_TRUE(facts.manifest);
    return facts.manifest ? facts.manifest->digest : "unknown: " + facts.manifest.why();
  }

  static std::string endpoint(const std::string& name) { return "https://10.0.0." + name + ":2379"; }
  static std::vector<fakes::Seat> seats() {
    std::vector<fakes::Seat> seats;
    for (const char* name : {"a", "b", "c"}) {
      seats.push_back({name, "https://10.0.0." + std::string(name) + ":2380", endpoint(name)});
    }
    return seats;
  }

  model::Desired desired_;
  Question question_;
  fakes::FakeNode node_;
  fakes::OneByOne parallel_;
  fakes::FakeClock clock_;
  fakes::FakeEtcd etcd_{clock_, base::parse_version("3.5.21").value(), seats()};

 private:
  renderers::Boot keep_ = renderers::BootKeep{};
};

}  // namespace

TEST_F(NodeView, FilesThatAreWhatTheFileAsksForHaveTheDigestOfTheBundle) {
  install();
  EXPECT_EQ(digest(), question_.bundles.at("a").digest);
}

TEST_F(NodeView, FilesOfTheUserThatRunsUsAreAsGoodAsRoots) {
  install();
  for (auto& [path, file] : node_.files) {
    file.owner = "me";
    file.owned_by_us = true;
  }
  EXPECT_EQ(digest(), question_.bundles.at("a").digest);
}

TEST_F(NodeView, AnotherModeOwnerOrContentIsAnotherDigest) {
  install();
  const std::string wanted = question_.bundles.at("a").digest;
  const auto files = node_.files;
  node_.files.begin()->second.mode ^= 0022;
  EXPECT_NE(digest(), wanted);
  node_.files = files;
  node_.files.begin()->second.owner = "mallory";
  EXPECT_NE(digest(), wanted);
  node_.files = files;
  node_.files.begin()->second.content += "enable-pprof: true\n";
  EXPECT_NE(digest(), wanted);
}

TEST_F(NodeView, TheBootModeOnDiskIsNoDifference) {
  install();
  const renderers::Boot boot = renderers::BootJoin{"a=https://10.0.0.11:2380"};
  const auto joined =
      renderers::render_member({desired_, a(), boot, renderers::config_path("/var/lib/quorate", desired_, a())});
  ASSERT_TRUE(joined);
  for (const renderers::File& file : joined->files) node_.files[file.path].content = file.content;
  EXPECT_EQ(digest(), question_.bundles.at("a").digest);
}

TEST_F(NodeView, WhetherTheConfigurationSaysKeepIsReadFromTheFile) {
  install();
  EXPECT_TRUE(look_at("a").manifest->keep);
  const renderers::Boot boot = renderers::BootNew{"prod-d1"};
  const auto begun =
      renderers::render_member({desired_, a(), boot, renderers::config_path("/var/lib/quorate", desired_, a())});
  ASSERT_TRUE(begun);
  for (const renderers::File& file : begun->files) node_.files[file.path].content = file.content;
  EXPECT_FALSE(look_at("a").manifest->keep);
  node_.files.clear();
  EXPECT_FALSE(look_at("a").manifest->keep);
}

TEST_F(NodeView, AnotherConfigurationInModeKeepStillSaysKeep) {
  install();
  const std::string path = renderers::config_path("/var/lib/quorate", desired_, a());
  node_.files.at(path).content += "snapshot-count: 7\n";
  const auto facts = look_at("a");
  EXPECT_TRUE(facts.manifest->keep);
  EXPECT_NE(facts.manifest->digest, question_.bundles.at("a").digest);
}

TEST_F(NodeView, NoFilesAreNoDigest) {
  render();
  EXPECT_EQ(digest(), "");
}

TEST_F(NodeView, OneFileOfTwoIsADigestOfItsOwn) {
  desired_ = support::DesiredBuilder{}.systemd().build();
  install();
  ASSERT_EQ(node_.files.size(), 2u);
  node_.files.erase(node_.files.begin());
  const std::string seen = digest();
  EXPECT_NE(seen, "");
  EXPECT_NE(seen, question_.bundles.at("a").digest);
}

TEST_F(NodeView, AFileThatCannotBeReadMakesTheManifestUnknownAndNothingElse) {
  install();
  const std::string path = node_.files.begin()->first;
  node_.unreadable[path] = "permission denied";
  const auto facts = look_at("a");
  ASSERT_FALSE(facts.manifest);
  EXPECT_EQ(facts.manifest.why(), path + ": permission denied");
  EXPECT_TRUE(facts.data);
  EXPECT_TRUE(facts.disk);
}

TEST_F(NodeView, DataOfAnotherClusterAreForeign) {
  render();
  model::DataDir data;
  data.state = DataState::Valid;
  data.path = a().data_dir;
  data.cluster = {0xbad};
  node_.data[a().data_dir] = data;
  const auto facts = look_at("a");
  EXPECT_EQ(facts.data->state, DataState::Foreign);
  EXPECT_THAT(facts.data->problem, HasSubstr("they are of cluster bad, and cluster "));
}

TEST_F(NodeView, DataOfThisClusterAreItsOwn) {
  render();
  model::DataDir data;
  data.state = DataState::Valid;
  data.cluster = etcd_.cluster();
  node_.data[a().data_dir] = data;
  EXPECT_EQ(look_at("a").data->state, DataState::Valid);
}

TEST_F(NodeView, DataAreNotCalledForeignWhileNobodyAnswers) {
  for (const char* name : {"a", "b", "c"}) etcd_.stop(name);
  model::DataDir data;
  data.state = DataState::Valid;
  data.cluster = {0xbad};
  node_.data[a().data_dir] = data;
  EXPECT_EQ(look_at("a").data->state, DataState::Valid);
}

TEST_F(NodeView, AMemberThatLivesElsewhereIsUnknownInEveryRespect) {
  render();
  const auto facts = look_at("b");
  EXPECT_THAT(facts.data.why(), HasSubstr("it lives on b"));
  EXPECT_FALSE(facts.manifest);
  EXPECT_FALSE(facts.process);
  EXPECT_FALSE(facts.certificates);
  EXPECT_FALSE(facts.binaries);
  EXPECT_FALSE(facts.disk);
}

TEST_F(NodeView, FilesOfAMemberThatIsNotOursAreNotLookedAt) {
  desired_.members.front().managed = false;
  EXPECT_THAT(look_at("a").manifest.why(), HasSubstr("managed: false"));
}

TEST_F(NodeView, EachCertificateIsReadOnceAndOneThatIsMissingSaysSo) {
  model::Certificate good;
  good.subject = "CN=etcd";
  for (const std::string& path : {desired_.tls.client.cert, desired_.tls.peer.cert, desired_.tls.client.ca}) {
    node_.certs[path] = good;
  }
  desired_.tls.peer.ca = desired_.tls.client.ca;
  const auto facts = look_at("a");
  ASSERT_TRUE(facts.certificates);
  EXPECT_EQ(facts.certificates->size(), 3u);
  node_.certs.erase(desired_.tls.peer.cert);
  EXPECT_THAT(look_at("a").certificates.why(), HasSubstr("no such file"));
}

TEST_F(NodeView, WithoutTlsThereAreNoCertificates) {
  desired_ = support::DesiredBuilder{}.tls(model::TlsMode::Off).build();
  const auto facts = look_at("a");
  ASSERT_TRUE(facts.certificates);
  EXPECT_TRUE(facts.certificates->empty());
}

TEST_F(NodeView, APodsDataAndBinaryAreNotOnTheNode) {
  desired_ = support::DesiredBuilder{}.kubernetes().build();
  const auto facts = look_at("a");
  EXPECT_EQ(facts.data.why(), "the data live inside the pod");
  EXPECT_THAT(facts.binaries.why(), HasSubstr("image"));
}

TEST_F(NodeView, TheBinaryAtHandSaysItsVersion) {
  node_.binaries["/usr/bin/etcd"] = "3.5.21";
  const auto facts = look_at("a");
  ASSERT_TRUE(facts.binaries);
  EXPECT_EQ(facts.binaries->front().version, "3.5.21");
}

TEST_F(NodeView, TheBinaryOfAMemberThatIsNotOursIsNotRun) {
  node_.binaries["/usr/bin/etcd"] = "3.5.21";
  desired_.members.front().managed = false;
  const auto facts = look_at("a");
  ASSERT_FALSE(facts.binaries);
  EXPECT_EQ(facts.binaries.why(), "managed: false: its programs are not run");
}

TEST_F(NodeView, NodesAreInTheOrderOfTheirMembers) {
  std::swap(desired_.members.front(), desired_.members.back());
  const auto seen = look();
  ASSERT_EQ(seen.nodes.size(), 3u);
  EXPECT_EQ(seen.nodes[0].member, "a");
  EXPECT_EQ(seen.nodes[2].member, "c");
}

TEST_F(NodeView, AClusterThatAnswersIsSeenThroughTheTwinOfEtcd) {
  const auto seen = look();
  ASSERT_TRUE(seen.membership) << seen.membership.why();
  EXPECT_EQ(seen.membership->cluster, etcd_.cluster());
  EXPECT_EQ(model::quorum_of(seen).up, 3);
  EXPECT_EQ(model::leader_of(seen), etcd_.leader());
  etcd_.hang("c");
  const auto later = look();
  EXPECT_EQ(model::quorum_of(later).up, 2);
}

}  // namespace quorate::observe
