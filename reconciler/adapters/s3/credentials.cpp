// Keys that somebody wrote down: in a value, or in files of one line.
#include "reconciler/adapters/s3/credentials.h"

#include <utility>

#include "reconciler/adapters/s3/secrets.h"

namespace quorate::s3 {
namespace {

class FileCredentials final : public Credentials {
 public:
  explicit FileCredentials(KeyFiles files) : files_(std::move(files)) {}

  base::Result<Keys> keys() override {
    const Readers readers = files_.of_systemd ? Readers::Any : Readers::OwnerOnly;
    auto access = read_key(files_.access, Readers::Any);
    if (!access) return tl::unexpected(std::move(access.error()));
    auto secret = read_key(files_.secret, readers);
    if (!secret) return tl::unexpected(std::move(secret.error()));
    base::Result<std::string> token;
    if (!files_.token.empty()) token = read_key(files_.token, readers);
    if (!token) return tl::unexpected(std::move(token.error()));
    return Keys{std::move(*access), std::move(*secret), std::move(*token), {}};
  }
  void expired(const Keys&) override {}

 private:
  const KeyFiles files_;
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

std::unique_ptr<Credentials> make_file_credentials(KeyFiles files) {
  return std::make_unique<FileCredentials>(std::move(files));
}

}  // namespace quorate::s3
