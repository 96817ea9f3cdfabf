// Who we are for the store: keys, where they come from, and when they end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"

namespace quorate::s3 {

struct Keys {
  std::string access;
  std::string secret;
  std::string token;                  // of a session; may be empty
  std::optional<base::Time> expires;  // nothing: never
};

// Thread-safe.
class Credentials {
 public:
  Credentials() = default;
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;
  virtual ~Credentials() = default;

  // Those that hold now. Invalid: there are none, or they are not well written; Transient: who gives them out does not
  // answer.
  virtual base::Result<Keys> keys() = 0;
  // The store takes these no more; the next ones are asked for anew.
  virtual void expired(const Keys& keys) = 0;
};

std::unique_ptr<Credentials> make_static_credentials(Keys keys);

// One line each, read again each time; Refused when others than the owner may read the secret.
std::unique_ptr<Credentials> make_file_credentials(std::string access_file, std::string secret_file);

// What the usual tools look at: AWS_ACCESS_KEY_ID and its like, else a profile in the shared credentials and config
// files, as AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE say. `variable` gives "" for what is not set.
std::unique_ptr<Credentials> make_usual_credentials(std::function<std::string(const std::string&)> variable);

}  // namespace quorate::s3
