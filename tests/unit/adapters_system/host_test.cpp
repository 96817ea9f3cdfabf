// Files written, renamed and removed in folders of a test, and everything that must not be touched.
#include "reconciler/adapters/system/host.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/skip.h"
#include "tests/support/temp_folder.h"

namespace quorate::adapters::system {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HostFiles : public testing::Test {
 protected:
  static void put(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }
  static std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static struct stat about(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status;
  }
  static std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    return names;
  }

  // In a process with mounts of its own, which end with it. False: the system does not let us mount.
  static bool with_mounts(const std::function<bool()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(77);
      ::_exit(body() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
    return WIFEXITED(status) && WEXITSTATUS(status) != 77;
  }

  tests::TempFolder folder_;
  std::unique_ptr<ports::Host> host_ = make_host();
};

TEST_F(HostFiles, AreWrittenWithModeAndFolders) {
  const std::string path = folder_ / "a/b/etcd.yaml";
  ASSERT_TRUE(host_->write_file({path, "name: a\n", 0640, ""}).value());
  EXPECT_EQ(content_of(path), "name: a\n");
  EXPECT_EQ(about(path).st_mode & 07777U, 0640U);
  EXPECT_EQ(about(folder_ / "a/b").st_mode & 07777U, 0700U);
  EXPECT_THAT(names_in(folder_ / "a/b"), ElementsAre("etcd.yaml"));
}

TEST_F(HostFiles, J07_ThatAreRightAlreadyAreLeftAlone) {
  const ports::FileToWrite file{folder_ / "file", "text", 0600, ""};
  ASSERT_TRUE(host_->write_file(file).value());
  const struct stat before = about(file.path);
  EXPECT_FALSE(host_->write_file(file).value());
  EXPECT_EQ(about(file.path).st_ino, before.st_ino);
  EXPECT_EQ(about(file.path).st_ctim.tv_nsec, before.st_ctim.tv_nsec);
}

TEST_F(HostFiles, AreWrittenAgainWhenContentOrModeDiffers) {
  ASSERT_TRUE(host_->write_file({folder_ / "file", "text", 0600, ""}).value());
  EXPECT_TRUE(host_->write_file({folder_ / "file", "tuxt", 0600, ""}).value());
  EXPECT_EQ(content_of(folder_ / "file"), "tuxt");
  EXPECT_TRUE(host_->write_file({folder_ / "file", "tuxt", 0644, ""}).value());
  EXPECT_EQ(about(folder_ / "file").st_mode & 07777U, 0644U);
  EXPECT_TRUE(host_->write_file({folder_ / "file", "tuxtu", 0644, ""}).value());
}

TEST_F(HostFiles, BelongToTheUserThatIsNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_TRUE(host_->write_file({folder_ / "file", "text", 0600, "nobody"}).value());
  EXPECT_EQ(about(folder_ / "file").st_uid, ::getpwnam("nobody")->pw_uid);
  EXPECT_EQ(about(folder_ / "file").st_gid, ::getpwnam("nobody")->pw_gid);
  EXPECT_FALSE(host_->write_file({folder_ / "file", "text", 0600, "nobody"}).value());
  EXPECT_TRUE(host_->write_file({folder_ / "file", "text", 0600, "4321"}).value());
  EXPECT_EQ(about(folder_ / "file").st_uid, 4321U);
  EXPECT_TRUE(host_->write_file({folder_ / "file", "text", 0600, ""}).value());
  EXPECT_EQ(about(folder_ / "file").st_uid, ::geteuid());
}

TEST_F(HostFiles, OfUnknownUsersAreNotWritten) {
  const auto written = host_->write_file({folder_ / "file", "text", 0600, "no-such-user-here"});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::Invalid);
  EXPECT_THAT(written.error().message, HasSubstr("no user no-such-user-here"));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(HostFiles, NeverReplaceLinksFoldersOrPipes) {
  put(folder_ / "target", "precious");
  fs::create_symlink(folder_ / "target", folder_ / "link");
  fs::create_directory(folder_ / "folder");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const std::string name : {"link", "folder", "pipe"}) {
    const auto written = host_->write_file({folder_ / name, "text", 0600, ""});
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().kind, ErrorKind::Refused);
    EXPECT_THAT(written.error().message, HasSubstr(folder_ / name));
    const auto removed = host_->remove_file(folder_ / name);
    ASSERT_FALSE(removed) << name;
    EXPECT_EQ(removed.error().kind, ErrorKind::Refused);
  }
  EXPECT_EQ(content_of(folder_ / "target"), "precious");
  EXPECT_EQ(names_in(folder_.path()).size(), 4U);
}

TEST_F(HostFiles, RemoveWhatACrashHasLeftAndNothingElse) {
  put(folder_ / ".file.quorate-0123456789abcdef", "half");
  put(folder_ / ".file.quorate-0123456789abcdeX", "not ours");
  put(folder_ / ".file.quorate-0123", "not ours");
  put(folder_ / ".other.quorate-0123456789abcdef", "of another file");
  const std::string in_use = folder_ / ".file.quorate-fedcba9876543210";
  const int other = ::open(in_use.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  ASSERT_TRUE(host_->write_file({folder_ / "file", "text", 0600, ""}).value());
  EXPECT_THAT(names_in(folder_.path()),
              testing::UnorderedElementsAre("file", ".file.quorate-0123456789abcdeX", ".file.quorate-0123",
                                            ".other.quorate-0123456789abcdef", ".file.quorate-fedcba9876543210"));
  ::close(other);
}

TEST_F(HostFiles, OnAFullDiskStayAsTheyWere) {
  const std::string disk = folder_ / "disk";
  fs::create_directory(disk);
  const bool possible = with_mounts([&] {
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0) ::_exit(77);
    if (!host_->write_file({disk + "/file", "old", 0600, ""})) return false;
    const auto written = host_->write_file({disk + "/file", std::string(1 << 20, 'x'), 0600, ""});
    if (written || written.error().kind != ErrorKind::Transient) return false;
    return written.error().message.find("disk full") == 0 && content_of(disk + "/file") == "old" &&
           names_in(disk).size() == 1;
  });
  if (!possible) return tests::skip_unless_ci_is_root("mounting needs root");
}

TEST_F(HostFiles, OnAReadOnlyDiskAreRefused) {
  const std::string disk = folder_ / "disk";
  fs::create_directory(disk);
  const bool possible = with_mounts([&] {
    if (::mount("none", disk.c_str(), "tmpfs", MS_RDONLY, "size=64k") != 0) ::_exit(77);
    const auto written = host_->write_file({disk + "/file", "new", 0600, ""});
    return !written && written.error().kind == ErrorKind::Refused;
  });
  if (!possible) return tests::skip_unless_ci_is_root("mounting needs root");
}

TEST_F(HostFiles, AreReadOrPositivelyNotThere) {
  put(folder_ / "file", "text");
  EXPECT_EQ(host_->read_file(folder_ / "file").value(), "text");
  EXPECT_EQ(host_->read_file(folder_ / "none").value(), std::nullopt);
  EXPECT_EQ(host_->list(folder_ / "none").value(), std::nullopt);
  EXPECT_THAT(*host_->list(folder_.path()).value(), ElementsAre("file"));
}

TEST_F(HostFiles, AreRemovedOnceAndForAll) {
  put(folder_ / "file", "text");
  EXPECT_TRUE(host_->remove_file(folder_ / "file"));
  EXPECT_TRUE(host_->remove_file(folder_ / "file"));
  EXPECT_TRUE(host_->remove_file(folder_ / "no/folder/either"));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

TEST_F(HostFiles, NeedAPathThatNamesSomething) {
  for (const std::string path : {"/", "", ".", "..", "/tmp/.."}) {
    EXPECT_FALSE(host_->write_file({path, "text", 0600, ""})) << path;
    EXPECT_FALSE(host_->remove_tree(path)) << path;
    EXPECT_FALSE(host_->rename(path, folder_ / "x")) << path;
  }
}

TEST_F(HostFiles, AreRenamedIntoFoldersThatAreMade) {
  fs::create_directories(folder_ / "data/member");
  ASSERT_TRUE(host_->rename(folder_ / "data", folder_ / "old/data-1"));
  EXPECT_TRUE(fs::exists(folder_ / "old/data-1/member"));
  EXPECT_FALSE(fs::exists(folder_ / "data"));
}

TEST_F(HostFiles, AreNeverRenamedOntoSomething) {
  fs::create_directory(folder_ / "data");
  fs::create_directories(folder_ / "full/member");
  fs::create_directory(folder_ / "empty");
  fs::create_directory_symlink(folder_ / "empty", folder_ / "link");
  put(folder_ / "file", "text");
  for (const std::string to : {"full", "file", "link"}) {
    const auto renamed = host_->rename(folder_ / "data", folder_ / to);
    ASSERT_FALSE(renamed);
    EXPECT_EQ(renamed.error().kind, ErrorKind::Refused);
    EXPECT_THAT(renamed.error().message, HasSubstr("already is something at " + folder_ / to));
  }
  EXPECT_EQ(content_of(folder_ / "file"), "text");
  EXPECT_FALSE(host_->rename(folder_ / "file", folder_ / "empty"));
}

// Whoever starts etcd may have made it: a unit's StateDirectory, or a person.
TEST_F(HostFiles, TakeThePlaceOfAFolderThatIsEmpty) {
  fs::create_directories(folder_ / "data/member");
  fs::create_directory(folder_ / "empty");
  ASSERT_TRUE(host_->rename(folder_ / "data", folder_ / "empty"));
  EXPECT_TRUE(fs::exists(folder_ / "empty/member"));
  EXPECT_FALSE(fs::exists(folder_ / "data"));
}

TEST_F(HostFiles, ThatAreNotThereAreNotRenamed) {
  const auto renamed = host_->rename(folder_ / "none", folder_ / "deep/er");
  ASSERT_FALSE(renamed);
  EXPECT_EQ(renamed.error().kind, ErrorKind::Invalid);
  EXPECT_FALSE(fs::exists(folder_ / "deep"));
  fs::create_directory(folder_ / "data");
  EXPECT_EQ(host_->rename(folder_ / "data", folder_ / "data/in/itself").error().kind, ErrorKind::Invalid);
  fs::create_directory_symlink(folder_ / "data", folder_ / "link");
  EXPECT_EQ(host_->rename(folder_ / "link", folder_ / "aside").error().kind, ErrorKind::Refused);
}

TEST_F(HostFiles, OnMountPointsAreNotRenamed) {
  const std::string disk = folder_ / "disk";
  fs::create_directory(disk);
  const bool possible = with_mounts([&] {
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0) ::_exit(77);
    fs::create_directory(disk + "/data");
    const auto across = host_->rename(disk + "/data", folder_ / "data");
    const auto whole = host_->rename(disk, folder_ / "aside");
    return !across && across.error().kind == ErrorKind::Refused &&
           across.error().message.find("different file systems") != std::string::npos && !whole &&
           whole.error().kind == ErrorKind::Refused && whole.error().message.find("mount point") != std::string::npos &&
           !whole.error().help.empty();
  });
  if (!possible) return tests::skip_unless_ci_is_root("mounting needs root");
}

TEST_F(HostFiles, TreesAreRemovedWithoutFollowingLinks) {
  put(folder_ / "precious", "text");
  fs::create_directories(folder_ / "keep/inner");
  fs::create_directories(folder_ / "tree/member/wal");
  put(folder_ / "tree/member/wal/0.wal", "bytes");
  fs::create_symlink(folder_ / "precious", folder_ / "tree/link");
  fs::create_directory_symlink(folder_ / "keep", folder_ / "tree/member/keep");
  ASSERT_EQ(::mkfifo((folder_ / "tree/pipe").c_str(), 0600), 0);
  ASSERT_TRUE(host_->remove_tree(folder_ / "tree"));
  EXPECT_FALSE(fs::exists(folder_ / "tree"));
  EXPECT_EQ(content_of(folder_ / "precious"), "text");
  EXPECT_TRUE(fs::exists(folder_ / "keep/inner"));
  EXPECT_TRUE(host_->remove_tree(folder_ / "tree"));
  EXPECT_TRUE(host_->remove_tree(folder_ / "no/such/tree"));
}

TEST_F(HostFiles, LinksToTreesAreNotRemovedAsTrees) {
  fs::create_directory(folder_ / "keep");
  fs::create_directory_symlink(folder_ / "keep", folder_ / "link");
  EXPECT_EQ(host_->remove_tree(folder_ / "link").error().kind, ErrorKind::Refused);
  put(folder_ / "file", "text");
  EXPECT_EQ(host_->remove_tree(folder_ / "file").error().kind, ErrorKind::Refused);
}

TEST_F(HostFiles, TreesNestedWithoutEndAreRefusedWhole) {
  std::string path = folder_ / "tree";
  for (int depth = 0; depth < 80; ++depth) path += "/d";
  fs::create_directories(path);
  EXPECT_EQ(host_->remove_tree(folder_ / "tree").error().kind, ErrorKind::Refused);
  EXPECT_TRUE(fs::exists(path));
}

// Another disk, and a part of the same one: the device alone does not tell the second.
TEST_F(HostFiles, TreesWithSomethingMountedInThemAreRefusedBeforeAnythingIsRemoved) {
  fs::create_directories(folder_ / "tree/a");
  fs::create_directories(folder_ / "tree/mnt");
  fs::create_directories(folder_ / "precious");
  put(folder_ / "tree/a/file", "text");
  put(folder_ / "precious/file", "text");
  const bool possible = with_mounts([&] {
    const std::string mnt = folder_ / "tree/mnt";
    for (const bool bind : {false, true}) {
      const int mounted = bind ? ::mount((folder_ / "precious").c_str(), mnt.c_str(), nullptr, MS_BIND, nullptr)
                               : ::mount("none", mnt.c_str(), "tmpfs", 0, "size=64k");
      if (mounted != 0) ::_exit(77);
      const auto removed = host_->remove_tree(folder_ / "tree");
      const auto top = host_->remove_tree(mnt);
      ::umount(mnt.c_str());
      if (removed || removed.error().kind != ErrorKind::Refused || !fs::exists(folder_ / "tree/a/file")) return false;
      if (top || top.error().kind != ErrorKind::Refused || !fs::exists(folder_ / "precious/file")) return false;
    }
    return true;
  });
  if (!possible) return tests::skip_unless_ci_is_root("mounting needs root");
}

}  // namespace
}  // namespace quorate::adapters::system
