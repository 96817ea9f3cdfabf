// What an agent does to the files of its own machine. Everything that returns is on disk, names included.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"

namespace quorate::ports {

struct FileToWrite {
  std::string path;
  std::string content;
  int mode = 0600;
  std::string owner;  // empty: the user that we run as
};

class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  // By a temporary file in the same folder whose name starts with a dot, fsync, rename, fsync of the folder; folders on
  // the way are made (0700). A file that already is as it should be is left alone: false.
  virtual base::Result<bool> write_file(const FileToWrite& file) = 0;
  // Nothing: it is positively not there.
  virtual base::Result<std::optional<std::string>> read_file(const std::string& path) = 0;
  virtual base::Result<void> remove_file(const std::string& path) = 0;  // one that is not there: done
  // Refused when there is something at `to`, and an empty folder is nothing to another folder; Invalid when there is
  // nothing at `from`.
  virtual base::Result<void> rename(const std::string& from, const std::string& to) = 0;
  // Names, sorted; nothing: there is no such folder.
  virtual base::Result<std::optional<std::vector<std::string>>> list(const std::string& folder) = 0;
  virtual base::Result<void> remove_tree(const std::string& path) = 0;  // one that is not there: done
};

}  // namespace quorate::ports
