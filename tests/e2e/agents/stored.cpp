// By default the store is a folder.
#include "tests/e2e/agents/stored.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace quorate::e2e {

namespace fs = std::filesystem;

void StoredTest::SetUp() {
  fs::create_directory(store());
  std::ofstream(store() + "/.quorate-store");  // an empty folder alone may be the place of a disk
}

Wording StoredTest::stored(const std::string& more) const {
  Wording wording;
  wording.more = "backup: {to: [\"" + address() + "\"], every: 1h, beforeChanges: true}\n" + more;
  return wording;
}

Wording StoredTest::ordered(std::int64_t generation, const std::string& backup, const std::string& more) const {
  return stored("generation: " + std::to_string(generation) + "\nrecovery: {restore: \"" + backup + "\"}\n" + more);
}

Wording StoredTest::at_start(const std::string& bootstrap, const std::string& more) const {
  Wording wording = stored("bootstrap: {" + bootstrap + "}\n" + more);
  wording.create = false;
  return wording;
}

Names StoredTest::backups() const {
  Names names;
  std::error_code gone;
  for (const auto& each : fs::directory_iterator(store(), gone)) {
    if (fs::exists(each.path() / "_etcd_backup.meta", gone)) names.push_back(each.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string StoredTest::back_up() {
  const Names before = backups();
  Names command{"backup",  "create", "--always", "--endpoints", fleet_.client_url(fleet_.serving()),
                "--store", address()};
  for (const std::string& each : access()) command.push_back(each);
  constexpr int kBusy = 8;  // an agent works on the store
  auto made = fleet_.quorate(command);
  EXPECT_TRUE(Fleet::eventually([&] { return made.exit_code != kBusy || (made = fleet_.quorate(command), false); }));
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  for (const std::string& each : backups()) {
    if (!std::binary_search(before.begin(), before.end(), each)) return each;
  }
  return {};
}

void StoredTest::form_with_store(const Names& members) {
  fleet_.form(members, stored());
  ASSERT_TRUE(Fleet::eventually([&] { return !backups().empty(); })) << "the first one by the schedule";
}

std::int64_t StoredTest::revision() {
  const auto status = fleet_.etcd().status(fleet_.client_url(fleet_.serving()), kAnswer);
  return status ? status->status.revision : 0;
}

}  // namespace quorate::e2e
