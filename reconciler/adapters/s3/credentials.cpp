// Keys that somebody wrote down: in a value, in files, in the environment, in a profile.
#include "reconciler/adapters/s3/credentials.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/s3/profile.h"

namespace quorate::s3 {
namespace {

constexpr std::size_t kFile = std::size_t{1} << 20;

using base::Error;
using base::ErrorKind;

// Nothing: there is no such file.
base::Result<std::optional<std::string>> read_file(const std::string& path, bool secret) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const int problem = errno;
  if (file < 0 && problem == ENOENT) return std::nullopt;
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
  if (secret && (about.st_mode & 077U) != 0) {
    return tl::unexpected(
        Error{ErrorKind::Refused, "others than its owner may read or write " + path, "chmod 600 " + path});
  }
  text.resize(static_cast<std::size_t>(got));
  return text;
}

class FileCredentials final : public Credentials {
 public:
  FileCredentials(std::string access, std::string secret) : access_(std::move(access)), secret_(std::move(secret)) {}

  base::Result<Keys> keys() override {
    auto access = line(access_, false);
    if (!access) return tl::unexpected(std::move(access.error()));
    auto secret = line(secret_, true);
    if (!secret) return tl::unexpected(std::move(secret.error()));
    return Keys{std::move(*access), std::move(*secret), "", {}};
  }
  void expired(const Keys&) override {}

 private:
  static base::Result<std::string> line(const std::string& path, bool secret) {
    auto text = read_file(path, secret);
    if (!text) return tl::unexpected(std::move(text.error()));
    if (!*text) return base::invalid("the file of the store's key, " + path + ", is not there");
    std::string key = trimmed(**text);
    if (is_key(key)) return key;
    return base::invalid(path + " does not hold one key and nothing else", "write the key in one line");
  }

  const std::string access_;
  const std::string secret_;
};

class UsualCredentials final : public Credentials {
 public:
  explicit UsualCredentials(std::function<std::string(const std::string&)> variable) : variable_(std::move(variable)) {}

  base::Result<Keys> keys() override {
    Keys keys{variable_("AWS_ACCESS_KEY_ID"), variable_("AWS_SECRET_ACCESS_KEY"), variable_("AWS_SESSION_TOKEN"), {}};
    if (keys.access.empty() && keys.secret.empty()) return of_profile();
    if (is_key(keys.access) && is_key(keys.secret) && (keys.token.empty() || is_key(keys.token))) return keys;
    return base::invalid("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are no pair of keys",
                         "set both of them, or none");
  }
  void expired(const Keys&) override {}

 private:
  std::string or_home(const std::string& name, const std::string& file) const {
    const std::string path = variable_(name);
    return path.empty() ? variable_("HOME") + "/.aws/" + file : path;
  }

  base::Result<Keys> of_profile() const {
    std::string profile = variable_("AWS_PROFILE");
    if (profile.empty()) profile = "default";
    const std::pair<std::string, std::string> places[] = {
        {or_home("AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile},
        {or_home("AWS_CONFIG_FILE", "config"), profile == "default" ? profile : "profile " + profile}};
    for (const auto& [path, section] : places) {
      const auto text = read_file(path, false);
      if (!text) return tl::unexpected(text.error());
      if (!*text) continue;
      auto found = keys_of_profile(**text, section);
      if (!found) {
        found.error().message = path + ": " + found.error().message;
        return tl::unexpected(std::move(found.error()));
      }
      if (*found) return **found;
    }
    return base::invalid("there are no keys for the store: neither in the environment nor in the profile " + profile,
                         "name files of keys in the desired file, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }

  const std::function<std::string(const std::string&)> variable_;
};

class StaticCredentials final : public Credentials {
 public:
  explicit StaticCredentials(Keys keys) : keys_(std::move(keys)) {}

  base::Result<Keys> keys() override { return keys_; }
  void expired(const Keys&) override {}

 private:
  const Keys keys_;
};

}  // namespace

std::unique_ptr<Credentials> make_static_credentials(Keys keys) {
  return std::make_unique<StaticCredentials>(std::move(keys));
}

std::unique_ptr<Credentials> make_file_credentials(std::string access_file, std::string secret_file) {
  return std::make_unique<FileCredentials>(std::move(access_file), std::move(secret_file));
}

std::unique_ptr<Credentials> make_usual_credentials(std::function<std::string(const std::string&)> variable) {
  return std::make_unique<UsualCredentials>(std::move(variable));
}

}  // namespace quorate::s3
