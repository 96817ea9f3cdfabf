// Small regular files only; their content is in no message.
#include "reconciler/adapters/s3/secrets.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace quorate::s3 {
namespace {

constexpr std::size_t kFile = std::size_t{1} << 20;

using base::Error;
using base::ErrorKind;

}  // namespace

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) + 1 - first));
}

bool is_key(std::string_view text) {
  constexpr std::size_t kLongest = 16384;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::string without(std::string text, const std::string& secret) {
  if (secret.size() < 8) return text;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret)) {
    text.replace(at, secret.size(), "***");
  }
  return text;
}

base::Result<std::optional<std::string>> read_small_file(const std::string& path, Readers readers) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const int problem = errno;
  if (file < 0 && (problem == ENOENT || problem == ENOTDIR)) return std::nullopt;
  struct stat about {};
  if (file < 0 || ::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    if (file >= 0) ::close(file);
    return tl::unexpected(Error{ErrorKind::Refused,
                                "the keys of the store cannot be read from " + path + ": " +
                                    (file < 0 ? std::generic_category().message(problem) : "it is no file"),
                                "let the user that this runs as read it"});
  }
  std::string text(kFile + 1, '\0');
  const ssize_t got = ::read(file, text.data(), text.size());
  ::close(file);
  if (got < 0 || static_cast<std::size_t>(got) > kFile) return base::invalid(path + " is no file of keys");
  if (readers == Readers::OwnerOnly && (about.st_mode & 077U) != 0) {
    return tl::unexpected(
        Error{ErrorKind::Refused, "others than its owner may read or write " + path, "chmod 600 " + path});
  }
  text.resize(static_cast<std::size_t>(got));
  return text;
}

base::Result<std::string> read_key(const std::string& path, Readers readers) {
  auto text = read_small_file(path, readers);
  if (!text) return tl::unexpected(std::move(text.error()));
  if (!*text) return base::invalid("the file of the store's key, " + path + ", is not there");
  std::string key = trimmed(**text);
  if (is_key(key)) return key;
  return base::invalid(path + " does not hold one key and nothing else", "write the key in one line");
}

}  // namespace quorate::s3
