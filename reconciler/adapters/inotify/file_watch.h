// Says which files and folders have changed, as the kernel reports it; says "look" and never what is there now.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reconciler/base/result.h"

namespace quorate::inotify {

// Neither has to exist yet; relative paths start where the process runs now.
struct Watched {
  // Written in place, replaced, removed, made again, given another mode; so for every link and folder on the way to it.
  std::vector<std::string> files;
  // The same for the folder itself, and whatever appears in it, goes or is renamed (not what happens further below).
  std::vector<std::string> folders;
};

// A call per path and bundle of events, from one thread of its own; it must not throw. Each path comes as it was given.
using Changed = std::function<void(const std::string& path)>;

// Stops when it goes; after that nothing is called any more.
class FileWatch {
 public:
  FileWatch() = default;
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  virtual ~FileWatch() = default;

  // Looks at the whole way to each path again, for what the kernel never reports: something mounted over a folder.
  virtual void look_again() = 0;
  // From now on this folder too. What happens before the next look is seen as it is then.
  virtual void watch_folder(const std::string& path) = 0;
  // Why something is not watched, for people ("cannot watch /x: ..."); empty: all is. From any thread.
  virtual std::string problem() const = 0;
};

// What happens after this has returned is seen.
base::Result<std::unique_ptr<FileWatch>> make_file_watch(const Watched& watched, Changed changed);

}  // namespace quorate::inotify
