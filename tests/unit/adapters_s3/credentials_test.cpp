// Keys that somebody wrote down: in files, in the environment, in profiles; and what is said when there are none.
#include "reconciler/adapters/s3/credentials.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/support/temp_folder.h"

namespace quorate::tests {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class S3Credentials : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    fs::permissions(folder_ / name, fs::perms::owner_read | fs::perms::owner_write);
  }
  base::Result<s3::Keys> usual(std::map<std::string, std::string> variables, const std::string& profile = "") {
    variables.emplace("HOME", folder_.path());
    variables.emplace("AWS_EC2_METADATA_DISABLED", "true");
    s3::Surroundings around;
    around.variable = [variables](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? "" : found->second;
    };
    around.profile = profile;
    return s3::make_usual_credentials(around, clock_)->keys();
  }

  fakes::FakeClock clock_;
  TempFolder folder_;
};

TEST_F(S3Credentials, AreReadAnewFromTheirFiles) {
  write("access", "AKID\n");
  write("secret", "first\n");
  const auto credentials = s3::make_file_credentials({folder_ / "access", folder_ / "secret"});
  EXPECT_EQ(credentials->keys().value().secret, "first");
  write("secret", "second");
  EXPECT_EQ(credentials->keys().value().secret, "second");
  write("secret", "two words");
  const auto bad = credentials->keys();
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, Not(HasSubstr("two words")));
  fs::permissions(folder_ / "secret", fs::perms::others_read, fs::perm_options::add);
  EXPECT_EQ(credentials->keys().error().kind, ErrorKind::Refused);
  fs::remove(folder_ / "secret");
  EXPECT_EQ(credentials->keys().error().kind, ErrorKind::Invalid);
}

TEST_F(S3Credentials, OfASessionStandInAThirdFile) {
  write("access", "AKID");
  write("secret", "hush");
  write("token", "session");
  EXPECT_EQ(s3::make_file_credentials({folder_ / "access", folder_ / "secret", folder_ / "token"})->keys()->token,
            "session");
  const auto missing = s3::make_file_credentials({folder_ / "access", folder_ / "secret", folder_ / "none"})->keys();
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr(folder_ / "none"));
}

TEST_F(S3Credentials, OfSystemdAreGuardedByTheirFolder) {
  write("access", "AKID");
  write("secret", "hush");
  // As systemd has it for a unit with a user: an access list, which shows as a right of the group.
  fs::permissions(folder_ / "secret", fs::perms::owner_read | fs::perms::group_read);
  EXPECT_FALSE(s3::make_file_credentials({folder_ / "access", folder_ / "secret"})->keys());
  EXPECT_TRUE(s3::make_file_credentials({folder_ / "access", folder_ / "secret", "", true})->keys());
}

TEST_F(S3Credentials, OfTheEnvironmentGoFirst) {
  fs::create_directory(folder_ / ".aws");
  write(".aws/credentials", "[default]\naws_access_key_id=A\naws_secret_access_key=B\n");
  const auto keys = usual({{"AWS_ACCESS_KEY_ID", "E"}, {"AWS_SECRET_ACCESS_KEY", "F"}, {"AWS_SESSION_TOKEN", "T"}});
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->access + keys->secret + keys->token, "EFT");
  EXPECT_EQ(usual({}).value().access, "A");
  const auto half = usual({{"AWS_ACCESS_KEY_ID", "E"}});
  ASSERT_FALSE(half) << "half a pair does not mean the profile";
}

TEST_F(S3Credentials, OfAProfileStandInEitherFile) {
  write("mine",
        "[other]\naws_access_key_id = X\n# no\n[prod]\n aws_access_key_id = indented\naws_access_key_id = A\r\n"
        "aws_secret_access_key = s=e/c+r\r\naws_session_token = T\n");
  write("config", "[profile work]\nregion = eu\naws_access_key_id=W\naws_secret_access_key=V\n");
  std::map<std::string, std::string> variables = {{"AWS_SHARED_CREDENTIALS_FILE", folder_ / "mine"},
                                                  {"AWS_CONFIG_FILE", folder_ / "config"}};
  variables["AWS_PROFILE"] = "prod";
  const auto prod = usual(variables);
  ASSERT_TRUE(prod) << prod.error().message;
  EXPECT_EQ(prod->access, "A");
  EXPECT_EQ(prod->secret, "s=e/c+r");
  EXPECT_EQ(prod->token, "T");
  variables["AWS_PROFILE"] = "work";
  EXPECT_EQ(usual(variables).value().access, "W");
  variables["AWS_PROFILE"] = "other";
  EXPECT_THAT(usual(variables).error().message, HasSubstr("does not hold a pair of keys"));
  variables["AWS_PROFILE"] = "none";
  EXPECT_THAT(usual(variables).error().message, AllOf(HasSubstr("there are no keys"), HasSubstr("the profile none")));
  EXPECT_EQ(usual(variables, "prod").value().access, "A") << "one that is named goes before the variable";
}

TEST_F(S3Credentials, AreNotPutTogetherFromTwoFiles) {
  write("mine", "[default]\naws_access_key_id=A\naws_secret_access_key=B\n");
  write("config", "[default]\nregion=eu\naws_access_key_id=C\naws_secret_access_key=D\naws_session_token=T\n");
  const auto keys = usual({{"AWS_SHARED_CREDENTIALS_FILE", folder_ / "mine"}, {"AWS_CONFIG_FILE", folder_ / "config"}});
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->access + keys->secret + keys->token, "AB");
}

TEST_F(S3Credentials, ThatAreNowhereAreSaidToBeNowhere) {
  write("config", "[default]\nregion = eu-central-1\n");
  const auto none = usual({{"AWS_CONFIG_FILE", folder_ / "config"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Invalid);
  EXPECT_EQ(
      none.error().message,
      "there are no keys for the store: AWS_ACCESS_KEY_ID is not set; AWS_WEB_IDENTITY_TOKEN_FILE is not set; the "
      "profile default holds neither keys nor a role; AWS_CONTAINER_CREDENTIALS_FULL_URI is not set; "
      "AWS_EC2_METADATA_DISABLED is set");
}

TEST_F(S3Credentials, OfAProfileThatNeedsAnotherProgramAreRefusedByItsName) {
  write("config", "[default]\ncredential_process = /bin/keys\n[profile sso]\nsso_start_url = https://x\n");
  const std::string config = folder_ / "config";
  EXPECT_THAT(usual({{"AWS_CONFIG_FILE", config}}).error().message, HasSubstr("credential_process"));
  EXPECT_THAT(usual({{"AWS_CONFIG_FILE", config}}, "sso").error().message, HasSubstr("sso_start_url"));
}

TEST_F(S3Credentials, CannotCarryASecondHeader) {
  EXPECT_FALSE(usual({{"AWS_ACCESS_KEY_ID", "E"}, {"AWS_SECRET_ACCESS_KEY", "F"}, {"AWS_SESSION_TOKEN", "T\r\nX: y"}}));
}

}  // namespace
}  // namespace quorate::tests
