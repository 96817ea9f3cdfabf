// Every way in which a file can change, on real folders; each is waited for with a deadline.
#include "reconciler/adapters/inotify/file_watch.h"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace quorate::inotify {
namespace {

namespace fs = std::filesystem;

// What was reported, as it comes.
class Seen {
 public:
  Changed callback() {
    return [this](const std::string& path) {
      const std::lock_guard lock(mutex_);
      ++counts_[path];
      changed_.notify_all();
    };
  }
  // One more report than at the last call, and every later one until now forgotten.
  bool next(const std::string& path, std::chrono::milliseconds patience = std::chrono::seconds{20}) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, patience, [&] { return counts_[path] > 0; });
    counts_[path] = 0;
    return came;
  }
  int count(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return counts_[path];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> counts_;
};

class WatchedFiles : public testing::Test {
 protected:
  static void put(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }
  void watch(std::vector<std::string> files, std::vector<std::string> folders = {}) {
    // Another file in another folder tells when all that was done before it has been reported.
    fs::create_directories(other_.path());
    put(marker_, "");
    files.push_back(marker_);
    auto made = make_file_watch({std::move(files), std::move(folders)}, seen_.callback());
    ASSERT_TRUE(made) << made.error().message;
    watch_ = std::move(*made);
    EXPECT_EQ(watch_->problem(), "");
  }
  // Nothing was reported for this path: events come in order, so what is older than the marker's has been handled.
  // Twice, since a look that older events have led to may see the marker before its events have been read.
  bool quiet(const std::string& path) {
    for (const char* content : {"x", "xx"}) {
      put(marker_, content);
      EXPECT_TRUE(seen_.next(marker_));
    }
    return seen_.count(path) == 0;
  }
  // What was reported until now is forgotten.
  void settle(const std::string& path) {
    quiet(path);
    seen_.next(path, std::chrono::milliseconds{0});
  }

  tests::TempFolder folder_;
  tests::TempFolder other_;
  std::string file_ = folder_ / "quorate.yaml";
  std::string marker_ = other_ / "marker";
  Seen seen_;
  std::unique_ptr<FileWatch> watch_;
};

TEST_F(WatchedFiles, AreReportedWhenWrittenInPlace) {
  put(file_, "one");
  watch({file_});
  EXPECT_TRUE(quiet(file_));
  put(file_, "two");
  EXPECT_TRUE(seen_.next(file_));
  std::ofstream(file_, std::ios::app) << "more";
  EXPECT_TRUE(seen_.next(file_));
}

TEST_F(WatchedFiles, AreReportedWhenAnEditorReplacesThem) {
  put(file_, "one");
  watch({file_});
  for (int time = 0; time < 5; ++time) {
    put(folder_ / ".quorate.yaml.swp", "two");
    fs::rename(folder_ / ".quorate.yaml.swp", file_);
    EXPECT_TRUE(seen_.next(file_)) << time;
  }
  // vim keeps the old one beside it.
  fs::rename(file_, file_ + "~");
  put(file_, "three");
  EXPECT_TRUE(seen_.next(file_));
  settle(file_);
  put(file_ + "~", "the old one is nobody's business");
  EXPECT_TRUE(quiet(file_));
}

TEST_F(WatchedFiles, AreReportedWhenTheyGoAndWhenTheyComeAgain) {
  put(file_, "one");
  watch({file_});
  fs::remove(file_);
  EXPECT_TRUE(seen_.next(file_));
  EXPECT_TRUE(quiet(file_));
  put(file_, "one");
  EXPECT_TRUE(seen_.next(file_));
}

TEST_F(WatchedFiles, AreNotReportedEmptyWhileSomebodyIsWritingThem) {
  watch({file_});
  const int writer = ::open(file_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  ASSERT_GE(writer, 0);
  EXPECT_TRUE(quiet(file_));
  ASSERT_EQ(::write(writer, "text", 4), 4);
  ::close(writer);
  EXPECT_TRUE(seen_.next(file_));
}

TEST_F(WatchedFiles, AreReportedWhenAnotherNameOfThemIsWritten) {
  put(file_, "one");
  fs::create_directory(folder_ / "elsewhere");
  fs::create_hard_link(file_, folder_ / "elsewhere/name");
  watch({file_});
  put(folder_ / "elsewhere/name", "two");
  EXPECT_TRUE(seen_.next(file_));
}

TEST_F(WatchedFiles, AreReportedWhenTheirModeChanges) {
  put(file_, "one");
  watch({file_});
  ASSERT_EQ(::chmod(file_.c_str(), 0444), 0);
  EXPECT_TRUE(seen_.next(file_));
}

TEST_F(WatchedFiles, AreReportedWhenLinkedIntoPlace) {
  put(folder_ / "ready", "text");
  watch({file_});
  fs::create_hard_link(folder_ / "ready", file_);
  EXPECT_TRUE(seen_.next(file_));
}

// file -> ..data/file, ..data -> ..1; the kubelet writes ..2 and renames a new link over ..data.
TEST_F(WatchedFiles, AreReportedWhenAConfigMapIsSwapped) {
  fs::create_directory(folder_ / "..1");
  put(folder_ / "..1/quorate.yaml", "one");
  fs::create_directory_symlink("..1", folder_ / "..data");
  fs::create_symlink("..data/quorate.yaml", file_);
  watch({file_});
  for (int version = 2; version < 6; ++version) {
    const std::string next = ".." + std::to_string(version);
    fs::create_directory(folder_ / next);
    put(folder_ / (next + "/quorate.yaml"), "text " + next);
    fs::create_directory_symlink(next, folder_ / "..data_tmp");
    fs::rename(folder_ / "..data_tmp", folder_ / "..data");
    fs::remove_all(folder_ / (".." + std::to_string(version - 1)));
    EXPECT_TRUE(seen_.next(file_)) << version;
    settle(file_);
    put(folder_ / (next + "/quorate.yaml"), "written in the new place");
    EXPECT_TRUE(seen_.next(file_)) << version;
  }
}

TEST_F(WatchedFiles, AreReportedThroughLinksThatLeadFarAway) {
  put(other_ / "real", "one");
  fs::create_directory(folder_ / "links");
  fs::create_symlink(other_ / "real", folder_ / "links/second");
  fs::create_symlink("links/../links/second", file_);
  watch({file_});
  put(other_ / "real", "two");
  EXPECT_TRUE(seen_.next(file_));
  fs::remove(folder_ / "links/second");
  EXPECT_TRUE(seen_.next(file_));
  put(other_ / "real", "three");
  EXPECT_TRUE(quiet(file_));
}

TEST_F(WatchedFiles, WaitForFoldersThatAreMadeLater) {
  const std::string deep = folder_ / "etc/quorate/lab/quorate.yaml";
  watch({deep});
  fs::create_directories(folder_ / "etc/quorate/lab");
  put(deep, "one");
  EXPECT_TRUE(seen_.next(deep));
  put(deep, "two");
  EXPECT_TRUE(seen_.next(deep));
}

TEST_F(WatchedFiles, AreReportedWhenTheirFolderIsMovedAndComesBack) {
  fs::create_directory(folder_ / "conf");
  const std::string path = folder_ / "conf/quorate.yaml";
  put(path, "one");
  watch({path});
  fs::rename(folder_ / "conf", folder_ / "away");
  EXPECT_TRUE(seen_.next(path));
  put(folder_ / "away/quorate.yaml", "written elsewhere");
  EXPECT_TRUE(quiet(path));
  fs::rename(folder_ / "away", folder_ / "conf");
  EXPECT_TRUE(seen_.next(path));
  fs::remove_all(folder_ / "conf");
  EXPECT_TRUE(seen_.next(path));
  settle(path);
  fs::create_directory(folder_ / "conf");
  put(path, "two");
  EXPECT_TRUE(seen_.next(path));
}

TEST_F(WatchedFiles, LeaveTheirNeighboursAlone) {
  put(file_, "one");
  watch({file_});
  put(folder_ / "neighbour", "text");
  fs::create_directory(folder_ / "folder");
  fs::remove(folder_ / "neighbour");
  EXPECT_TRUE(quiet(file_));
}

TEST_F(WatchedFiles, AreAllReportedWhenTheKernelHasLostEvents) {
  int most = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> most;
  if (most <= 0 || most > 100'000) GTEST_SKIP() << "the queue is too long to fill: " << most;
  put(file_, "one");
  // The thread of the watch stands still in its callback while the queue runs over.
  std::mutex mutex;
  std::condition_variable changed;
  int calls = 0;
  int for_other = 0;
  bool go_on = false;
  const auto callback = [&](const std::string& path) {
    std::unique_lock lock(mutex);
    ++calls;
    if (path == marker_) ++for_other;
    changed.notify_all();
    changed.wait(lock, [&] { return go_on; });
  };
  put(marker_, "");
  auto made = make_file_watch({{file_, marker_}, {}}, callback);
  ASSERT_TRUE(made);
  put(file_, "two");
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds{20}, [&] { return calls > 0; }));
  }
  const std::string noise_a = folder_ / "a";
  const std::string noise_b = folder_ / "b";
  put(noise_a, "");
  for (int time = 0; time <= most / 2; ++time) {
    ASSERT_EQ(::rename(noise_a.c_str(), noise_b.c_str()), 0);
    ASSERT_EQ(::rename(noise_b.c_str(), noise_a.c_str()), 0);
  }
  std::unique_lock lock(mutex);
  go_on = true;
  changed.notify_all();
  EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds{20}, [&] { return for_other > 0; }));
  lock.unlock();
  made->reset();
}

TEST_F(WatchedFiles, SurviveLinksInACircleAndFilesInsteadOfFolders) {
  fs::create_symlink("second", folder_ / "first");
  fs::create_symlink("first", folder_ / "second");
  put(folder_ / "file", "text");
  const std::string below = folder_ / "file/below";
  watch({folder_ / "first", below});
  EXPECT_TRUE(quiet(below));
  fs::remove(folder_ / "second");
  put(folder_ / "second", "now a file");
  EXPECT_TRUE(seen_.next(folder_ / "first"));
  fs::remove(folder_ / "file");
  fs::create_directory(folder_ / "file");
  put(below, "now there");
  EXPECT_TRUE(seen_.next(below));
}

TEST_F(WatchedFiles, FoldersAreReportedWhenTheyAreEmptied) {
  const std::string data = folder_ / "data";
  fs::create_directories(data + "/member/wal");
  watch({}, {data});
  put(data + "/member/wal/0.wal", "deeper than what is watched");
  EXPECT_TRUE(quiet(data));
  fs::remove_all(data + "/member");
  EXPECT_TRUE(seen_.next(data));
  fs::remove(data);
  EXPECT_TRUE(seen_.next(data));
  fs::create_directory(data);
  EXPECT_TRUE(seen_.next(data));
  settle(data);
  fs::create_directory(data + "/member");
  EXPECT_TRUE(seen_.next(data));
}

TEST_F(WatchedFiles, AFolderThatIsNamedLaterIsWatchedFromThenOn) {
  put(file_, "one");
  watch({file_});
  const std::string data = folder_ / "later";
  fs::create_directory(data);
  watch_->watch_folder(data);
  EXPECT_TRUE(seen_.next(data));  // as it is now
  fs::create_directory(data + "/member");
  EXPECT_TRUE(seen_.next(data));
  put(file_, "two");
  EXPECT_TRUE(seen_.next(file_));
}

TEST_F(WatchedFiles, LookingAgainFindsNothingWhereNothingHasChanged) {
  put(file_, "one");
  watch({file_});
  watch_->look_again();
  EXPECT_TRUE(quiet(file_));
  watch_.reset();
  put(file_, "two");
  EXPECT_EQ(seen_.count(file_), 0);
}

TEST_F(WatchedFiles, EmptyPathsAreRefused) {
  EXPECT_FALSE(make_file_watch({{""}, {}}, seen_.callback()));
}

}  // namespace
}  // namespace quorate::inotify
