// Where keys come from, and what is said when there are none.
#include "reconciler/adapters/s3/credentials.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/s3/profile.h"
#include "tests/support/temp_folder.h"

namespace quorate::tests {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using ::testing::HasSubstr;
using ::testing::Not;

class S3Credentials : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    fs::permissions(folder_ / name, fs::perms::owner_read | fs::perms::owner_write);
  }
  base::Result<s3::Keys> usual(std::map<std::string, std::string> variables) {
    variables.emplace("HOME", folder_.path());
    return s3::make_usual_credentials([variables](const std::string& name) {
             const auto found = variables.find(name);
             return found == variables.end() ? "" : found->second;
           })
        ->keys();
  }

  TempFolder folder_;
};

TEST_F(S3Credentials, AreReadAnewFromTheirFiles) {
  write("access", "AKID\n");
  write("secret", "first\n");
  const auto credentials = s3::make_file_credentials(folder_ / "access", folder_ / "secret");
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
  EXPECT_THAT(usual(variables).error().message, HasSubstr("there are no keys"));
}

TEST_F(S3Credentials, CannotCarryASecondHeader) {
  EXPECT_FALSE(usual({{"AWS_ACCESS_KEY_ID", "E"}, {"AWS_SECRET_ACCESS_KEY", "F"}, {"AWS_SESSION_TOKEN", "T\r\nX: y"}}));
}

}  // namespace
}  // namespace quorate::tests
