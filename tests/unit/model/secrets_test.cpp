// What looks like a secret, and lines without them.
#include "reconciler/model/secrets.h"

#include <gtest/gtest.h>

namespace quorate::model {

TEST(Secrets, AreKnownByTheirKeyOrTheirForm) {
  EXPECT_TRUE(looks_secret("secretKey", "abc"));
  EXPECT_TRUE(looks_secret("root_password", "x"));
  EXPECT_TRUE(looks_secret("note", "AKIAIOSFODNN7EXAMPLE"));
  EXPECT_TRUE(looks_secret("url", "https://admin:hunter22@example.com/"));
  EXPECT_TRUE(looks_secret("note", "-----BEGIN PRIVATE KEY-----\nMIIE"));
  EXPECT_TRUE(looks_secret("note", "-----BEGIN CERTIFICATE-----\n-----BEGIN OPENSSH PRIVATE KEY-----\n"));
  EXPECT_TRUE(looks_secret("url", "https://ghp_0123456789abcdef@github.com/x"));
  EXPECT_TRUE(looks_secret("sessionToken", "x"));
  EXPECT_TRUE(looks_secret("secret", "*hunter2"));
}

TEST(Secrets, PlacesAndNamesAreNone) {
  EXPECT_FALSE(looks_secret("passwordFile", "/etc/quorate/secrets/password"));
  EXPECT_FALSE(looks_secret("key", "etcd.key"));
  EXPECT_FALSE(looks_secret("token", "kube-etcd"));
  EXPECT_FALSE(looks_secret("secretKey", ""));
  EXPECT_FALSE(looks_secret("tlsSecret", "prod-tls"));
  EXPECT_FALSE(looks_secret("note", "tokens start with ghp_ here"));
  EXPECT_FALSE(looks_secret("url", "https://10.0.0.1:2379"));
  EXPECT_FALSE(looks_secret("address", "admin@example.com"));
}

TEST(Secrets, AreMaskedInALineAndTheCaretMovesAlong) {
  const auto masked = mask_secrets("  s3: {secretKey: wJalrXUtnFEMIexample, region: us-west-2}", 41);
  EXPECT_EQ(masked.line, "  s3: {secretKey: ****, region: us-west-2}");
  EXPECT_EQ(masked.line.substr(static_cast<std::size_t>(masked.caret) - 1, 6), "region");
  EXPECT_EQ(mask_secrets("password: hunter2", 11).caret, 11);
}

TEST(Secrets, AreMaskedInLinesThatDoNotParse) {
  EXPECT_EQ(mask_secrets("\"secretKey\": \"abc", 1).line, "\"secretKey\": ****");
  EXPECT_EQ(mask_secrets("- AKIAIOSFODNN7EXAMPLE # old", 1).line, "- **** # old");
  EXPECT_EQ(mask_secrets("see: https://u:pass@h/", 1).line, "see: ****");
  EXPECT_EQ(mask_secrets("  AKIAIOSFODNN7EXAMPLE", 1).line, "  ****");
  EXPECT_EQ(mask_secrets("name: prod", 1).line, "name: prod");
}

}  // namespace quorate::model
