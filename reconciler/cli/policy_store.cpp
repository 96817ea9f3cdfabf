// Field by field; keys are read where they are, each time anew.
#include "reconciler/cli/policy_store.h"

#include <cstddef>

#include "reconciler/adapters/system/files.h"

namespace quorate::cli {
namespace {

constexpr std::size_t kMostOfKey = 4096;

KeyPlace place_of(const model::KeyPlace& place) {
  return {place.file, place.credential};
}

}  // namespace

StoreSettings settings_of(const model::BackupPolicy& policy) {
  StoreSettings settings;
  settings.address = policy.to;
  settings.region = policy.s3.region;
  settings.endpoint = policy.s3.endpoint;
  settings.path_style = policy.s3.path_style;
  settings.ca = policy.s3.ca;
  settings.encryption = policy.s3.sse;
  settings.kms_key = policy.s3.kms_key;
  settings.storage_class = policy.s3.storage_class;
  settings.profile = policy.s3.profile;
  settings.access_key = place_of(policy.s3.access_key);
  settings.secret_key = place_of(policy.s3.secret_key);
  settings.session_token = place_of(policy.s3.session_token);
  return settings;
}

base::Result<codec::SealKey> read_seal_key(const std::string& path) {
  const auto content = adapters::system::read_whole_file(path, kMostOfKey);
  if (!content) return tl::unexpected(content.error());
  if (!*content) return base::invalid("there is no key file " + path, "make one with: openssl rand -hex 32");
  auto key = codec::parse_seal_key(**content);
  if (!key) return base::invalid(path + ": " + key.error().message, key.error().help);
  return key;
}

base::Result<std::optional<codec::SealKey>> seal_key_of(const model::BackupPolicy& policy, const Variable& variable) {
  if (policy.key.empty()) return std::nullopt;
  std::string path = policy.key.file;
  if (path.empty()) {
    const std::string folder = variable("CREDENTIALS_DIRECTORY");
    if (folder.empty() || policy.key.credential.find('/') != std::string::npos) {
      return base::invalid("the credential " + policy.key.credential + " of backup.encrypt is not there",
                           "name it in LoadCredential= of the unit; $CREDENTIALS_DIRECTORY is its folder");
    }
    path = folder + "/" + policy.key.credential;
  }
  auto key = read_seal_key(path);
  if (!key) return tl::unexpected(std::move(key.error()));
  return *std::move(key);
}

}  // namespace quorate::cli
