// The scheme decides which adapter it is.
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

base::Result<OpenedStore> open_bucket(std::string place, ports::Clock& clock, ports::Entropy& entropy,
                                      const Variable& variable) {
  while (!place.empty() && place.back() == '/') place.pop_back();
  const std::size_t slash = place.find('/');
  s3::Settings settings;
  settings.bucket = place.substr(0, slash);
  if (slash != std::string::npos) settings.base = place.substr(slash + 1);
  if (settings.bucket.empty()) return base::invalid("the store s3://" + place + " names no bucket", kHowWritten);
  const std::string region = first_of(variable, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (!region.empty()) settings.region = region;
  settings.endpoint = first_of(variable, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  settings.ca = variable("AWS_CA_BUNDLE");
  OpenedStore opened{s3::make_usual_credentials(variable), nullptr};
  auto store = s3::make_s3_store(std::move(settings), *opened.credentials, clock, entropy);
  if (!store) return tl::unexpected(store.error());
  opened.objects = *std::move(store);
  return opened;
}

}  // namespace

std::string variable_of_process(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

base::Result<OpenedStore> open_store(const std::string& address, ports::Clock& clock, ports::Entropy& entropy,
                                     const Variable& variable) {
  const std::size_t mark = address.find("://");
  const std::string scheme = mark == std::string::npos ? "" : address.substr(0, mark);
  const std::string rest = mark == std::string::npos ? address : address.substr(mark + 3);
  if (scheme == "s3") return open_bucket(rest, clock, entropy, variable);
  const bool is_folder = !rest.empty() && rest.front() == '/';
  if (is_folder && (scheme.empty() || scheme == "file")) {
    return OpenedStore{nullptr, file_store::make_file_store(rest, entropy)};
  }
  if (scheme == "file") return base::invalid("the store " + address + " names no folder from / on", kHowWritten);
  return base::invalid(scheme.empty() ? "the store " + address + " has no scheme" : "no store has the scheme " + scheme,
                       kHowWritten);
}

}  // namespace quorate::cli
