// mkdtemp, and files that nobody else can have put there before us.
#include "reconciler/adapters/signature/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace quorate::adapters::signature {
namespace {

tl::unexpected<base::Error> failed(const std::string& what) {
  return tl::unexpected<base::Error>(base::Error{base::ErrorKind::Transient, what + ": " + std::strerror(errno),
                                                 "check the space and the rights there, or set TMPDIR"});
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

PrivateFolder::PrivateFolder(std::string path) : path_(std::move(path)) {}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

base::Result<PrivateFolder> PrivateFolder::make() {
  const char* chosen = std::getenv("TMPDIR");
  std::string path = chosen != nullptr && *chosen == '/' ? chosen : "/tmp";
  path += "/quorate-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return failed("cannot make a directory " + path);
  return PrivateFolder(std::move(path));
}

base::Result<std::string> PrivateFolder::write(const std::string& name, std::string_view content) const {
  const std::string path = path_ + "/" + name;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed("cannot write " + path);
  const bool whole = write_all(file, content);
  const int problem = errno;
  const bool closed = ::close(file) == 0;
  if (!whole) errno = problem;
  if (!whole || !closed) return failed("cannot write " + path);
  return path;
}

}  // namespace quorate::adapters::signature
