// Files of data directories: copied, patched, and written down so that a power failure cannot take them back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/adapters/restorer/deadline.h"
#include "reconciler/adapters/restorer/descriptor.h"
#include "reconciler/base/byte_source.h"
#include "reconciler/base/result.h"

namespace quorate::adapters::restorer {

base::Error system_error(const std::string& doing, const std::string& path, int number);

class FileBytes final : public base::ByteSource {
 public:
  FileBytes(Descriptor file, std::string path, std::uint64_t size)
      : file_(std::move(file)), path_(std::move(path)), size_(size) {}

  std::uint64_t size() const override { return size_; }
  base::Result<std::size_t> read(std::uint64_t offset, char* to, std::size_t count) const override;
  // From the cache of the system: what lies before this offset is on disk, and nobody reads it again soon.
  void let_go(std::uint64_t before) const;

 private:
  Descriptor file_;
  std::string path_;
  std::uint64_t size_;
};
base::Result<std::unique_ptr<FileBytes>> open_file(const std::string& path);

base::Result<void> make_folders(const std::string& path);  // 0700 where they are not there
// Names of the regular files in the folder, sorted; links to files count.
base::Result<std::vector<std::string>> files_in(const std::string& folder);

// Shares the blocks where the file system can. `to` must not be there; the copy is the owner's alone.
base::Result<void> copy_file(const std::string& from, const std::string& to, const Deadline& deadline);
// The file is cut off at the offset, and goes on with the bytes to its end.
base::Result<void> replace_end(const std::string& path, std::uint64_t offset, std::string_view bytes);
base::Result<void> append_and_sync(const std::string& path, std::string_view bytes);
// Every file and folder of the tree is on disk.
base::Result<void> sync_tree(const std::string& path);

}  // namespace quorate::adapters::restorer
