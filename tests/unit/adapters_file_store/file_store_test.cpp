// A folder as a store: what else may lie in it, what is left when a writer dies, and which errors are told apart.
#include "reconciler/adapters/file_store/file_store.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reconciler/adapters/system/entropy.h"
#include "reconciler/base/object_name.h"
#include "tests/contract/object_store_contract.h"
#include "tests/support/skip.h"
#include "tests/support/temp_folder.h"

namespace quorate::tests {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using ports::Overwrite;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMark = ".quorate-store";
const auto kLater = base::Time(std::chrono::hours(24 * 365 * 200));

class FilePlace final : public StorePlace {
 public:
  FilePlace() {
    fs::create_directory(folder_ / "store");
    fs::create_directory(folder_ / "store2");
  }
  std::unique_ptr<ports::ObjectStore> store() override {
    return file_store::make_file_store(folder_ / "store", *entropy_);
  }
  std::unique_ptr<ports::ObjectStore> neighbour() override {
    return file_store::make_file_store(folder_ / "store2", *entropy_);
  }

 private:
  TempFolder folder_;
  std::unique_ptr<ports::Entropy> entropy_ = adapters::system::make_entropy();
};

INSTANTIATE_TEST_SUITE_P(Files, ObjectStoreContract,
                         ::testing::Values(StoreKind{"Files", [] { return std::make_unique<FilePlace>(); }}),
                         name_of_kind);

class FileStore : public ::testing::Test {
 protected:
  std::vector<std::string> files() {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      std::string name = fs::relative(entry.path(), folder_.path()).string();
      if (name != kMark) found.push_back(std::move(name));
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  std::vector<std::string> names() {
    const auto listed = store_->list("");
    if (!listed) return {"error: " + listed.error().message};
    std::vector<std::string> found;
    for (const auto& object : *listed) found.push_back(object.name);
    return found;
  }

  TempFolder folder_;
  std::unique_ptr<ports::Entropy> entropy_ = adapters::system::make_entropy();
  std::unique_ptr<ports::ObjectStore> store_ = file_store::make_file_store(folder_.path(), *entropy_);
};

// In a child, which may become somebody else; says how the child ended.
int in_child(const std::function<int()>& job) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(job());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST_F(FileStore, SaysThatItsFolderIsNotThereAndNotThatItIsEmpty) {
  const auto gone = file_store::make_file_store(folder_ / "not-mounted", *entropy_);
  const auto listed = gone->list("");
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().kind, ErrorKind::Invalid);
  EXPECT_THAT(listed.error().message, HasSubstr("is not there"));
  EXPECT_FALSE(gone->get("x", 10));
  EXPECT_FALSE(gone->open("x"));
  EXPECT_FALSE(gone->put("x", "x", Overwrite::Allowed));
  EXPECT_FALSE(gone->create("x", Overwrite::Allowed));
  EXPECT_FALSE(gone->remove("x"));
  EXPECT_FALSE(gone->sweep(kLater));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FileStore, DoesNotTakeAnEmptyFolderForAnEmptyStore) {
  // An unmounted disk leaves an empty folder, or one that holds what mkfs made.
  fs::create_directory(folder_ / "lost+found");
  for (const auto& problem : {store_->list("").error(), store_->get("a", 10).error(), store_->open("a/b").error()}) {
    EXPECT_EQ(problem.kind, ErrorKind::Invalid);
    EXPECT_THAT(problem.message, HasSubstr("is empty and not marked as a store"));
    EXPECT_THAT(problem.help, HasSubstr("touch " + folder_.path() + "/.quorate-store"));
  }
  EXPECT_FALSE(fs::exists(folder_ / kMark)) << "reading founds nothing";
  ASSERT_TRUE(store_->mark());
  ASSERT_TRUE(store_->mark());
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_FALSE(store_->get("a", 10).value());
  fs::remove(folder_ / kMark);
  EXPECT_FALSE(store_->list(""));
  std::ofstream(folder_ / kMark);  // as by touch
  EXPECT_TRUE(store_->list(""));
}

TEST_F(FileStore, MarksAnEmptyFolderWhenItFirstWritesIntoIt) {
  ASSERT_TRUE(store_->put("a/b", "x", Overwrite::Allowed));
  EXPECT_TRUE(fs::exists(folder_ / kMark));
  EXPECT_THAT(names(), ElementsAre("a/b"));
  ASSERT_TRUE(store_->remove("a/b"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FileStore, ReadsWhatOthersWroteWithoutAMark) {
  fs::create_directory(folder_ / "2026-11-18T08:20:30Z-000001");
  std::ofstream(folder_ / "2026-11-18T08:20:30Z-000001/_etcd_backup.meta") << "{}";
  EXPECT_THAT(names(), ElementsAre("2026-11-18T08:20:30Z-000001/_etcd_backup.meta"));
  EXPECT_FALSE(store_->get("not/there", 10).value());
  EXPECT_THAT(store_->list("control/").value(), IsEmpty());
  ASSERT_TRUE(store_->put("quorate/cluster.json", "{}", Overwrite::Allowed));
  EXPECT_FALSE(fs::exists(folder_ / kMark)) << "it is theirs";
}

TEST_F(FileStore, LeavesNothingOfAnUnfinishedObjectNotEvenItsFolders) {
  auto writer = store_->create("a/b/c", Overwrite::Allowed);
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write("some"));
  EXPECT_EQ(files().size(), 3U);
  writer->reset();
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FileStore, SweepsWhatAKilledWriterLeftAndNothingElse) {
  const int ended = in_child([&] {
    auto writer = store_->create("a/b", Overwrite::Allowed);
    if (!writer || !(*writer)->write("half")) return 1;
    static_cast<void>(writer->release());  // as by kill -9
    return 0;
  });
  ASSERT_EQ(ended, 0);
  auto alive = store_->create("c", Overwrite::Allowed);
  ASSERT_TRUE(alive);
  std::ofstream(folder_ / ".quorate-notes") << "a person's";
  EXPECT_THAT(names(), IsEmpty());
  const auto early = store_->sweep(base::Time{});
  ASSERT_TRUE(early);
  EXPECT_EQ(*early, 0);
  const auto swept = store_->sweep(kLater);
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(*swept, 1);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  ASSERT_TRUE((*alive)->finish());
  EXPECT_THAT(names(), ElementsAre("c"));
  EXPECT_THAT(files(), ElementsAre(".quorate-notes", "c"));
}

TEST_F(FileStore, RemovesFoldersThatHaveBecomeEmpty) {
  ASSERT_TRUE(store_->put("x/y/1", "1", Overwrite::Never));
  ASSERT_TRUE(store_->put("x/2", "2", Overwrite::Never));
  ASSERT_TRUE(store_->remove("x/y/1"));
  EXPECT_THAT(files(), ElementsAre("x", "x/2"));
  ASSERT_TRUE(store_->remove("x/2"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(FileStore, DoesNotFollowLinksOutOfItsFolder) {
  const TempFolder elsewhere;
  std::ofstream(elsewhere / "secret") << "secret";
  fs::create_directory_symlink(elsewhere.path(), folder_ / "link");
  fs::create_symlink(elsewhere / "secret", folder_ / "file");
  EXPECT_THAT(names(), IsEmpty());
  for (const std::string name : {"link/secret", "file"}) {
    const auto got = store_->get(name, 100);
    ASSERT_FALSE(got) << name;
    EXPECT_EQ(got.error().kind, ErrorKind::Refused);
  }
  const auto put = store_->put("link/new", "x", Overwrite::Allowed);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::Refused);
  ASSERT_TRUE(store_->put("file", "ours", Overwrite::Allowed)) << "the link itself is replaced";
  EXPECT_FALSE(fs::exists(elsewhere / "new"));
  std::string kept;
  std::ifstream(elsewhere / "secret") >> kept;
  EXPECT_EQ(kept, "secret");
}

TEST_F(FileStore, HangsOnNoPipe) {
  ASSERT_TRUE(store_->mark());
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(names(), IsEmpty());
  const auto opened = store_->open("pipe");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::Refused);
}

TEST_F(FileStore, IsTheFolderOfADiskWithItsLostAndFound) {
  fs::create_directory(folder_ / "lost+found");
  std::ofstream(folder_ / "lost+found/x") << "x";
  ASSERT_TRUE(store_->mark());
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FileStore, WritesForItsOwnUserOnly) {
  ASSERT_TRUE(store_->put("a/b", "secret", Overwrite::Allowed));
  EXPECT_EQ(fs::status(folder_ / "a/b").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::perms::owner_all);
}

TEST_F(FileStore, SaysWhenAFileBecomesShorterWhileItIsRead) {
  ASSERT_TRUE(store_->put("x", std::string(1000, 'x'), Overwrite::Allowed));
  const auto reader = store_->open("x");
  ASSERT_TRUE(reader && *reader);
  fs::resize_file(folder_ / "x", 10);
  std::string into(1000, '\0');
  ASSERT_TRUE((*reader)->read(into.data(), into.size()));
  EXPECT_FALSE((*reader)->read(into.data(), into.size()));
}

TEST_F(FileStore, ReadsTheOldBytesToTheEndWhenTheObjectIsReplaced) {
  ASSERT_TRUE(store_->put("x", "old", Overwrite::Allowed));
  const auto reader = store_->open("x");
  ASSERT_TRUE(reader && *reader);
  ASSERT_TRUE(store_->put("x", "newer", Overwrite::Allowed));
  std::string into(10, '\0');
  const auto got = (*reader)->read(into.data(), into.size());
  ASSERT_TRUE(got);
  EXPECT_EQ(into.substr(0, *got), "old");
}

TEST_F(FileStore, TellsAForbiddenFolderFromAMissingOne) {
  ASSERT_TRUE(store_->put("private/x", "x", Overwrite::Allowed));
  fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_all);
  const int ended = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
    if (::geteuid() != 65534) fs::permissions(folder_ / "private", fs::perms::none);
    const auto listed = store_->list("");
    const auto got = store_->get("private/x", 10);
    const auto put = store_->put("private/y", "y", Overwrite::Allowed);
    const auto refused = [](const auto& answer) { return !answer && answer.error().kind == ErrorKind::Refused; };
    return refused(listed) && refused(got) && refused(put) ? 0 : 1;
  });
  fs::permissions(folder_ / "private", fs::perms::owner_all);
  EXPECT_EQ(ended, 0);
}

TEST_F(FileStore, SaysThatTheDiskIsFullAndLeavesNothing) {
  const int ended = in_child([&] {
    if (::unshare(CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0) return 77;
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
    if (::mount("none", folder_.path().c_str(), "tmpfs", 0, "size=1m") != 0) return 77;
    const auto put = store_->put("a/large", std::string(std::size_t{4} << 20, 'x'), Overwrite::Allowed);
    if (put || put.error().kind != ErrorKind::Transient) return 1;
    if (put.error().message.find("disk full") != 0) return 2;
    return names().empty() && files().empty() && store_->put("small", "x", Overwrite::Allowed) ? 0 : 3;
  });
  if (ended == 77) return tests::skip_unless_ci_is_root("no mount namespace can be had here");
  EXPECT_EQ(ended, 0);
}

TEST(ObjectNames, LeadNowhereButBelowTheBase) {
  for (const std::string name :
       {"a", "a/b", "...", ".hidden", "2026-11-18T08:20:30Z-r7-a/etcd.backup.gz", "a b", "ü"}) {
    EXPECT_TRUE(base::is_object_name(name)) << name;
  }
  for (const std::string name : {"", ".", "..", "/a", "a/", "a//b", "a/../b", "a/.", "a\nb", "a\\b", "\xff"}) {
    EXPECT_FALSE(base::is_object_name(name)) << name;
  }
  EXPECT_TRUE(base::is_object_name(std::string(255, 'x')));
  EXPECT_FALSE(base::is_object_name(std::string(256, 'x')));
}

}  // namespace
}  // namespace quorate::tests
