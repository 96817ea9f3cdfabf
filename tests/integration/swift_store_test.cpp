// Our S3 in front of a store that others wrote: Swift.
#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/object_store_contract.h"
#include "tests/integration/swift_world.h"

namespace quorate::tests {
namespace {

using base::ErrorKind;
using integration::SwiftServer;
using ports::Overwrite;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class SwiftPlace final : public StorePlace {
 public:
  SwiftPlace() : base_("place" + std::to_string(++swift().places)) {}
  std::unique_ptr<ports::ObjectStore> store() override { return swift().store(swift().settings(base_)); }
  std::unique_ptr<ports::ObjectStore> neighbour() override { return swift().store(swift().settings(base_ + "x")); }

 private:
  std::string base_;
};

INSTANTIATE_TEST_SUITE_P(Swift, ObjectStoreContract,
                         ::testing::Values(StoreKind{"Swift", [] { return std::make_unique<SwiftPlace>(); }}),
                         name_of_kind);

TEST(OnSwift, WrongSecretsRegionsBucketsAndClocksAreToldApart) {
  const auto refused_as = [](const s3::Settings& settings) {
    const auto got = swift().store(settings)->get("x", 10);
    return got ? base::Error{} : got.error();
  };
  s3::Settings settings = swift().settings("told-apart");
  settings.bucket = "missing";
  EXPECT_THAT(refused_as(settings).message, HasSubstr("there is no bucket missing"));
  settings = swift().settings("told-apart");
  settings.region = "eu-central-1";
  EXPECT_EQ(refused_as(settings).help, "set the region to us-east-1");
  settings = swift().settings("told-apart");
  swift().clock.off = -std::chrono::hours(2);
  const base::Error skewed = refused_as(settings);
  const std::string ours = base::to_string(swift().clock.now()).substr(0, 14);
  EXPECT_THAT(skewed.message,
              ContainsRegex("the clocks differ too much: here it is " + ours + ".*, at the store .*20"));
  EXPECT_EQ(skewed.kind, ErrorKind::Refused);
  swift().clock.off = base::Duration{0};
  auto right = std::move(swift().credentials);
  swift().credentials = s3::make_static_credentials({SwiftServer::kAccess, "not-it", "", {}});
  const base::Error secret = refused_as(settings);
  swift().credentials = std::move(right);
  EXPECT_EQ(secret.kind, ErrorKind::Refused);
  EXPECT_EQ(secret.help, "check the secret key");
}

TEST(OnSwift, UploadsThatWereLeftAreSweptOnceTheyAreOld) {
  auto store = swift().store(swift().settings("swept"));
  auto writer = store->create("2026-01-01T08:20:30Z-r7-a/etcd.backup.gz", Overwrite::Allowed);
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write(patterned(std::size_t{11} << 20)));
  const auto swept = store->sweep(swift().clock.now() + std::chrono::hours(1));
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(*swept, 1);
  EXPECT_EQ(store->sweep(swift().clock.now() + std::chrono::hours(1)).value_or(-1), 0);
  EXPECT_FALSE((*writer)->finish());
  const auto listed = store->list("");
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->empty());
}

}  // namespace
}  // namespace quorate::tests
