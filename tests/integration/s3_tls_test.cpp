// A store behind TLS: whose certificate is believed, and buckets that are part of the host's name.
#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/s3/s3.h"
#include "reconciler/adapters/s3/sigv4.h"
#include "reconciler/adapters/system/entropy.h"
#include "tests/fakes/s3_double.h"
#include "tests/integration/certificates.h"
#include "tests/integration/process.h"
#include "tests/support/shifted_clock.h"

namespace quorate::tests {
namespace {

using base::ErrorKind;
using fakes::S3Double;
using integration::Authority;
using ports::Overwrite;
using ::testing::AllOf;
using ::testing::HasSubstr;

class S3OverTls : public ::testing::Test {
 protected:
  S3OverTls() {
    ours_.issue(folder_ / "server.crt", folder_ / "server.key", {"localhost", "bucket.localhost", "missing.localhost"});
    serve("server");
    settings_.bucket = "bucket";
    settings_.base = "prod";
    settings_.ca = ours_.certificate();
    settings_.part_size = std::size_t{1} << 20;
    settings_.patience.tries = 2;
    settings_.patience.first_pause = std::chrono::milliseconds{2};
  }

  void serve(const std::string& certificate) {
    server_ =
        std::make_unique<S3Double>(S3Double::Tls{folder_ / (certificate + ".crt"), folder_ / (certificate + ".key")});
    server_->make_bucket("bucket");
    settings_.endpoint = server_->endpoint();
  }
  std::unique_ptr<ports::ObjectStore> store() {
    auto made = s3::make_s3_store(settings_, *credentials_, clock_, *entropy_);
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }
  base::Error refusal() {
    const auto got = store()->get("x", 10);
    EXPECT_FALSE(got) << "it was believed";
    return got ? base::Error{} : got.error();
  }

  integration::TempDir folder_;
  Authority ours_{folder_.path(), "ours"};
  Authority theirs_{folder_.path(), "theirs"};
  std::unique_ptr<S3Double> server_;
  ShiftedClock clock_;
  std::unique_ptr<ports::Entropy> entropy_ = adapters::system::make_entropy();
  std::unique_ptr<s3::Credentials> credentials_ =
      s3::make_static_credentials({S3Double::kAccess, S3Double::kSecret, "", {}});
  s3::Settings settings_;
};

TEST_F(S3OverTls, E11AnAuthorityOfOnesOwnIsBelievedWhenItIsNamed) {
  const std::string bytes = std::string((std::size_t{3} << 20) + 5, 'x');
  const auto kept = store();
  const auto put = kept->put("small", "bytes", Overwrite::Never);
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_EQ(server_->last_headers("PUT")["x-amz-content-sha256"], s3::sha256_hex("bytes"));
  auto writer = kept->create("large", Overwrite::Never);
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE((*writer)->write(bytes));
  const auto finished = (*writer)->finish();
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_TRUE(kept->get("large", 4 << 20).value() == bytes);
  EXPECT_EQ(server_->uploads(), 0U);
}

TEST_F(S3OverTls, E11ABucketMayBePartOfTheHost) {
  settings_.style = s3::Style::VirtualHost;
  const auto kept = store();
  const std::string bytes = std::string(std::size_t{3} << 20, 'x');
  auto writer = kept->create("a b/large", Overwrite::Never);
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE((*writer)->write(bytes));
  const auto finished = (*writer)->finish();
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_TRUE(server_->objects("bucket").at("prod/a b/large") == bytes);
  EXPECT_EQ(server_->last_headers("PUT")["Host"],
            "bucket." + settings_.endpoint.substr(std::string("https://").size()));
  EXPECT_EQ(server_->last_headers("PUT")["x-amz-content-sha256"], s3::kUnsignedPayload) << "TLS guards it";
  EXPECT_EQ(kept->list("")->size(), 1U);
  EXPECT_TRUE(kept->get("a b/large", 4 << 20).value() == bytes);
  settings_.bucket = "missing";
  EXPECT_THAT(refusal().message, HasSubstr("there is no bucket missing"));
}

TEST_F(S3OverTls, E11AStrangersCertificateIsRefusedAtOnceAndInClearWords) {
  settings_.ca = theirs_.certificate();
  const auto stranger = refusal();
  EXPECT_EQ(stranger.kind, ErrorKind::Invalid);
  EXPECT_THAT(stranger.message,
              AllOf(HasSubstr("getting s3://bucket/prod/x: https://localhost:"), HasSubstr("SSL certificate problem")));
  EXPECT_THAT(stranger.help, HasSubstr("check the CA file"));
  settings_.ca = "";
  EXPECT_THAT(refusal().message, HasSubstr("SSL certificate problem")) << "the system does not know it either";
  settings_.ca = folder_ / "none.crt";
  EXPECT_THAT(refusal().message, AllOf(HasSubstr("certificate"), HasSubstr("none.crt")));
  EXPECT_EQ(refusal().kind, ErrorKind::Invalid);
  EXPECT_TRUE(server_->requests().empty()) << "nothing was said to whom we do not believe";
}

TEST_F(S3OverTls, E11ACertificateThatIsOverOrOfAnotherHostIsRefused) {
  ours_.issue(folder_ / "old.crt", folder_ / "old.key", {"localhost"}, -1);
  serve("old");
  EXPECT_THAT(refusal().message, HasSubstr("certificate has expired"));
  ours_.issue(folder_ / "other.crt", folder_ / "other.key", {"other.example"});
  serve("other");
  const auto other = refusal();
  EXPECT_EQ(other.kind, ErrorKind::Invalid);
  EXPECT_THAT(other.message, HasSubstr("localhost"));
}

TEST_F(S3OverTls, ADownloadIsRefusedAsWell) {
  settings_.ca = theirs_.certificate();
  const auto opened = store()->open("x");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::Invalid);
  EXPECT_THAT(opened.error().help, HasSubstr("check the CA file"));
}

TEST_F(S3OverTls, WhatIsNoTlsIsNotReachedByIt) {
  S3Double plain;
  settings_.endpoint = "https://localhost:" + std::to_string(plain.port());
  const auto silent = refusal();
  EXPECT_EQ(silent.kind, ErrorKind::Transient);
  EXPECT_THAT(silent.help, HasSubstr("check the endpoint"));
}

}  // namespace
}  // namespace quorate::tests
