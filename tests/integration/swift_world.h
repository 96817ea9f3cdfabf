// What all tests on Swift have: one server, one bucket, and stores in it.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "reconciler/adapters/s3/s3.h"
#include "reconciler/adapters/system/entropy.h"
#include "tests/integration/swift_server.h"
#include "tests/support/shifted_clock.h"

namespace quorate::tests {

struct SwiftWorld {
  integration::SwiftServer server;
  ShiftedClock clock;
  std::unique_ptr<ports::Entropy> entropy = adapters::system::make_entropy();
  std::unique_ptr<s3::Credentials> credentials =
      s3::make_static_credentials({integration::SwiftServer::kAccess, integration::SwiftServer::kSecret, "", {}});
  int places = 0;

  s3::Settings settings(const std::string& base) const;
  std::unique_ptr<ports::ObjectStore> store(const s3::Settings& settings);
  void make_bucket();  // the port makes none, and nobody else does here

  static constexpr const char* kBucket = "backups";
};

SwiftWorld& swift();  // lives as long as the tests of this program

}  // namespace quorate::tests
