// Which store an address means, and what is said of one that means none.
#include "reconciler/cli/store.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/system/entropy.h"
#include "reconciler/adapters/system/node.h"

namespace quorate::cli {
namespace {

using testing::HasSubstr;

class Stores : public testing::Test {
 protected:
  base::Result<OpenedStore> open(const std::string& address) {
    return open_store(address, *clock_, *entropy_, [&](const std::string& name) { return variables_[name]; });
  }
  std::string problem(const std::string& address) {
    const auto opened = open(address);
    return opened ? "" : opened.error().message;
  }

  std::unique_ptr<ports::Clock> clock_ = adapters::system::make_clock();
  std::unique_ptr<ports::Entropy> entropy_ = adapters::system::make_entropy();
  std::map<std::string, std::string> variables_;
};

TEST_F(Stores, AFolderIsNamedWithItsSchemeOrWithout) {
  for (const char* const address : {"file:///mnt/backups", "/mnt/backups"}) {
    const auto opened = open(address);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->objects->address(), "file:///mnt/backups");
    EXPECT_EQ(opened->credentials, nullptr);
  }
}

TEST_F(Stores, ABucketMayHaveAFolderInIt) {
  variables_ = {{"AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9"}};
  const auto opened = open("s3://etcd/prod/main/");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->objects->address(), "s3://etcd/prod/main");
  EXPECT_NE(opened->credentials, nullptr);
}

TEST_F(Stores, WhatIsNoAddressIsSaidSo) {
  EXPECT_THAT(problem("backups"), HasSubstr("no scheme"));
  EXPECT_THAT(problem("file://backups"), HasSubstr("names no folder"));
  EXPECT_THAT(problem("s3:///prod"), HasSubstr("names no bucket"));
  EXPECT_THAT(problem("ftp://host/prod"), HasSubstr("no store has the scheme ftp"));
}

}  // namespace
}  // namespace quorate::cli
