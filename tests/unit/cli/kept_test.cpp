// What the agents of a node find again when they are started anew: the last valid file, and what people have said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/cli/last_valid.h"
#include "reconciler/cli/said.h"
#include "tests/fakes/fake_host.h"

namespace quorate::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const base::Time kNow = base::parse_time("2026-09-24T10:00:00Z").value();

model::Allowed yes(const std::string& what, base::Duration span) {
  model::Allowed allowed;
  allowed.what = what;
  allowed.steps = {"restore/a@1"};
  allowed.by = "ops@example.com";
  allowed.until = kNow + span;
  allowed.reason = "two disks are gone";
  allowed.desired_digest = "d1";
  allowed.cluster.value = 0xcdf8;
  return allowed;
}

class Kept : public testing::Test {
 protected:
  Said again(const Said& said, base::Time now) {
    EXPECT_TRUE(keep_said(host_, path_, said, now));
    const auto read = said_in(host_, path_);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return read.value_or(Said{});
  }

  std::vector<std::string> done_;
  fakes::FakeHost host_{done_};
  const std::string path_ = said_path("/var/lib/quorate", "prod");
};

TEST_F(Kept, AYesAndAPauseAreReadAsTheyWereSaid) {
  Said said;
  said.allowed = {yes("restore/a@1", std::chrono::hours{1})};
  said.paused = model::Paused{"switch in rack 4", kNow + std::chrono::hours{2}, {"etcd-a"}};
  const Said read = again(said, kNow);
  ASSERT_THAT(read.allowed, SizeIs(1));
  EXPECT_EQ(read.allowed[0].what, "restore/a@1");
  EXPECT_THAT(read.allowed[0].steps, ElementsAre("restore/a@1"));
  EXPECT_EQ(read.allowed[0].by, "ops@example.com");
  EXPECT_EQ(read.allowed[0].until, said.allowed[0].until);
  EXPECT_EQ(read.allowed[0].desired_digest, "d1");
  EXPECT_EQ(read.allowed[0].cluster.value, 0xcdf8U);
  EXPECT_FALSE(read.allowed[0].denied);
  EXPECT_EQ(read.paused, said.paused);
}

TEST_F(Kept, WhatHasEndedIsNotKept) {
  Said said;
  said.allowed = {yes("x", std::chrono::hours{1}), yes("y", std::chrono::hours{3})};
  said.paused = model::Paused{"", kNow + std::chrono::hours{1}, {}};
  const Said read = again(said, kNow + std::chrono::hours{2});
  ASSERT_THAT(read.allowed, SizeIs(1));
  EXPECT_EQ(read.allowed[0].what, "y");
  EXPECT_FALSE(read.paused);
}

TEST_F(Kept, AYesAndANoAreForgottenEachForItself) {
  model::Allowed no = yes("x", std::chrono::hours{1});
  no.denied = true;
  Said said;
  said.allowed = {yes("x", std::chrono::hours{1}), no};
  forget(said, yes("x", std::chrono::hours{3}));
  ASSERT_THAT(said.allowed, SizeIs(1));
  EXPECT_TRUE(said.allowed[0].denied);
}

TEST_F(Kept, ADamagedFileIsNotTheSameAsNone) {
  EXPECT_THAT(said_in(host_, path_).value().allowed, IsEmpty());
  ASSERT_TRUE(host_.write_file({path_, "{", 0600, ""}));
  EXPECT_FALSE(said_in(host_, path_));
}

TEST_F(Kept, TheLastValidFileIsReadWithItsFolderAndForThatFileAlone) {
  const model::Source source("/etc/quorate/cluster.yaml", "name: prod\n", "/etc/quorate");
  EXPECT_FALSE(last_valid_of(host_, "/var/lib/quorate", source.name()).value());
  ASSERT_TRUE(keep_last_valid(host_, "/var/lib/quorate", source));
  const auto read = last_valid_of(host_, "/var/lib/quorate", source.name());
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->text(), source.text());
  EXPECT_EQ((*read)->directory(), source.directory());
  EXPECT_FALSE(last_valid_of(host_, "/var/lib/quorate", "/etc/quorate/other.yaml").value());
}

}  // namespace
}  // namespace quorate::cli
