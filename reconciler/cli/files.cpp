// Reading and writing with plain system calls, because their errors say what is wrong.
#include "reconciler/cli/files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace quorate::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of any file we read; the loader has a stricter limit

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

auto failed(const std::string& what, const std::string& path) {
  return base::invalid("cannot " + what + " " + path + ": " + std::strerror(errno));
}

base::Result<std::string> read_all(int number, const std::string& path) {
  std::string text;
  std::array<char, std::size_t{16} << 10> buffer;  // not zeroed: most files are small, and there may be thousands
  while (text.size() <= kMostBytes) {
    const ssize_t count = ::read(number, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("read", path);
    if (count == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

base::Result<void> write_all(int number, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t count = ::write(number, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("write", path);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

bool stands_already(const std::string& path, const std::string& content, int mode) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (static_cast<int>(status.st_mode & 07777) != mode) return false;
  const auto existing = read_file(path);
  return existing && *existing == content;
}

std::optional<int> standard_stream(const struct stat& there) {
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status {};
    if (::fstat(number, &status) != 0) continue;
    if (status.st_dev == there.st_dev && status.st_ino == there.st_ino) return number;
  }
  return std::nullopt;
}

bool is_link_to_nothing(const std::string& path, bool leads_somewhere) {
  struct stat status {};
  return !leads_somewhere && ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

}  // namespace

base::Result<std::string> read_file(const std::string& path) {
  const Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return failed("open", path);
  return read_all(file.number(), path == "-" ? "stdin" : path);
}

base::Result<model::Source> read_source(const std::string& path) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  std::error_code error;
  const auto here =
      path == "-" ? std::filesystem::current_path(error) : std::filesystem::absolute(path, error).parent_path();
  if (error) return base::invalid("cannot tell where " + path + " stands: " + error.message());
  return model::Source(path == "-" ? "stdin" : path, std::move(*text), here.lexically_normal().string());
}

base::Result<bool> write_file(const std::string& path, const std::string& content, int mode) {
  if (stands_already(path, content, mode)) return false;
  std::error_code error;
  const auto parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) return base::invalid("cannot make " + parent.string() + ": " + error.message());

  std::string fresh = (parent.empty() ? std::string(".") : parent.string()) + "/.quorate-XXXXXX";
  const Descriptor file(::mkostemp(fresh.data(), O_CLOEXEC));
  if (file.number() < 0) return failed("write", path);
  auto written = write_all(file.number(), content, path);
  if (written && (::fchmod(file.number(), static_cast<mode_t>(mode)) != 0 || ::fsync(file.number()) != 0 ||
                  ::rename(fresh.c_str(), path.c_str()) != 0)) {
    written = failed("write", path);
  }
  if (written) return true;
  ::unlink(fresh.c_str());
  return tl::unexpected(written.error());
}

base::Result<void> write_result(const std::string& path, const std::string& content, std::optional<int> mode) {
  if (path == "-") return write_all(STDOUT_FILENO, content, "stdout");
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  // A new file in its place would leave stdout behind without a name, and what is written there would be lost.
  if (const auto standard = exists ? standard_stream(status) : std::nullopt) {
    return write_all(*standard, content, path);
  }
  if (is_link_to_nothing(path, exists) || (exists && !S_ISREG(status.st_mode))) {
    const Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, static_cast<mode_t>(mode.value_or(0666))));
    if (file.number() < 0) return failed("write", path);
    return write_all(file.number(), content, path);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  std::error_code error;
  const std::string target = exists ? std::filesystem::canonical(path, error).string() : path;
  if (error) return base::invalid("cannot write " + path + ": " + error.message());
  const auto usual = static_cast<int>(exists ? status.st_mode & 07777 : 0666 & ~mask);
  const auto written = write_file(target, content, mode.value_or(usual));
  if (!written) return tl::unexpected(written.error());
  return {};
}

}  // namespace quorate::cli
