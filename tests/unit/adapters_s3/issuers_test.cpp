// Keys for a time: from STS, the agent of a container and the machine, kept and renewed.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/adapters/s3/sigv4.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/issuer_double.h"
#include "tests/support/temp_folder.h"

namespace quorate::tests {
namespace {

using base::ErrorKind;
using fakes::IssuerDouble;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRole = "arn:aws:iam::123456789012:role/backups";
const std::string kRoles = "/latest/meta-data/iam/security-credentials/";

class IssuedKeys : public ::testing::Test {
 protected:
  IssuedKeys() {
    clock_.set(*base::parse_time("2026-11-19T12:00:00Z"));
    variables_ = {{"HOME", folder_.path()}, {"AWS_EC2_METADATA_DISABLED", "true"}};
  }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string in(std::chrono::minutes time) { return base::to_string(clock_.now() + time); }

  s3::Credentials& credentials() {
    if (!credentials_) {
      s3::Surroundings around;
      around.variable = [this](const std::string& name) {
        const auto found = variables_.find(name);
        return found == variables_.end() ? "" : found->second;
      };
      around.region = "eu-central-1";
      around.container_host = server_.endpoint();
      credentials_ = s3::make_usual_credentials(around, clock_);
    }
    return *credentials_;
  }
  std::string access() {
    const auto keys = credentials().keys();
    return keys ? keys->access : "error: " + keys.error().message;
  }

  void as_web_identity() {
    write("token", "first.web.token\n");
    variables_["AWS_WEB_IDENTITY_TOKEN_FILE"] = folder_ / "token";
    variables_["AWS_ROLE_ARN"] = kRole;
    variables_["AWS_ENDPOINT_URL_STS"] = server_.endpoint() + "/";
  }
  void as_machine() {
    variables_.erase("AWS_EC2_METADATA_DISABLED");
    variables_["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = server_.endpoint() + "/";
    server_.answer("PUT /latest/api/token", {200, "imds-token"});
    server_.answer("GET " + kRoles, {200, "backups-role\n"});
  }

  fakes::FakeClock clock_;
  TempFolder folder_;
  IssuerDouble server_;
  std::map<std::string, std::string> variables_;
  std::unique_ptr<s3::Credentials> credentials_;
};

TEST_F(IssuedKeys, OfAWebIdentityAreKeptUntilShortlyBeforeTheyEnd) {
  as_web_identity();
  server_.answer("POST /",
                 {200, IssuerDouble::sts("AssumeRoleWithWebIdentity", "ASIA1", in(std::chrono::minutes{60}))});
  const auto keys = credentials().keys();
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->access + " " + keys->secret + " " + keys->token, "ASIA1 secret-of-ASIA1 token-of-ASIA1");
  ASSERT_EQ(server_.said("POST /").size(), 1U);
  auto form = server_.said("POST /").back().form;
  EXPECT_EQ(form["Action"], "AssumeRoleWithWebIdentity");
  EXPECT_EQ(form["RoleArn"], kRole);
  EXPECT_EQ(form["RoleSessionName"], "quorate");
  EXPECT_EQ(form["WebIdentityToken"], "first.web.token");

  clock_.advance(std::chrono::minutes{54});
  EXPECT_EQ(access(), "ASIA1");
  EXPECT_EQ(server_.said("POST /").size(), 1U);
  clock_.advance(std::chrono::minutes{2});
  write("token", "second.web.token\n");
  server_.answer("POST /",
                 {200, IssuerDouble::sts("AssumeRoleWithWebIdentity", "ASIA2", in(std::chrono::minutes{60}))});
  EXPECT_EQ(access(), "ASIA2");
  EXPECT_EQ(server_.said("POST /").back().form["WebIdentityToken"], "second.web.token");
}

TEST_F(IssuedKeys, ThatTheStoreTakesNoMoreAreAskedForAnew) {
  as_web_identity();
  server_.answer("POST /",
                 {200, IssuerDouble::sts("AssumeRoleWithWebIdentity", "ASIA1", in(std::chrono::minutes{60}))});
  const auto first = credentials().keys();
  ASSERT_TRUE(first);
  credentials().expired({"another", "", "", {}});
  EXPECT_EQ(access(), "ASIA1");
  EXPECT_EQ(server_.said("POST /").size(), 1U);
  server_.answer("POST /",
                 {200, IssuerDouble::sts("AssumeRoleWithWebIdentity", "ASIA2", in(std::chrono::minutes{60}))});
  credentials().expired(*first);
  EXPECT_EQ(access(), "ASIA2");
}

TEST_F(IssuedKeys, AreUsedToTheirEndWhenNoNewOnesCanBeHad) {
  as_web_identity();
  server_.answer("POST /",
                 {200, IssuerDouble::sts("AssumeRoleWithWebIdentity", "ASIA1", in(std::chrono::minutes{60}))});
  ASSERT_EQ(access(), "ASIA1");
  server_.answer("POST /", {503, "<ErrorResponse><Error><Code>ServiceUnavailable</Code></Error></ErrorResponse>"});
  clock_.advance(std::chrono::minutes{57});
  EXPECT_EQ(access(), "ASIA1");
  const std::size_t asked = server_.said("POST /").size();
  EXPECT_EQ(access(), "ASIA1");
  EXPECT_EQ(server_.said("POST /").size(), asked) << "not with every request";
  clock_.advance(std::chrono::minutes{4});
  const auto over = credentials().keys();
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().kind, ErrorKind::Transient);
}

TEST_F(IssuedKeys, AreRefusedInStsOwnWordsAndWithoutTheToken) {
  as_web_identity();
  server_.answer("POST /", {400,
                            "<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredTokenException</Code><Message>Token "
                            "first.web.token expired</Message></Error></ErrorResponse>"});
  const auto refused = credentials().keys();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr(kRole), HasSubstr("ExpiredTokenException: Token *** expired"),
                                             Not(HasSubstr("first.web"))));
  variables_.erase("AWS_ROLE_ARN");
  EXPECT_THAT(access(), HasSubstr("AWS_ROLE_ARN is not"));
}

TEST_F(IssuedKeys, OfARoleAreAskedForWithTheKeysOfAnotherProfile) {
  write(
      "config",
      "[profile prod]\nrole_arn = " + std::string(kRole) +
          "\nsource_profile = base\nexternal_id = shared with me\nrole_session_name = nightly\nduration_seconds = 900\n"
          "[profile base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = base-secret\n");
  variables_["AWS_CONFIG_FILE"] = folder_ / "config";
  variables_["AWS_PROFILE"] = "prod";
  variables_["AWS_ENDPOINT_URL_STS"] = server_.endpoint();
  server_.answer("POST /", {200, IssuerDouble::sts("AssumeRole", "ASIAROLE", in(std::chrono::minutes{15}))});
  EXPECT_EQ(access(), "ASIAROLE");
  auto said = server_.said("POST /").back();
  EXPECT_EQ(said.form["Action"], "AssumeRole");
  EXPECT_EQ(said.form["ExternalId"], "shared with me");
  EXPECT_EQ(said.form["RoleSessionName"], "nightly");
  EXPECT_EQ(said.form["DurationSeconds"], "900");
  s3::Pairs form;
  for (const auto& pair : said.form) form.push_back(pair);
  const s3::Request again{"POST",
                          "/",
                          {},
                          {{"content-type", "application/x-www-form-urlencoded"},
                           {"host", server_.endpoint().substr(std::string("http://").size())}},
                          s3::sha256_hex(s3::encoded_query(form))};
  const auto added = s3::sign(again, {"AKIDBASE", "base-secret", "", "eu-central-1", "sts"}, clock_.now());
  EXPECT_EQ(said.headers["authorization"], added.back().second);
}

TEST_F(IssuedKeys, OfRolesThatCannotBeTakenSayWhy) {
  write("config",
        "[profile alone]\nrole_arn = r\n[profile code]\nrole_arn = r\nsource_profile = alone\nmfa_serial = m\n"
        "[profile a]\nrole_arn = r\nsource_profile = b\n[profile b]\nrole_arn = r\nsource_profile = a\n"
        "[profile lost]\nrole_arn = r\nsource_profile = nobody\n");
  variables_["AWS_CONFIG_FILE"] = folder_ / "config";
  const auto problem = [this](const std::string& profile) {
    variables_["AWS_PROFILE"] = profile;
    return access();
  };
  EXPECT_THAT(problem("alone"), HasSubstr("has a role, and nothing to take it with"));
  EXPECT_THAT(problem("code"), HasSubstr("mfa_serial"));
  EXPECT_THAT(problem("a"), HasSubstr("go round in a circle"));
  EXPECT_THAT(problem("lost"), HasSubstr("there is no profile nobody, which lost names"));
}

TEST_F(IssuedKeys, OfARoleMayBeTakenWithAWebIdentityOrWithTheContainersKeys) {
  write("token", "a.web.token");
  write("config", "[profile web]\nrole_arn = r\nweb_identity_token_file = " + (folder_ / "token") +
                      "\n[profile ecs]\nrole_arn = r\ncredential_source = EcsContainer\n");
  variables_["AWS_CONFIG_FILE"] = folder_ / "config";
  variables_["AWS_ENDPOINT_URL"] = server_.endpoint();
  variables_["AWS_PROFILE"] = "web";
  server_.answer("POST /",
                 {200, IssuerDouble::sts("AssumeRoleWithWebIdentity", "ASIAWEB", in(std::chrono::minutes{60}))});
  EXPECT_EQ(access(), "ASIAWEB");
  variables_["AWS_PROFILE"] = "ecs";
  variables_["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/keys";
  server_.answer("GET /keys", {200, IssuerDouble::json("ASIATASK", in(std::chrono::minutes{60}))});
  server_.answer("POST /", {200, IssuerDouble::sts("AssumeRole", "ASIAECS", in(std::chrono::minutes{60}))});
  EXPECT_EQ(access(), "ASIAECS");
  EXPECT_EQ(server_.said("POST /").back().headers["x-amz-security-token"], "token-of-ASIATASK");
}

TEST_F(IssuedKeys, OfAContainerComeFromItsAgent) {
  variables_["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/credentials/1";
  server_.answer("GET /v2/credentials/1", {200, IssuerDouble::json("ASIAECS", in(std::chrono::minutes{60}))});
  const auto keys = credentials().keys();
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->access + " " + keys->token, "ASIAECS token-of-ASIAECS");
  EXPECT_TRUE(keys->expires.has_value());
}

TEST_F(IssuedKeys, OfAPodComeWithTheTokenOfItsFile) {
  variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server_.endpoint() + "/v1/credentials";
  write("pod-token", "first pod token\n");
  variables_["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = folder_ / "pod-token";
  server_.answer("GET /v1/credentials", {200, IssuerDouble::json("ASIAPOD", in(std::chrono::minutes{20}))});
  ASSERT_EQ(access(), "ASIAPOD");
  EXPECT_EQ(server_.said("GET /v1/credentials").back().headers["authorization"], "first pod token");
  write("pod-token", "second pod token");
  clock_.advance(std::chrono::minutes{16});
  ASSERT_EQ(access(), "ASIAPOD");
  EXPECT_EQ(server_.said("GET /v1/credentials").back().headers["authorization"], "second pod token");
  write("pod-token", "two\r\nX-Evil: lines");
  clock_.advance(std::chrono::minutes{60});
  EXPECT_THAT(access(), HasSubstr("cannot stand in a header"));
}

TEST_F(IssuedKeys, AreNotAskedForAtAStrangersAddress) {
  for (const char* const url : {"http://10.0.0.1/keys", "http://keys.example/", "ftp://127.0.0.1/",
                                "file:///etc/passwd", "http://127.0.0.1@10.0.0.1/", "127.0.0.1/keys", "http://"}) {
    variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url;
    EXPECT_THAT(access(), HasSubstr("keys are not asked for at the address")) << url;
  }
}

TEST_F(IssuedKeys, OfTheMachineComeByATokenOfASession) {
  as_machine();
  server_.answer("GET " + kRoles + "backups-role", {200, IssuerDouble::json("ASIAEC2", in(std::chrono::minutes{360}))});
  EXPECT_EQ(access(), "ASIAEC2");
  EXPECT_EQ(server_.said("PUT /latest/api/token").back().headers["x-aws-ec2-metadata-token-ttl-seconds"], "21600");
  EXPECT_EQ(server_.said("GET " + kRoles + "backups-role").back().headers["x-aws-ec2-metadata-token"], "imds-token");
  EXPECT_EQ(access(), "ASIAEC2");
  EXPECT_EQ(server_.said("PUT /latest/api/token").size(), 1U);
}

TEST_F(IssuedKeys, OfAMachineThatDoesNotAnswerAreGivenUpSoon) {
  as_machine();
  server_.answer("PUT /latest/api/token", {200, "", -1, true});
  const auto began = std::chrono::steady_clock::now();
  const auto none = credentials().keys();
  const auto took = std::chrono::steady_clock::now() - began;
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, AllOf(HasSubstr("there are no keys"), HasSubstr("does not answer")));
  EXPECT_LT(took, std::chrono::seconds{5});
}

TEST_F(IssuedKeys, OfAMachineThatGaveSomeBeforeMayComeAgainWhenItIsSilent) {
  as_machine();
  server_.answer("GET " + kRoles + "backups-role", {200, IssuerDouble::json("ASIAEC2", in(std::chrono::minutes{360}))});
  const auto keys = credentials().keys();
  ASSERT_TRUE(keys);
  credentials().expired(*keys);
  server_.answer("PUT /latest/api/token", {200, "", -1, true});
  const auto silent = credentials().keys();
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().kind, ErrorKind::Transient) << silent.error().message;
  server_.answer("PUT /latest/api/token", {200, "imds-token"});
  EXPECT_EQ(access(), "ASIAEC2");
}

TEST_F(IssuedKeys, OfAMachineWithoutATokenOrARoleAreSaidNotToBeThere) {
  as_machine();
  server_.answer("PUT /latest/api/token", {403, ""});
  EXPECT_THAT(access(), HasSubstr("gives no token: HTTP status 403"));
  server_.answer("PUT /latest/api/token", {200, "imds-token"});
  server_.answer("GET " + kRoles, {404, ""});
  EXPECT_THAT(access(), HasSubstr("the machine has no role"));
}

TEST_F(IssuedKeys, ThatAreNoneAreNotTakenForSome) {
  as_machine();
  const std::string what = "GET " + kRoles + "backups-role";
  for (const std::string body : {"", "[]", "{}", "<html>", R"({"AccessKeyId": 1, "SecretAccessKey": []})",
                                 R"({"AccessKeyId":"A","SecretAccessKey":"B","Expiration":"tomorrow"})",
                                 R"({"AccessKeyId":"A\r\nX: y","SecretAccessKey":"B"})"}) {
    server_.answer(what, {200, body});
    const auto none = credentials().keys();
    ASSERT_FALSE(none) << body;
    EXPECT_EQ(none.error().kind, ErrorKind::Invalid) << body;
  }
  server_.answer(what, {200, R"({"Code":"AssumeRoleUnauthorizedAccess"})"});
  EXPECT_THAT(access(), HasSubstr("it says AssumeRoleUnauthorizedAccess"));
  server_.answer(what, {500, ""});
  const auto busy = credentials().keys();
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().kind, ErrorKind::Transient);
}

}  // namespace
}  // namespace quorate::tests
