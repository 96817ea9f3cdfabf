// What becomes of backups in a real store when the way there breaks, and when we are killed on it.
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/file_store/file_store.h"
#include "tests/contract/object_store_contract.h"
#include "tests/fakes/fault_proxy.h"
#include "tests/integration/swift_world.h"

namespace quorate::tests {
namespace {

using base::ErrorKind;
using fakes::FaultProxy;
using ports::Overwrite;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using How = fakes::WireFault::How;

constexpr const char* kBackup = "2026-01-01T08:20:30Z-r7-a/etcd.backup.gz";  // only backups are swept
constexpr std::size_t kMiB = std::size_t{1} << 20;

class OnBrokenWays : public ::testing::Test {
 protected:
  OnBrokenWays() { remake("broken" + std::to_string(++swift().places)); }

  void remake(const std::string& base) {
    settings_ = swift().settings(base);
    settings_.endpoint = proxy_.endpoint();
    settings_.page = 1000;
    settings_.patience.tries = 4;
    settings_.patience.first_pause = std::chrono::milliseconds{5};
    settings_.patience.longest_pause = std::chrono::milliseconds{50};
    settings_.patience.stall = std::chrono::seconds{5};
    store_ = swift().store(settings_);
    around_ = swift().store(swift().settings(base));
  }
  std::string path(const std::string& name) const { return "/backups/" + settings_.base + "/" + name; }

  base::Result<void> stream(const std::string& name, const std::string& bytes) {
    auto writer = store_->create(name, Overwrite::Never);
    if (!writer) return tl::unexpected(writer.error());
    for (std::size_t at = 0; at < bytes.size(); at += kMiB) {
      if (auto written = (*writer)->write(std::string_view(bytes).substr(at, kMiB)); !written) return written;
    }
    return (*writer)->finish();
  }
  base::Result<std::string> read_all(const std::string& name) {
    const auto reader = store_->open(name);
    if (!reader) return tl::unexpected(reader.error());
    if (*reader == nullptr) return base::invalid("it is not there");
    std::string all;
    std::string piece(kMiB, '\0');
    for (;;) {
      const auto got = (*reader)->read(piece.data(), piece.size());
      if (!got) return tl::unexpected(got.error());
      if (*got == 0) return all;
      all.append(piece, 0, *got);
    }
  }
  // Uploads that were begun and neither finished nor given up.
  int left_behind() { return around_->sweep(swift().clock.now() + std::chrono::hours(1)).value_or(-1); }

  FaultProxy proxy_{swift().server.port()};
  s3::Settings settings_;
  std::unique_ptr<ports::ObjectStore> store_;
  std::unique_ptr<ports::ObjectStore> around_;  // past the proxy
};

TEST_F(OnBrokenWays, E09AnUploadGoesThroughErrorsResetsAndSlowness) {
  proxy_.fail({"POST " + path("large") + "?uploads", How::Says500});
  proxy_.fail({"partNumber=1&", How::CutsRequest, 2 * kMiB});
  proxy_.fail({"partNumber=2&", How::Says500, 0, 2});
  proxy_.fail({"partNumber=3&", How::CutsAnswer, 30});
  proxy_.fail({"partNumber=4&", How::SlowsRequest, 4 * kMiB});
  proxy_.fail({"POST " + path("large") + "?uploadId", How::CutsAnswer, 0});
  const std::string bytes = patterned(17 * kMiB);
  const auto done = stream("large", bytes);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(proxy_.met(), 7);
  const auto whole = around_->get("large", 32 * kMiB);
  EXPECT_TRUE(whole && *whole && **whole == bytes);
  EXPECT_EQ(around_->list("")->size(), 1U);
}

TEST_F(OnBrokenWays, E09AnUploadThatFailsLeavesNothing) {
  proxy_.fail({"partNumber=2&", How::CutsRequest, kMiB, -1});
  const auto done = stream(kBackup, patterned(17 * kMiB));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Transient);
  EXPECT_THAT(done.error().message, HasSubstr("putting part 2 of s3://backups/"));
  EXPECT_THAT(*around_->list(""), IsEmpty());
  EXPECT_EQ(left_behind(), 0);
}

TEST_F(OnBrokenWays, E10ADownloadGoesThroughResetsAndShortAnswers) {
  const std::string bytes = patterned(9 * kMiB);
  ASSERT_TRUE(around_->put("large", bytes, Overwrite::Never));
  proxy_.fail({"GET " + path("large"), How::Says500});
  proxy_.fail({"GET " + path("large"), How::CutsAnswer, 2 * kMiB});
  proxy_.fail({"GET " + path("large"), How::EndsAnswer, 3 * kMiB});
  proxy_.fail({"GET " + path("large"), How::EndsAnswer, 100});
  const auto all = read_all("large");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(*all == bytes);
  EXPECT_EQ(proxy_.met(), 4);
  proxy_.fail({"GET " + path("large"), How::EndsAnswer, 1500, -1});
  const auto cut = read_all("large");
  ASSERT_FALSE(cut) << "a short answer is no end";
  EXPECT_EQ(cut.error().kind, ErrorKind::Transient);
  proxy_.heal();
  proxy_.fail({"GET " + path("large"), How::EndsAnswer, 4000, -1});
  EXPECT_EQ(store_->get("large", 32 * kMiB).error().kind, ErrorKind::Transient);
}

TEST_F(OnBrokenWays, E12NotThereNotAllowedAndNotReachableAreThreeAnswers) {
  const auto there = store_->get("x", 10);
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_FALSE(*there);
  EXPECT_TRUE(store_->remove("x"));
  EXPECT_THAT(*store_->list(""), IsEmpty());

  auto right = std::move(swift().credentials);
  swift().credentials = s3::make_static_credentials({integration::SwiftServer::kAccess, "wrong-but-long", "", {}});
  remake(settings_.base);
  const auto secret = store_->get("x", 10);
  const auto listed = store_->list("");
  swift().credentials = s3::make_static_credentials({"nobody:here", "wrong-but-long", "", {}});
  remake(settings_.base);
  const auto access = store_->put("x", "x", Overwrite::Never);
  swift().credentials = std::move(right);
  remake(settings_.base);
  ASSERT_FALSE(secret || listed || access);
  for (const auto& error : {secret.error(), listed.error(), access.error()}) {
    EXPECT_EQ(error.kind, ErrorKind::Refused) << error.message;
    EXPECT_THAT(error.message, ::testing::Not(HasSubstr("wrong-but-long")));
  }

  proxy_.fail({"GET", How::Says500, 0, -1});
  EXPECT_EQ(store_->get("x", 10).error().kind, ErrorKind::Transient);
  proxy_.heal();
  proxy_.fail({"GET", How::CutsRequest, 0, -1});
  EXPECT_EQ(store_->list("").error().kind, ErrorKind::Transient);
}

TEST_F(OnBrokenWays, E12TwoThousandFiveHundredObjectsAreListedOrItIsAnError) {
  const auto added = swift().server.add_entries(SwiftWorld::kBucket, settings_.base + "/many/", 10000, 2500);
  ASSERT_EQ(added.exit_code, 0) << added.errors;

  const auto listed = store_->list("");
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 2500U);
  EXPECT_EQ(listed->front().name, "many/10000");
  EXPECT_EQ(listed->back().name, "many/12499");
  EXPECT_EQ(listed->back().size, 5U);
  proxy_.fail({"continuation-token", How::EndsAnswer, 20000, 2});
  EXPECT_EQ(store_->list("many/")->size(), 2500U) << "a page that broke off is asked for again";
  proxy_.fail({"continuation-token", How::EndsAnswer, 20000, -1});
  const auto broken = store_->list("many/");
  ASSERT_FALSE(broken) << "the first page is not all there is";
  EXPECT_EQ(broken.error().kind, ErrorKind::Transient);
}

TEST_F(OnBrokenWays, E09AWriterThatIsKilledLeavesNothingToSeeAndIsSwept) {
  proxy_.fail({"partNumber=2&", How::SlowsRequest, kMiB, -1});
  {
    integration::Process writer({{STORE_WRITER, proxy_.endpoint(), "backups", settings_.base, kBackup}, {}});
    ASSERT_TRUE(proxy_.wait_for_request("partNumber=2&", std::chrono::seconds(20))) << writer.log();
    writer.kill();
  }
  EXPECT_THAT(*around_->list(""), IsEmpty());
  EXPECT_FALSE(*around_->get(kBackup, 10));
  EXPECT_EQ(around_->sweep(swift().clock.now() - std::chrono::hours(1)).value_or(-1), 0) << "it may be somebody's";
  EXPECT_EQ(left_behind(), 1);
  EXPECT_EQ(left_behind(), 0);
}

TEST(OnADisk, E09AWriterThatIsKilledLeavesNothingToSeeAndIsSwept) {
  integration::TempDir folder;
  const auto store = file_store::make_file_store(folder.path(), *swift().entropy);
  {
    integration::Process writer({{STORE_WRITER, folder.path(), "2026/killed"}, {}});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto written = [&folder] {
      std::uintmax_t size = 0;
      std::error_code gone;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path(), gone)) {
        if (entry.is_regular_file(gone)) size += entry.file_size(gone);
      }
      return size;
    };
    while (written() < 5 * kMiB) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << writer.log();
      std::this_thread::yield();
    }
    EXPECT_EQ(store->sweep(swift().clock.now() + std::chrono::hours(1)).value_or(-1), 0) << "it is being written";
    writer.kill();
  }
  EXPECT_THAT(*store->list(""), IsEmpty());
  EXPECT_EQ(store->sweep(swift().clock.now() + std::chrono::hours(1)).value_or(-1), 1);
  EXPECT_FALSE(std::filesystem::exists(folder / "2026"));
  EXPECT_TRUE(store->put("2026/killed", "x", Overwrite::Never));
}

}  // namespace
}  // namespace quorate::tests
