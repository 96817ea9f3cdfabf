// What the notary makes is what OpenSSL's own tool takes for keys and certificates.
#include "reconciler/adapters/system/notary.h"

#include <gtest/gtest.h>

#include "reconciler/adapters/system/certificate.h"
#include "reconciler/adapters/system/host.h"
#include "reconciler/adapters/system/programs.h"
#include "tests/support/temp_folder.h"

namespace quorate::adapters::system {
namespace {

class NotaryTest : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    const std::string path = folder_.path() + "/" + name;
    EXPECT_TRUE(make_host()->write_file({path, content, 0600, ""}));
    return path;
  }
  bool openssl(std::vector<std::string> argv) {
    argv.insert(argv.begin(), "openssl");
    const auto ended = programs_.run(argv, "", base::Duration{10000});
    return ended && ended->status == 0;
  }

  tests::TempFolder folder_;
  SystemPrograms programs_;
  std::unique_ptr<ports::Notary> notary_ = make_notary();
};

TEST_F(NotaryTest, APassIsGoodForServersAndClientsUnderItsAuthorityAlone) {
  const std::string key = notary_->new_key().value();
  const std::string authority = notary_->new_authority("fence of decision d2").value();
  const std::string stranger = notary_->new_authority("fence of decision d2").value();
  const std::string ca = file("ca.pem", notary_->certificate_of(authority).value());
  const std::string other = file("other.pem", notary_->certificate_of(stranger).value());
  const std::string pass = file("pass.pem", notary_->sign(authority, notary_->public_key(key).value(), "a").value());
  for (const char* purpose : {"sslserver", "sslclient"}) {
    EXPECT_TRUE(openssl({"verify", "-x509_strict", "-purpose", purpose, "-CAfile", ca, pass}));
    EXPECT_FALSE(openssl({"verify", "-purpose", purpose, "-CAfile", other, pass}));
  }
  EXPECT_TRUE(openssl({"verify", "-verify_hostname", ports::kFenceName, "-CAfile", ca, pass}));
  EXPECT_FALSE(openssl({"verify", "-verify_hostname", "a.example.com", "-CAfile", ca, pass}));
}

TEST_F(NotaryTest, TheCertificateOfAnAuthorityGivesNothingAway) {
  const std::string authority = notary_->new_authority("x").value();
  EXPECT_NE(authority.find("PRIVATE KEY"), std::string::npos);
  const std::string certificate = notary_->certificate_of(authority).value();
  EXPECT_EQ(certificate.find("PRIVATE KEY"), std::string::npos);
  EXPECT_FALSE(notary_->sign(certificate, notary_->public_key(authority).value(), "a")) << "it signs nothing";
}

TEST_F(NotaryTest, KeysAreNeverTheSameTwice) {
  EXPECT_NE(notary_->new_key().value(), notary_->new_key().value());
  const std::string key = notary_->new_key().value();
  EXPECT_EQ(notary_->public_key(key).value(), notary_->public_key(key).value());
}

TEST_F(NotaryTest, WhatIsNoKeyIsRefused) {
  const std::string authority = notary_->new_authority("x").value();
  EXPECT_FALSE(notary_->public_key("nonsense"));
  EXPECT_FALSE(notary_->certificate_of(""));
  EXPECT_FALSE(notary_->sign(authority, "nonsense", "a"));
  EXPECT_FALSE(notary_->sign("nonsense", notary_->public_key(notary_->new_key().value()).value(), "a"));
}

}  // namespace
}  // namespace quorate::adapters::system
