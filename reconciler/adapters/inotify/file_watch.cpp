// One thread, one inotify; after every event that matters the whole way to each path is looked at again.
#include "reconciler/adapters/inotify/file_watch.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "reconciler/adapters/inotify/path_chain.h"

namespace quorate::inotify {
namespace {

constexpr std::uint32_t kNames = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE;
constexpr std::uint32_t kGone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED;
constexpr std::uint32_t kFolderWatch = kNames | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::uint32_t kContent = IN_CLOSE_WRITE | IN_ATTRIB;  // of a file, also by another of its names

struct Target {
  std::string given;
  std::string absolute;
  bool folder = false;
  Meaning meaning;
  bool touched = false;  // it has changed, whatever it looks like now
  bool created = false;  // it was made, and whoever made it may still be writing
};

struct Interest {
  enum class In { Way, Last, File, Inside } in = In::Way;
  std::size_t target = 0;
  std::string name;  // of Way and Last
};

base::Result<Target> target_of(const std::string& path, bool folder) {
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).string();
  if (error || path.empty()) return base::invalid("cannot watch the path \"" + path + "\"");
  return Target{path, absolute, folder, {}};
}

std::string reason(int number) {
  return std::generic_category().message(number);
}

class Watch final : public FileWatch {
 public:
  Watch(std::vector<Target> targets, Changed changed) : targets_(std::move(targets)), changed_(std::move(changed)) {}

  ~Watch() override {
    stopping_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
    for (const int descriptor : {events_, wake_}) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }

  base::Result<void> start() {
    events_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    wake_ = events_ < 0 ? -1 : ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_ < 0) {
      return tl::unexpected(base::Error{base::ErrorKind::Transient, "cannot watch files: " + reason(errno),
                                        "raise fs.inotify.max_user_instances with sysctl, or the limit of open files"});
    }
    look();
    for (Target& target : targets_) target.touched = false;
    // Signals are for the threads of others.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                        std::string("cannot start a thread that watches files: ") + error.what(), ""});
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return {};
  }

  void look_again() override {
    again_ = true;
    wake();
  }

  void watch_folder(const std::string& path) override {
    auto target = target_of(path, true);
    {
      const std::lock_guard lock(mutex_);
      if (!target) {
        problem_ = target.error().message;
        return;
      }
      more_.push_back(*std::move(target));
    }
    look_again();
  }

  std::string problem() const override {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

 private:
  void wake() const {
    const std::uint64_t one = 1;
    if (wake_ >= 0) static_cast<void>(::write(wake_, &one, sizeof one) == 0);
  }

  void run() {
    std::array<pollfd, 2> both{pollfd{events_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
    while (!stopping_) {
      if (::poll(both.data(), both.size(), -1) < 0) continue;
      std::uint64_t count = 0;
      static_cast<void>(::read(wake_, &count, sizeof count) == 0);
      bool matters = again_.exchange(false);
      take_more();
      matters = take_events() || matters;
      if (matters && !stopping_) report(look());
    }
  }

  void take_more() {
    const std::lock_guard lock(mutex_);
    for (Target& target : more_) targets_.push_back(std::move(target));
    more_.clear();
  }

  // True when one of them is about a path that is watched.
  bool take_events() {
    bool matters = false;
    std::array<char, 65536> bytes;
    while (true) {
      const ssize_t got = ::read(events_, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return matters;
      for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(got);) {
        inotify_event event{};
        std::memcpy(&event, bytes.data() + at, sizeof event);
        // The name is filled up with zeros.
        const char* name = bytes.data() + at + sizeof event;
        matters = take(event, event.len == 0 ? "" : std::string(name, ::strnlen(name, event.len))) || matters;
        at += sizeof event + event.len;
      }
    }
  }

  bool take(const inotify_event& event, const std::string& name) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      for (Target& target : targets_) target.touched = true;
      return true;
    }
    const auto watch = watches_.find(event.wd);
    if (watch == watches_.end()) return false;
    bool matters = (event.mask & kGone) != 0;
    for (const Interest& interest : watch->second) {
      Target& target = targets_[interest.target];
      switch (interest.in) {
        case Interest::In::Way:
          matters = matters || ((event.mask & kNames) != 0 && name == interest.name);
          continue;
        case Interest::In::Last:
          if (name != interest.name || (event.mask & (kNames | IN_CLOSE_WRITE)) == 0) continue;
          ((event.mask & IN_CREATE) != 0 ? target.created : target.touched) = true;
          break;
        case Interest::In::File:
          if ((event.mask & kContent) == 0) continue;
          target.touched = true;
          break;
        case Interest::In::Inside:
          if ((event.mask & kNames) == 0) continue;
          target.touched = true;
          break;
      }
      matters = true;
    }
    return matters;
  }

  // Follows every path, watches what it passes, and says which of them are to be reported.
  std::vector<std::size_t> look() {
    std::map<int, std::vector<Interest>> before = std::exchange(watches_, {});
    std::string problem;
    std::vector<std::size_t> changed;
    for (std::size_t index = 0; index < targets_.size(); ++index) {
      Target& target = targets_[index];
      const Meaning meaning = follow_and_watch(index, problem);
      // An empty file that was just made: its content is on the way, and its end is an event of its own.
      const bool unfinished = target.created && !target.folder && meaning.regular && meaning.size == 0;
      if (target.touched || (meaning != target.meaning && !unfinished)) changed.push_back(index);
      target.meaning = meaning;
      target.touched = false;
      target.created = false;
    }
    for (const auto& [watch, interests] : before) {
      if (watches_.count(watch) == 0) ::inotify_rm_watch(events_, watch);
    }
    const std::lock_guard lock(mutex_);
    problem_ = std::move(problem);
    return changed;
  }

  Meaning follow_and_watch(std::size_t index, std::string& problem) {
    const Target& target = targets_[index];
    const auto on_the_way = [&](const std::string& folder, const std::string& name, bool last) {
      const bool content = last && !target.folder;
      const std::uint32_t mask = kFolderWatch | (content ? static_cast<std::uint32_t>(IN_CLOSE_WRITE) : 0U);
      add(folder, mask, {last ? Interest::In::Last : Interest::In::Way, index, name}, problem);
    };
    const Meaning meaning = follow(target.absolute, on_the_way);
    if (!meaning.there) return meaning;
    if (target.folder) {
      if (meaning.regular) return meaning;
      add(meaning.real_path, kFolderWatch, {Interest::In::Inside, index, ""}, problem);
    } else {
      // Its folder reports what is done to it by its name; without the right to read it that has to do.
      std::string ignored;
      add(meaning.real_path, kContent, {Interest::In::File, index, ""}, ignored);
    }
    // What happened before the last watch was there is told by a second look.
    return follow(target.absolute, [](const std::string&, const std::string&, bool) {});
  }

  void add(const std::string& path, std::uint32_t mask, Interest interest, std::string& problem) {
    const int watch = ::inotify_add_watch(events_, path.c_str(), mask | IN_MASK_ADD | IN_DONT_FOLLOW);
    if (watch >= 0) {
      watches_[watch].push_back(std::move(interest));
      return;
    }
    const int number = errno;
    // What has gone meanwhile has told a folder above it.
    if (number == ENOENT || number == ENOTDIR || number == ELOOP || !problem.empty()) return;
    problem = "cannot watch " + path + ": " + reason(number);
    if (number == ENOSPC) problem = "cannot watch " + path + ": raise fs.inotify.max_user_watches with sysctl";
  }

  void report(const std::vector<std::size_t>& changed) const {
    for (const std::size_t index : changed) {
      if (!stopping_) changed_(targets_[index].given);
    }
  }

  std::vector<Target> targets_;  // of the thread, once it runs
  Changed changed_;
  std::map<int, std::vector<Interest>> watches_;
  int events_ = -1;
  int wake_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> again_{false};
  mutable std::mutex mutex_;
  std::string problem_;
  std::vector<Target> more_;  // for the thread to take
  std::thread thread_;
};

}  // namespace

base::Result<std::unique_ptr<FileWatch>> make_file_watch(const Watched& watched, Changed changed) {
  std::vector<Target> targets;
  for (const bool folder : {false, true}) {
    for (const std::string& path : folder ? watched.folders : watched.files) {
      auto target = target_of(path, folder);
      if (!target) return tl::unexpected(std::move(target.error()));
      targets.push_back(*std::move(target));
    }
  }
  auto watch = std::make_unique<Watch>(std::move(targets), std::move(changed));
  if (auto started = watch->start(); !started) return tl::unexpected(std::move(started.error()));
  return watch;
}

}  // namespace quorate::inotify
