// Swift starts before the first test of the program and ends after the last.
#include "tests/integration/swift_world.h"

#include <utility>

#include <gtest/gtest.h>

#include "reconciler/adapters/s3/client.h"

namespace quorate::tests {
namespace {

SwiftWorld* world = nullptr;

class SwiftRuns : public ::testing::Environment {
 public:
  void SetUp() override {
    world = new SwiftWorld();
    world->make_bucket();
  }
  void TearDown() override {
    delete world;
    world = nullptr;
  }
};
const auto* const kSwift = ::testing::AddGlobalTestEnvironment(new SwiftRuns());

}  // namespace

SwiftWorld& swift() {
  return *world;
}

s3::Settings SwiftWorld::settings(const std::string& base) const {
  s3::Settings settings;
  settings.bucket = kBucket;
  settings.base = base;
  settings.endpoint = server.endpoint();
  settings.part_size = std::size_t{5} << 20;
  settings.page = 5;
  return settings;
}

std::unique_ptr<ports::ObjectStore> SwiftWorld::store(const s3::Settings& settings) {
  auto made = s3::make_s3_store(settings, *credentials, clock, *entropy);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

void SwiftWorld::make_bucket() {
  const s3::Settings made = settings("");
  s3::Client client(made, *s3::Place::of(made), *credentials, clock, *entropy);
  const auto said = client.ask({"making the bucket", "PUT", "", {}, {}, "", 65536});
  ASSERT_TRUE(said && said->ok()) << (said ? said->answer.body : said.error().message) << server.log();
}

}  // namespace quorate::tests
