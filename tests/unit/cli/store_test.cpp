// Which store an address means, and what is said of one that means none.
#include "reconciler/cli/store.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/system/entropy.h"
#include "reconciler/adapters/system/node.h"
#include "tests/support/temp_folder.h"

namespace quorate::cli {
namespace {

using testing::HasSubstr;

class Stores : public testing::Test {
 protected:
  base::Result<OpenedStore> open(const std::string& address) {
    return open_store({address}, *clock_, *entropy_, [&](const std::string& name) { return variables_[name]; });
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

class StoresInBuckets : public Stores {
 protected:
  StoresInBuckets() {
    variables_ = {{"HOME", folder_.path()}, {"AWS_EC2_METADATA_DISABLED", "true"}};
    settings_.address = "s3://etcd/prod";
    settings_.endpoint = "http://127.0.0.1:9";
    write("access", "AKIDFILE\n");
    write("secret", "hush\n");
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_read);
  }
  std::string access() {
    const auto opened =
        open_store(settings_, *clock_, *entropy_, [&](const std::string& name) { return variables_[name]; });
    if (!opened) return "error: " + opened.error().message;
    const auto keys = opened->credentials->keys();
    return keys ? keys->access : "error: " + keys.error().message;
  }

  tests::TempFolder folder_;
  StoreSettings settings_;
};

TEST_F(StoresInBuckets, HaveTheirKeysInFilesWhereTheyAreNamed) {
  variables_["AWS_ACCESS_KEY_ID"] = "AKIDENV";
  variables_["AWS_SECRET_ACCESS_KEY"] = "of the environment";
  settings_.access_key.file = folder_ / "access";
  EXPECT_THAT(access(), HasSubstr("only one is named"));
  settings_.secret_key.file = folder_ / "secret";
  EXPECT_EQ(access(), "AKIDFILE");
  settings_.secret_key.credential = "secret";
  EXPECT_THAT(access(), HasSubstr("not in both"));
}

TEST_F(StoresInBuckets, HaveTheirKeysInCredentialsOfSystemd) {
  settings_.access_key.credential = "access";
  settings_.secret_key.credential = "secret";
  EXPECT_THAT(access(), HasSubstr("the credential access of the store is not there"));
  variables_["CREDENTIALS_DIRECTORY"] = folder_.path();
  EXPECT_EQ(access(), "AKIDFILE");
  settings_.secret_key.credential = "../secret";
  EXPECT_THAT(access(), HasSubstr("is not there"));
}

TEST_F(StoresInBuckets, HaveTheRestFromTheEnvironmentOrTheProfile) {
  write("config",
        "[profile etcd]\nregion = not a region\nendpoint_url = http://127.0.0.1:9\naws_access_key_id = AKIDPROFILE\n"
        "aws_secret_access_key = hush\n");
  variables_["AWS_CONFIG_FILE"] = folder_ / "config";
  settings_.profile = "etcd";
  EXPECT_THAT(access(), HasSubstr("the region of the store is none")) << "the profile's";
  variables_["AWS_REGION"] = "also not one";
  EXPECT_THAT(access(), HasSubstr("the region of the store is none")) << "the environment's";
  settings_.region = "eu-central-1";
  EXPECT_EQ(access(), "AKIDPROFILE");
  settings_.endpoint = "";
  EXPECT_EQ(access(), "AKIDPROFILE");
  variables_["AWS_ENDPOINT_URL"] = "ftp://x";
  EXPECT_THAT(access(), HasSubstr("the endpoint of the store"));
}

TEST_F(StoresInBuckets, SayWhichWishMakesNoSense) {
  settings_.encryption = "rot13";
  EXPECT_THAT(access(), HasSubstr("no such encryption"));
  settings_.encryption = "";
  settings_.endpoint = "https://10.0.0.1:9000";
  settings_.path_style = false;
  EXPECT_THAT(access(), HasSubstr("cannot be part of a host's name"));
  settings_.path_style = true;
  EXPECT_THAT(access(), HasSubstr("there are no keys for the store"));
}

TEST_F(Stores, WhatIsNoAddressIsSaidSo) {
  EXPECT_THAT(problem("backups"), HasSubstr("no scheme"));
  EXPECT_THAT(problem("file://backups"), HasSubstr("names no folder"));
  EXPECT_THAT(problem("s3:///prod"), HasSubstr("names no bucket"));
  EXPECT_THAT(problem("ftp://host/prod"), HasSubstr("no store has the scheme ftp"));
}

}  // namespace
}  // namespace quorate::cli
