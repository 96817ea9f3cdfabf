// From the address of a store to the store.
#pragma once

#include <functional>
#include <memory>
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

// "" for what is not set.
using Variable = std::function<std::string(const std::string& name)>;
std::string variable_of_process(const std::string& name);

// Invalid: the address makes no sense. `clock` and `entropy` outlive the store. What an s3:// address leaves open
// stands in the variables that the usual tools read: AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_CA_BUNDLE and those of the
// keys.
base::Result<OpenedStore> open_store(const std::string& address, ports::Clock& clock, ports::Entropy& entropy,
                                     const Variable& variable = variable_of_process);

}  // namespace quorate::cli
