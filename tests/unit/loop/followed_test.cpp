// A desired file as one node follows it.
#include "reconciler/loop/followed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "renderers/registry.h"
#include "tests/support/desired_text.h"

namespace quorate::loop {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

TEST(Followed, WhatANodeSaysInsteadIsInItsFilesUnderTheNameThatEverybodyKnows) {
  model::Desired desired = support::desired_of(
      "apiVersion: quorate/v1\nname: lab\nmembers: {a: {address: 10.0.0.1, node: n1}, b: {address: 10.0.0.2, node: "
      "n2}}\n"
      "etcd: {version: \"3.5.16\"}\nruntime: {type: process}\ntls: {mode: \"off\"}\n");
  Bundles bundles = bundles_of(desired, "/state").value();
  const Bundles before = bundles;
  const std::string usual = desired.members.front().data_dir;
  model::AgentSettings settings;
  settings.storage_dir = "/mnt/nvme";
  const auto overrides = localize(settings, "n1", "/state", desired, bundles);
  ASSERT_TRUE(overrides) << overrides.error().message;
  ASSERT_THAT(*overrides, SizeIs(1));
  EXPECT_EQ(desired.members.front().data_dir, "/mnt/nvme/a");
  EXPECT_THAT(bundles.at("a").files.front().content, HasSubstr("/mnt/nvme/a"));
  EXPECT_THAT(bundles.at("a").files.front().content, Not(HasSubstr(usual)));
  EXPECT_EQ(bundles.at("a").digest, before.at("a").digest);
  EXPECT_NE(renderers::digest_of(bundles.at("a").files), before.at("a").digest);
  EXPECT_EQ(bundles.at("b").files.front().content, before.at("b").files.front().content);
}

}  // namespace
}  // namespace quorate::loop
