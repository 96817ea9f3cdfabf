// Two stores behind one face.
#include "tests/e2e/backup_place.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "reconciler/adapters/file_store/file_store.h"
#include "tests/integration/swift_world.h"

namespace quorate::e2e {
namespace {

using integration::SwiftServer;

constexpr std::uint64_t kMost = std::uint64_t{64} << 20;

}  // namespace

BackupPlace::BackupPlace(bool in_swift) {
  tests::SwiftWorld& world = tests::swift();
  if (!in_swift) {
    address_ = "file://" + folder_.path();
    store_ = file_store::make_file_store(folder_.path(), *world.entropy);
    EXPECT_TRUE(store_->mark());
    return;
  }
  base_ = "scenario" + std::to_string(++world.places);
  address_ = std::string("s3://") + tests::SwiftWorld::kBucket + "/" + base_;
  store_ = world.store(world.settings(base_));
  variables_ = {"AWS_ENDPOINT_URL_S3=" + world.server.endpoint(), "AWS_REGION=us-east-1",
                std::string("AWS_ACCESS_KEY_ID=") + SwiftServer::kAccess,
                std::string("AWS_SECRET_ACCESS_KEY=") + SwiftServer::kSecret};
}

std::vector<std::string> BackupPlace::command(std::vector<std::string> words) const {
  words.insert(words.begin(), {QUORATE_BINARY, "backup"});
  words.insert(words.end(), {"--store", address_, "--color", "never"});
  return words;
}

integration::Ended BackupPlace::backup(std::vector<std::string> words, std::vector<std::string> variables) const {
  variables.insert(variables.end(), variables_.begin(), variables_.end());  // the first of a name counts
  return integration::run({command(std::move(words)), variables});
}

std::vector<std::string> BackupPlace::names() const {
  const auto listed = store_->list("");
  EXPECT_TRUE(listed) << listed.error().message;
  std::vector<std::string> names;
  if (listed) {
    for (const ports::ObjectInfo& each : *listed) names.push_back(each.name);
  }
  return names;
}

std::vector<std::string> BackupPlace::visible() const {
  const std::string end = "/_etcd_backup.meta";
  std::vector<std::string> found;
  for (const std::string& name : names()) {
    if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0) {
      found.push_back(name.substr(0, name.size() - end.size()));
    }
  }
  return found;
}

std::string BackupPlace::get(const std::string& name) const {
  const auto got = store_->get(name, kMost);
  EXPECT_TRUE(got && *got) << name;
  return got && *got ? **got : "";
}

void BackupPlace::set(const std::string& name, const std::string& bytes) const {
  const auto put = store_->put(name, bytes, ports::Overwrite::Allowed);
  EXPECT_TRUE(put) << put.error().message;
}

}  // namespace quorate::e2e
