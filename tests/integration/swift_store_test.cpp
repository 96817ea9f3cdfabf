// Our S3 in front of a store that others wrote: Swift.
#include <chrono>
#include <memory>
#include <string>

#include <curl/curl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/s3/client.h"
#include "reconciler/adapters/s3/s3.h"
#include "reconciler/adapters/system/entropy.h"
#include "tests/contract/object_store_contract.h"
#include "tests/integration/swift_server.h"

namespace quorate::tests {
namespace {

using base::ErrorKind;
using integration::SwiftServer;
using ports::Overwrite;
using ::testing::HasSubstr;

class SystemClock final : public ports::Clock {
 public:
  base::Time now() override {
    return std::chrono::time_point_cast<base::Duration>(std::chrono::system_clock::now()) + off;
  }
  base::Duration elapsed() override { return base::Duration{0}; }
  base::Duration off{0};
};

struct World {
  SwiftServer server;
  SystemClock clock;
  std::unique_ptr<ports::Entropy> entropy = adapters::system::make_entropy();
  std::unique_ptr<s3::Credentials> credentials =
      s3::make_static_credentials({SwiftServer::kAccess, SwiftServer::kSecret, "", {}});
  int places = 0;

  s3::Settings settings(const std::string& base) {
    s3::Settings settings;
    settings.bucket = "backups";
    settings.base = base;
    settings.endpoint = server.endpoint();
    settings.part_size = std::size_t{5} << 20;
    settings.page = 5;
    return settings;
  }
  std::unique_ptr<ports::ObjectStore> store(const s3::Settings& settings) {
    auto made = s3::make_s3_store(settings, *credentials, clock, *entropy);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  // The port makes no buckets, and nobody else does here.
  void make_bucket() {
    const s3::Settings made = settings("");
    s3::Client client(made, *s3::Place::of(made), *credentials, clock, *entropy);
    const auto said = client.ask({"making the bucket", "PUT", "", {}, {}, "", 65536});
    ASSERT_TRUE(said && said->ok()) << (said ? said->answer.body : said.error().message) << server.log();
  }
};

World* world = nullptr;  // one for all tests of this program

class SwiftRuns : public ::testing::Environment {
 public:
  void SetUp() override {
    world = new World();
    world->make_bucket();
  }
  void TearDown() override {
    delete world;
    world = nullptr;
  }
};
const auto* const kSwift = ::testing::AddGlobalTestEnvironment(new SwiftRuns());

class SwiftPlace final : public StorePlace {
 public:
  SwiftPlace() : base_("place" + std::to_string(++world->places)) {}
  std::unique_ptr<ports::ObjectStore> store() override { return world->store(world->settings(base_)); }
  std::unique_ptr<ports::ObjectStore> neighbour() override { return world->store(world->settings(base_ + "x")); }

 private:
  std::string base_;
};

INSTANTIATE_TEST_SUITE_P(Swift, ObjectStoreContract,
                         ::testing::Values(StoreKind{"Swift", [] { return std::make_unique<SwiftPlace>(); }}),
                         name_of_kind);

TEST(OnSwift, WrongSecretsRegionsBucketsAndClocksAreToldApart) {
  const auto refused_as = [](const s3::Settings& settings) {
    const auto got = world->store(settings)->get("x", 10);
    return got ? base::Error{} : got.error();
  };
  s3::Settings settings = world->settings("told-apart");
  settings.bucket = "missing";
  EXPECT_THAT(refused_as(settings).message, HasSubstr("there is no bucket missing"));
  settings = world->settings("told-apart");
  settings.region = "eu-central-1";
  EXPECT_EQ(refused_as(settings).help, "set the region to us-east-1");
  settings = world->settings("told-apart");
  world->clock.off = -std::chrono::hours(2);
  EXPECT_THAT(refused_as(settings).message, HasSubstr("the clocks differ too much"));
  world->clock.off = base::Duration{0};
  auto right = std::move(world->credentials);
  world->credentials = s3::make_static_credentials({SwiftServer::kAccess, "not-it", "", {}});
  const base::Error secret = refused_as(settings);
  world->credentials = std::move(right);
  EXPECT_EQ(secret.kind, ErrorKind::Refused);
  EXPECT_EQ(secret.help, "check the secret key");
}

TEST(OnSwift, UploadsThatWereLeftAreSweptOnceTheyAreOld) {
  auto store = world->store(world->settings("swept"));
  auto writer = store->create("left");
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write(patterned(std::size_t{11} << 20)));
  const auto swept = store->sweep(world->clock.now() + std::chrono::hours(1));
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(*swept, 1);
  EXPECT_EQ(store->sweep(world->clock.now() + std::chrono::hours(1)).value_or(-1), 0);
  EXPECT_FALSE((*writer)->finish());
  const auto listed = store->list("");
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->empty());
}

}  // namespace
}  // namespace quorate::tests
