// Written under a hidden name beside its place, and linked to it when all is on disk: a link never replaces.
#include "reconciler/cli/new_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/files.h"

namespace quorate::cli {
namespace {

using adapters::system::system_error;

constexpr int kNameDigits = 32;

tl::unexpected<base::Error> is_there(const std::string& path) {
  return tl::unexpected(base::Error{base::ErrorKind::Refused, path + " is there already",
                                    "name another file with --out, or move this one away"});
}

}  // namespace

base::Result<std::unique_ptr<NewFile>> NewFile::begin(const std::string& path, ports::Entropy& entropy) {
  auto place = adapters::system::place_of(path);
  if (!place) return tl::unexpected(std::move(place.error()));
  std::unique_ptr<NewFile> made(new NewFile(*std::move(place), ".quorate-" + entropy.hex(kNameDigits)));
  const adapters::system::Place& at = made->place_;
  auto folder = adapters::system::open_folder(at.folder);
  if (!folder) return tl::unexpected(std::move(folder.error()));
  if (!*folder) return tl::unexpected(system_error("open", at.folder, ENOENT));
  made->folder_ = *std::move(folder);
  struct stat found {};
  if (::fstatat(made->folder_.number(), at.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) return is_there(at.path);
  made->file_ = adapters::system::Descriptor(
      ::openat(made->folder_.number(), made->hidden_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made->file_) return tl::unexpected(system_error("make a file in", at.folder, errno));
  return made;
}

NewFile::~NewFile() {
  if (file_ && !hidden_.empty()) ::unlinkat(folder_.number(), hidden_.c_str(), 0);
}

base::Result<void> NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file_.number(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return tl::unexpected(system_error("write", place_.path, wrote < 0 ? errno : EIO));
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

base::Result<void> NewFile::finish() {
  if (::fsync(file_.number()) != 0) return tl::unexpected(system_error("write", place_.path, errno));
  if (::linkat(folder_.number(), hidden_.c_str(), folder_.number(), place_.name.c_str(), 0) != 0) {
    if (errno == EEXIST) return is_there(place_.path);
    return tl::unexpected(system_error("name", place_.path, errno));
  }
  ::unlinkat(folder_.number(), hidden_.c_str(), 0);
  hidden_.clear();
  return adapters::system::sync_folder(folder_, place_.folder);
}

}  // namespace quorate::cli
