// From what is said of a store, on the command line or in the desired file, to the store.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/base/result.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/object_store.h"

namespace quorate::cli {

struct OpenedStore {
  std::unique_ptr<s3::Credentials> credentials;  // of s3 only
  std::unique_ptr<ports::ObjectStore> objects;
};

// Where one key is written: a file, or a credential of systemd's in $CREDENTIALS_DIRECTORY; one of the two, or none.
struct KeyPlace {
  std::string file;
  std::string credential;
};

// All but the address is of buckets only, and may be left out: then the variables that the usual tools read speak,
// AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_CA_BUNDLE and those of the keys, and the profile.
struct StoreSettings {
  std::string address = {};  // "file:///mnt/backups", "/mnt/backups", "s3://bucket/folder"
  std::string region = {};
  std::string endpoint = {};
  std::optional<bool> path_style = {};  // nothing: as AWS wants it, and a path elsewhere
  std::string ca = {};                  // file of the authorities that sign the endpoint's certificate
  std::string encryption = {};          // on the server: "AES256" or "aws:kms"
  std::string kms_key = {};
  std::string storage_class = {};
  std::string profile = {};
  KeyPlace access_key = {};  // with secret_key, or both left out
  KeyPlace secret_key = {};
  KeyPlace session_token = {};
};

// "" for what is not set.
using Variable = std::function<std::string(const std::string& name)>;
std::string variable_of_process(const std::string& name);

// Invalid: the settings make no sense. `clock` and `entropy` outlive the store. No request is made yet.
base::Result<OpenedStore> open_store(const StoreSettings& settings, ports::Clock& clock, ports::Entropy& entropy,
                                     const Variable& variable = variable_of_process);

}  // namespace quorate::cli
