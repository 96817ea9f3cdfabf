// Reading files and folders, where "it is not there" is an answer and "I could not look" is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/adapters/system/descriptor.h"
#include "reconciler/base/byte_source.h"
#include "reconciler/base/result.h"

namespace quorate::adapters::system {

// Refused: we have no right to it. Invalid: no such path can be. Transient: the system failed, or the disk is full.
// `doing` as in "read".
base::Error system_error(const std::string& doing, const std::string& path, int number);

// An open regular file. Its size is that of the moment it was opened; it may change under us.
class FileBytes final : public base::ByteSource {
 public:
  FileBytes(Descriptor file, std::string path, std::uint64_t size)
      : file_(std::move(file)), path_(std::move(path)), size_(size) {}

  std::uint64_t size() const override { return size_; }
  base::Result<std::size_t> read(std::uint64_t offset, char* to, std::size_t count) const override;

 private:
  Descriptor file_;
  std::string path_;
  std::uint64_t size_;
};

// All four give nothing when there is positively no such file or folder; a link to nowhere is an error, because what
// it leads to may only be unmounted. Links are followed.
base::Result<std::unique_ptr<FileBytes>> open_file(const std::string& path);
base::Result<std::optional<std::string>> read_whole_file(const std::string& path, std::size_t at_most);
base::Result<std::optional<std::vector<std::string>>> list_folder(const std::string& path);
base::Result<Descriptor> open_folder(const std::string& path);  // an empty descriptor where there is none

}  // namespace quorate::adapters::system
