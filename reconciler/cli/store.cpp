// The scheme decides which adapter it is; what is said goes before what the environment and the profile say.
#include "reconciler/cli/store.h"

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "reconciler/adapters/file_store/file_store.h"
#include "reconciler/adapters/s3/s3.h"

namespace quorate::cli {
namespace {

constexpr const char* kHowWritten = "write it as file:///mnt/backups or s3://bucket/folder";

std::string first_of(const Variable& variable, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (std::string value = variable(name); !value.empty()) return value;
  }
  return "";
}

// Nothing: the settings name no keys.
base::Result<std::optional<s3::KeyFiles>> key_files(const StoreSettings& settings, const Variable& variable) {
  s3::KeyFiles files;
  const std::pair<const KeyPlace&, std::string&> places[] = {
      {settings.access_key, files.access}, {settings.secret_key, files.secret}, {settings.session_token, files.token}};
  for (const auto& [place, path] : places) {
    if (!place.file.empty() && !place.credential.empty()) {
      return base::invalid("a key of the store is in a file or a credential, not in both");
    }
    path = place.file;
    if (place.credential.empty()) continue;
    const std::string folder = variable("CREDENTIALS_DIRECTORY");
    if (folder.empty() || place.credential.find('/') != std::string::npos) {
      return base::invalid("the credential " + place.credential + " of the store is not there",
                           "name it in LoadCredential= of the unit; $CREDENTIALS_DIRECTORY is its folder");
    }
    path = folder + "/" + place.credential;
    files.of_systemd = true;
  }
  if (files.access.empty() && files.secret.empty() && files.token.empty()) return std::nullopt;
  if (!files.access.empty() && !files.secret.empty()) return files;
  return base::invalid("of the keys of the store only one is named", "name the access key and the secret key, or none");
}

s3::Settings bucket_of(const StoreSettings& settings, std::string place) {
  while (!place.empty() && place.back() == '/') place.pop_back();
  const std::size_t slash = place.find('/');
  s3::Settings bucket;
  bucket.bucket = place.substr(0, slash);
  if (slash != std::string::npos) bucket.base = place.substr(slash + 1);
  bucket.encryption = settings.encryption;
  bucket.kms_key = settings.kms_key;
  bucket.storage_class = settings.storage_class;
  if (settings.path_style) bucket.style = *settings.path_style ? s3::Style::Path : s3::Style::VirtualHost;
  return bucket;
}

base::Result<OpenedStore> open_bucket(const StoreSettings& settings, std::string place, ports::Clock& clock,
                                      ports::Entropy& entropy, const Variable& variable) {
  s3::Settings bucket = bucket_of(settings, std::move(place));
  if (bucket.bucket.empty()) return base::invalid("the store " + settings.address + " names no bucket", kHowWritten);
  auto files = key_files(settings, variable);
  if (!files) return tl::unexpected(std::move(files.error()));
  s3::Surroundings around{variable, settings.profile};
  const auto said = [&](const std::string& own, std::initializer_list<const char*> names, const char* in_profile) {
    std::string value = own.empty() ? first_of(variable, names) : own;
    return value.empty() ? s3::setting_of_profile(around, in_profile) : value;
  };
  const std::string region = said(settings.region, {"AWS_REGION", "AWS_DEFAULT_REGION"}, "region");
  if (!region.empty()) bucket.region = region;
  bucket.endpoint = said(settings.endpoint, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "endpoint_url");
  bucket.ca = said(settings.ca, {"AWS_CA_BUNDLE"}, "ca_bundle");
  around.region = bucket.region;
  around.ca = variable("AWS_CA_BUNDLE");
  OpenedStore opened;
  opened.credentials =
      *files ? s3::make_file_credentials(**std::move(files)) : s3::make_usual_credentials(std::move(around), clock);
  auto store = s3::make_s3_store(std::move(bucket), *opened.credentials, clock, entropy);
  if (!store) return tl::unexpected(store.error());
  opened.objects = *std::move(store);
  return opened;
}

}  // namespace

std::string variable_of_process(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

base::Result<OpenedStore> open_store(const StoreSettings& settings, ports::Clock& clock, ports::Entropy& entropy,
                                     const Variable& variable) {
  const std::string& address = settings.address;
  const std::size_t mark = address.find("://");
  const std::string scheme = mark == std::string::npos ? "" : address.substr(0, mark);
  const std::string rest = mark == std::string::npos ? address : address.substr(mark + 3);
  if (scheme == "s3") return open_bucket(settings, rest, clock, entropy, variable);
  const bool is_folder = !rest.empty() && rest.front() == '/';
  if (is_folder && (scheme.empty() || scheme == "file")) {
    return OpenedStore{nullptr, file_store::make_file_store(rest, entropy)};
  }
  if (scheme == "file") return base::invalid("the store " + address + " names no folder from / on", kHowWritten);
  return base::invalid(scheme.empty() ? "the store " + address + " has no scheme" : "no store has the scheme " + scheme,
                       kHowWritten);
}

}  // namespace quorate::cli
