// A bucket as a store, against a server that fails as it is told to.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/s3/answers.h"
#include "reconciler/adapters/s3/s3.h"
#include "reconciler/adapters/s3/upload.h"
#include "reconciler/adapters/system/entropy.h"
#include "tests/contract/object_store_contract.h"
#include "tests/fakes/s3_double.h"
#include "tests/support/shifted_clock.h"

namespace quorate::tests {
namespace {

using base::ErrorKind;
using fakes::Conditions;
using fakes::S3Double;
using fakes::S3Fault;
using ports::Overwrite;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using How = S3Fault::How;

constexpr std::size_t kPart = std::size_t{1} << 20;

s3::Settings settings_for(const S3Double& server) {
  s3::Settings settings;
  settings.bucket = "bucket";
  settings.base = "clusters/one";
  settings.endpoint = server.endpoint();
  settings.part_size = kPart;
  settings.page = 5;
  settings.patience.tries = 4;
  settings.patience.first_pause = std::chrono::milliseconds{2};
  settings.patience.longest_pause = std::chrono::milliseconds{10};
  settings.patience.tries_midway = 4;
  settings.patience.longest_pause_midway = std::chrono::milliseconds{10};
  settings.patience.stall = std::chrono::milliseconds{600};
  return settings;
}

struct Parts {
  ShiftedClock clock;
  std::unique_ptr<ports::Entropy> entropy = adapters::system::make_entropy();
  std::unique_ptr<s3::Credentials> credentials =
      s3::make_static_credentials({S3Double::kAccess, S3Double::kSecret, "", {}});

  std::unique_ptr<ports::ObjectStore> store(const s3::Settings& settings) {
    auto made = s3::make_s3_store(settings, *credentials, clock, *entropy);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
};

class DoublePlace final : public StorePlace {
 public:
  explicit DoublePlace(Conditions conditions) {
    server_.make_bucket("bucket");
    server_.keep_conditions(conditions);
  }
  std::unique_ptr<ports::ObjectStore> store() override { return parts_.store(settings_for(server_)); }
  std::unique_ptr<ports::ObjectStore> neighbour() override {
    s3::Settings settings = settings_for(server_);
    settings.base += "2";
    return parts_.store(settings);
  }

 private:
  S3Double server_;
  Parts parts_;
};

StoreKind with(const std::string& name, Conditions conditions) {
  return {name, [conditions] { return std::make_unique<DoublePlace>(conditions); }};
}

INSTANTIATE_TEST_SUITE_P(S3, ObjectStoreContract,
                         ::testing::Values(with("ConditionsKept", Conditions::Kept),
                                           with("ConditionsIgnored", Conditions::Ignored),
                                           with("ConditionsRefused", Conditions::Refused)),
                         name_of_kind);

class S3Store : public ::testing::Test {
 protected:
  S3Store() { server_.make_bucket("bucket"); }

  void remake() { store_ = parts_.store(settings_); }
  std::string object(const std::string& name) {
    const auto objects = server_.objects("bucket");
    const auto found = objects.find("clusters/one/" + name);
    return found == objects.end() ? "not there" : found->second;
  }
  base::Result<void> stream(const std::string& name, const std::string& bytes,
                            Overwrite overwrite = Overwrite::Allowed) {
    auto writer = store_->create(name, overwrite);
    if (!writer) return tl::unexpected(writer.error());
    if (auto written = (*writer)->write(bytes); !written) return written;
    return (*writer)->finish();
  }
  base::Result<std::string> read_all(const std::string& name, const std::function<void(std::size_t)>& on_read = {}) {
    const auto reader = store_->open(name);
    if (!reader) return tl::unexpected(reader.error());
    std::string all;
    std::string piece(100000, '\0');
    for (;;) {
      const auto got = (*reader)->read(piece.data(), piece.size());
      if (!got) return tl::unexpected(got.error());
      if (*got == 0) return all;
      all.append(piece, 0, *got);
      if (on_read) on_read(all.size());
    }
  }

  S3Double server_;
  Parts parts_;
  s3::Settings settings_ = settings_for(server_);
  std::unique_ptr<ports::ObjectStore> store_ = parts_.store(settings_);
};

TEST_F(S3Store, ListsTwoThousandFiveHundredObjects) {
  for (int number = 10000; number < 12500; ++number)
    server_.set("bucket", "clusters/one/" + std::to_string(number), "");
  settings_.page = 1000;
  remake();
  const auto listed = store_->list("");
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->size(), 2500U);
  EXPECT_EQ(server_.requests().size(), 3U);
}

TEST_F(S3Store, GivesNoListThatIsNotComplete) {
  for (int number = 10; number < 30; ++number) server_.set("bucket", "clusters/one/" + std::to_string(number), "");
  server_.fail({"GET", "continuation-token", How::Says, 403, "AccessDenied", "", 1, -1});
  const auto listed = store_->list("");
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().kind, ErrorKind::Refused);
}

TEST_F(S3Store, TellsMissingBucketRefusalAndSilenceApart) {
  s3::Settings elsewhere = settings_;
  elsewhere.bucket = "other";
  const auto no_bucket = parts_.store(elsewhere)->get("x", 10);
  ASSERT_FALSE(no_bucket);
  EXPECT_EQ(no_bucket.error().kind, ErrorKind::Invalid);
  EXPECT_THAT(no_bucket.error().message, HasSubstr("there is no bucket other"));
  const auto in_no_bucket = parts_.store(elsewhere)->put("x", "x", Overwrite::Never);
  ASSERT_FALSE(in_no_bucket);
  EXPECT_EQ(in_no_bucket.error().kind, ErrorKind::Invalid);

  parts_.credentials = s3::make_static_credentials({S3Double::kAccess, "wrong-secret-of-mine", "", {}});
  const auto refused = parts_.store(settings_)->get("x", 10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_EQ(refused.error().help, "check the secret key");
  EXPECT_THAT(refused.error().message, Not(HasSubstr("wrong-secret-of-mine")));

  elsewhere.endpoint = "http://127.0.0.1:1";
  const auto silent = parts_.store(elsewhere)->put("x", "x", Overwrite::Allowed);
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().kind, ErrorKind::Transient);
}

TEST_F(S3Store, DoesNotTakeAWebServersNotFoundForAnAnswer) {
  server_.fail({"GET", "", How::Says, 404, "NotFoundHere", "", 0, -1});
  const auto got = store_->get("x", 10);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::Invalid);
}

TEST_F(S3Store, SaysWhichRegionTheBucketIsIn) {
  settings_.region = "eu-central-1";
  remake();
  const auto got = store_->get("x", 10);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().help, "set the region to us-east-1");
  server_.fail({"GET", "", How::Says, 301, "PermanentRedirect"});
  const auto sent_away = store_->get("x", 10);
  ASSERT_FALSE(sent_away);
  EXPECT_EQ(sent_away.error().kind, ErrorKind::Invalid);
}

TEST_F(S3Store, SaysBothTimesWhenTheClocksDiffer) {
  parts_.clock.off = -std::chrono::hours{3};
  const auto got = store_->get("x", 10);
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr("the clocks differ too much: here it is 20"));
}

TEST_F(S3Store, TriesAgainWhenTheStoreIsBusyAndGivesUpInTheEnd) {
  server_.fail({"PUT", "x", How::Says, 503, "SlowDown", "", 0, 2});
  server_.fail({"PUT", "x", How::Says, 500, "InternalError", "", 0, 1});
  EXPECT_TRUE(store_->put("x", "1", Overwrite::Allowed));
  server_.fail({"GET", "x", How::Says, 503, "SlowDown", "", 0, -1});
  const auto got = store_->get("x", 10);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::Transient);
}

TEST_F(S3Store, KnowsItsOwnObjectWhenTheAnswerOfAPutWasLost) {
  ASSERT_TRUE(store_->put("seen", "x", Overwrite::Never));
  ASSERT_FALSE(store_->put("seen", "y", Overwrite::Never));
  server_.fail({"PUT", "mine", How::Loses});
  EXPECT_TRUE(store_->put("mine", "bytes", Overwrite::Never));
  EXPECT_EQ(object("mine"), "bytes");
  const auto again = store_->put("mine", "bytes", Overwrite::Never);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::Conflict);
}

TEST_F(S3Store, SeesThatSomebodyElseWasFasterWhereConditionsAreNotHeard) {
  server_.keep_conditions(Conditions::Ignored);
  server_.on_request([this](const std::string& method, const std::string& target) {
    // Between our put and our look at it.
    if (method == "GET" && target.find("contested") != std::string::npos && object("contested") == "ours") {
      server_.set("bucket", "clusters/one/contested", "theirs");
    }
  });
  const auto put = store_->put("contested", "ours", Overwrite::Never);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::Conflict);
}

TEST_F(S3Store, SendsSeveralPartsAtOnceAndInOrder) {
  const std::string bytes = patterned(7 * kPart + 12345);
  const auto done = stream("large", bytes);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(object("large") == bytes);
  EXPECT_EQ(server_.uploads(), 0U);
  int parts = 0;
  for (const auto& request : server_.requests()) parts += request.find("partNumber=") != std::string::npos ? 1 : 0;
  EXPECT_EQ(parts, 8);
}

TEST_F(S3Store, SendsAPartAgainAndNotTheRest) {
  server_.fail({"PUT", "partNumber=3&", How::Says, 503, "SlowDown", "", 0, 2});
  server_.fail({"PUT", "partNumber=2&", How::Loses});
  const std::string bytes = patterned(4 * kPart);
  const auto done = stream("large", bytes);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(object("large") == bytes);
}

TEST_F(S3Store, GivesUpAnUploadThatCannotGoOnAndLeavesNothing) {
  server_.fail({"PUT", "partNumber=3&", How::Says, 403, "AccessDenied", "", 0, -1});
  const auto done = stream("large", patterned(9 * kPart));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Refused);
  EXPECT_EQ(server_.uploads(), 0U);
  EXPECT_EQ(object("large"), "not there");
}

TEST_F(S3Store, FindsOutWhatBecameOfAnUploadWhoseAnswerWasLost) {
  server_.fail({"POST", "uploadId", How::Loses});
  const std::string bytes = patterned(3 * kPart);
  const auto done = stream("large", bytes);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(object("large") == bytes);
}

TEST_F(S3Store, KnowsItsOwnUploadWhenItWasToBeNewAndTheAnswerWasLost) {
  for (const auto conditions : {Conditions::Kept, Conditions::Refused, Conditions::Ignored}) {
    server_.keep_conditions(conditions);
    remake();
    const std::string name = "large" + std::to_string(static_cast<int>(conditions));
    server_.fail({"POST", "uploadId", How::Loses});
    const std::string bytes = patterned(3 * kPart);
    const auto done = stream(name, bytes, Overwrite::Never);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(object(name) == bytes);
    EXPECT_EQ(server_.uploads(), 0U);
  }
}

TEST_F(S3Store, PutsAnUploadTogetherWhereTheConditionIsMisunderstood) {
  server_.fail({"POST", "uploadId", How::Says, 412, "PreconditionFailed"});
  const auto done = stream("large", patterned(3 * kPart), Overwrite::Never);
  ASSERT_TRUE(done) << done.error().message;
}

TEST_F(S3Store, E16AnUploadThatFindsAnObjectInItsPlaceIsGivenUp) {
  auto writer = store_->create("large", Overwrite::Never);
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write(patterned(3 * kPart)));
  server_.set("bucket", "clusters/one/large", "theirs");
  const auto finished = (*writer)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, ErrorKind::Conflict);
  writer->reset();
  EXPECT_EQ(object("large"), "theirs");
  EXPECT_EQ(server_.uploads(), 0U);
}

TEST_F(S3Store, E16AnObjectThatComesWhileOneLooksIsThere) {
  server_.set("bucket", "clusters/one/x", "theirs");
  server_.fail({"HEAD", "x", How::Says, 404, ""});
  const auto done = store_->put("x", "ours", Overwrite::Never);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Conflict) << done.error().message;
  EXPECT_EQ(object("x"), "theirs");
}

TEST_F(S3Store, DoesNotBelieveAnErrorThatBeginsWell) {
  server_.fail({"PUT", "large?partNumber=2", How::Says, 400, "InvalidPart", "", 0, -1});
  EXPECT_FALSE(stream("large", patterned(3 * kPart)));
  server_.fail({"POST", "uploadId", How::HalfError});
  // The double has put it together all the same; what counts is that nobody was told so.
  const auto done = stream("other", patterned(2 * kPart));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("half way"));
}

TEST_F(S3Store, GoesOnWithADownloadWhereItBrokeOff) {
  const std::string bytes = patterned(3 * kPart);
  server_.set("bucket", "clusters/one/x", bytes);
  server_.fail({"GET", "/x", How::Cuts, 0, "", "", 0, 2});
  const auto all = read_all("x");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(*all == bytes);
  EXPECT_EQ(server_.requests().size(), 3U);
}

TEST_F(S3Store, GoesOnWithADownloadThatFellSilent) {
  const std::string bytes = patterned(3 * kPart);
  server_.set("bucket", "clusters/one/x", bytes);
  server_.fail({"GET", "/x", How::Stalls});
  const auto all = read_all("x");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(*all == bytes);
  EXPECT_EQ(server_.last_headers("GET")["range"], "bytes=" + std::to_string(bytes.size() / 2) + "-");
}

TEST_F(S3Store, DoesNotJoinTheBytesOfTwoObjects) {
  server_.set("bucket", "clusters/one/x", patterned(3 * kPart));
  server_.fail({"GET", "/x", How::Cuts});
  const auto all = read_all("x", [this](std::size_t read) {
    if (read < 2 * kPart) server_.set("bucket", "clusters/one/x", std::string(3 * kPart, 'y'));
  });
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().kind, ErrorKind::Conflict);
}

TEST_F(S3Store, EndsWithAnErrorWhenADownloadNeverGoesOn) {
  server_.set("bucket", "clusters/one/x", patterned(kPart));
  server_.fail({"GET", "/x", How::Says, 503, "SlowDown", "", 1, -1});
  server_.fail({"GET", "/x", How::Cuts, 0, "", "", 0, 1});
  const auto all = read_all("x");
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().kind, ErrorKind::Transient);
}

constexpr const char* kObject = "2025-12-30T08:20:30Z-r7-a/etcd.backup.gz";

TEST_F(S3Store, SweepsUploadsBelowItsBaseOnly) {
  auto mine = store_->create(kObject, Overwrite::Allowed);
  ASSERT_TRUE(mine);
  ASSERT_TRUE((*mine)->write(patterned(2 * kPart)));
  settings_.base += "2";
  auto neighbour = parts_.store(settings_);
  auto theirs = neighbour->create(kObject, Overwrite::Allowed);
  ASSERT_TRUE((*theirs)->write(patterned(2 * kPart)));
  ASSERT_EQ(server_.uploads(), 2U);
  const auto swept = store_->sweep(*base::parse_time("2026-01-02T00:00:00Z"));
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(*swept, 1);
  EXPECT_EQ(server_.uploads(), 1U);
  EXPECT_TRUE((*theirs)->finish());
}

TEST_F(S3Store, SweepsNoUploadOfAnotherToolInTheSameBucket) {
  settings_.base.clear();
  settings_.page = 2;
  remake();
  const std::vector<std::string> others = {"2025-12-30T08:20:30Z-000001/etcd.backup.gz",  // of etcd-manager
                                           "2025-12-30T08:20:30Z-r7-a/core.gz",
                                           "2025-12-30T08:20:30Z-r7-a/more/etcd.backup.gz",
                                           "etcd.backup.gz",
                                           "logs/etcd.backup.gz",
                                           "staging/2025-12-30T08:20:30Z-r7-a/etcd.backup.gz"};
  for (const std::string& key : others) server_.leave_upload("bucket", key);
  for (const char* key : {kObject, kObject, kObject, "2025-12-31T08:20:30Z-r8-b/etcd.backup.zst.enc"}) {
    server_.leave_upload("bucket", key);
  }
  const auto swept = store_->sweep(*base::parse_time("2026-01-02T00:00:00Z"));
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(*swept, 4) << "of all pages";
  EXPECT_EQ(server_.uploads(), others.size());
}

// An upload of an hour is not lost because a store takes half a minute to change its leader.
TEST_F(S3Store, WaitsLongerInTheMiddleOfAnObject) {
  settings_.patience.tries_midway = 10;
  remake();
  server_.fail({"PUT", "partNumber=2", How::Says, 503, "ServiceUnavailable", {}, 0, 8});
  EXPECT_TRUE(stream("x", patterned(3 * kPart)));
  server_.fail({"PUT", "/small", How::Says, 503, "ServiceUnavailable", {}, 0, 8});
  EXPECT_FALSE(store_->put("small", "x", Overwrite::Allowed));
  std::atomic<bool> once{false};
  const auto read = read_all("x", [&](std::size_t) {
    if (once.exchange(true)) return;
    server_.fail({"GET", "/x", How::Says, 503, "SlowDown", {}, 0, 8});
  });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(*read == patterned(3 * kPart));
}

TEST_F(S3Store, WaitsAsLongAsTheStoreAsksFor) {
  settings_.patience.longest_pause_midway = std::chrono::milliseconds{300};
  remake();
  S3Fault busy{"PUT", "partNumber=1", How::Says, 503, "SlowDown"};
  busy.retry_after = "1";
  server_.fail(busy);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(stream("x", patterned(2 * kPart)));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds{300}) << "as long as we wait at most";
}

TEST_F(S3Store, AsksForEncryptionAndStorageClass) {
  settings_.encryption = "aws:kms";
  settings_.kms_key = "arn:aws:kms:us-east-1:1:key/2";
  settings_.storage_class = "STANDARD_IA";
  remake();
  ASSERT_TRUE(stream("large", patterned(2 * kPart)));
  auto headers = server_.last_headers("POST");
  EXPECT_EQ(headers.count("x-amz-storage-class"), 0U) << "the last one puts the parts together";
  ASSERT_TRUE(store_->put("small", "x", Overwrite::Allowed));
  headers = server_.last_headers("PUT");
  EXPECT_EQ(headers["x-amz-server-side-encryption"], "aws:kms");
  EXPECT_EQ(headers["x-amz-server-side-encryption-aws-kms-key-id"], "arn:aws:kms:us-east-1:1:key/2");
  EXPECT_EQ(headers["x-amz-storage-class"], "STANDARD_IA");
}

class Renewed final : public s3::Credentials {
 public:
  base::Result<s3::Keys> keys() override {
    return s3::Keys{S3Double::kAccess, S3Double::kSecret, told_ ? "session-two" : "session-one", {}};
  }
  void expired(const s3::Keys& keys) override { told_ = keys.token == "session-one"; }

 private:
  bool told_ = false;
};

TEST_F(S3Store, AsksForNewKeysWhenTheSessionIsOver) {
  parts_.credentials = std::make_unique<Renewed>();
  server_.take_tokens("session-two");
  remake();
  EXPECT_TRUE(store_->put("x", "x", Overwrite::Allowed));
  server_.take_tokens("session-three");
  const auto refused = store_->put("x", "x", Overwrite::Allowed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_THAT(refused.error().message, Not(HasSubstr("session-")));
}

// The answer to HEAD has no body that would say so.
TEST_F(S3Store, AsksForNewKeysWhenALookIsTheFirstToMeetTheEndOfTheSession) {
  parts_.credentials = std::make_unique<Renewed>();
  server_.take_tokens("session-two");
  remake();
  const auto done = stream("x", patterned(2 * kPart), Overwrite::Never);
  EXPECT_TRUE(done) << done.error().message;
}

TEST_F(S3Store, AsksForNewKeysInTheMiddleOfAnUpload) {
  parts_.credentials = std::make_unique<Renewed>();
  server_.take_tokens("session-one");
  remake();
  server_.on_request([this](const std::string& method, const std::string& target) {
    if (method == "PUT" && target.find("partNumber=3") != std::string::npos) server_.take_tokens("session-two");
  });
  const std::string bytes = patterned(6 * kPart);
  const auto done = stream("x", bytes);
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_TRUE(object("x") == bytes);
}

TEST(S3Parts, GrowSoThatTenThousandAreEnough) {
  std::uint64_t all = 0;
  for (std::size_t number = 1; number <= s3::kPartsAtMost; ++number) {
    all += s3::part_size(std::size_t{8} << 20, number);
    EXPECT_LE(s3::part_size(std::size_t{8} << 20, number), std::size_t{256} << 20);
  }
  EXPECT_GE(all, std::uint64_t{512} << 30);
}

TEST(S3Answers, AreReadWithoutTrust) {
  for (const std::string text : {"", "<html><body>hello</body></html>", "<ListBucketResult>", "\xff\xfe\x00",
                                 "<ListBucketResult><Contents/></ListBucketResult>",
                                 "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"}) {
    EXPECT_FALSE(s3::read_list(text)) << text;
    EXPECT_FALSE(s3::read_uploads(text)) << text;
    EXPECT_FALSE(s3::read_upload_id(text)) << text;
    EXPECT_TRUE(s3::read_trouble(text).code.empty()) << text;
  }
  std::string deep;
  for (int depth = 0; depth < 300000; ++depth) deep += "<a>";
  EXPECT_FALSE(s3::read_list(deep));
  EXPECT_EQ(s3::read_trouble("<Error><Code>A\x1b[31m</Code></Error>").code, "A?[31m");
}

TEST(S3Settings, ThatMakeNoAddressAreRefused) {
  Parts parts;
  const auto bad = [&parts](const std::function<void(s3::Settings&)>& change) {
    s3::Settings settings;
    settings.bucket = "bucket";
    change(settings);
    const auto made = s3::make_s3_store(settings, *parts.credentials, parts.clock, *parts.entropy);
    return !made && made.error().kind == ErrorKind::Invalid;
  };
  EXPECT_FALSE(bad([](s3::Settings&) {}));
  EXPECT_FALSE(bad([](s3::Settings& s) { s.endpoint = "https://minio.example"; }));
  EXPECT_FALSE(bad([](s3::Settings& s) { s.endpoint = "http://[::1]:9000/"; }));
  EXPECT_TRUE(bad([](s3::Settings& s) { s.bucket = ""; }));
  EXPECT_TRUE(bad([](s3::Settings& s) { s.bucket = "a/../b"; }));
  EXPECT_TRUE(bad([](s3::Settings& s) { s.base = "../x"; }));
  EXPECT_TRUE(bad([](s3::Settings& s) { s.region = "x.evil.example/"; }));
  EXPECT_TRUE(bad([](s3::Settings& s) { s.endpoint = "ftp://x"; }));
  EXPECT_TRUE(bad([](s3::Settings& s) { s.endpoint = "https://user:password@host"; }));
  EXPECT_TRUE(bad([](s3::Settings& s) { s.encryption = "rot13"; }));
}

}  // namespace
}  // namespace quorate::tests
