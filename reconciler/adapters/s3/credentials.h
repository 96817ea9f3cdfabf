// Who we are for the store: keys, where they come from, and when they end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"
#include "reconciler/ports/clock.h"

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

  // Those that hold now. Invalid: there are none, or they are not well written; Refused: we may not have them;
  // Transient: who gives them out does not answer.
  virtual base::Result<Keys> keys() = 0;
  // The store takes these no more; the next ones are asked for anew.
  virtual void expired(const Keys& keys) = 0;
};

std::unique_ptr<Credentials> make_static_credentials(Keys keys);

// One line each, read again each time.
struct KeyFiles {
  std::string access;
  std::string secret;       // Refused when others than the owner may read it
  std::string token = {};   // of a session; may be left out
  bool of_systemd = false;  // in its folder of credentials, where others are kept out by the folder
};
std::unique_ptr<Credentials> make_file_credentials(KeyFiles files);

// What the usual tools know of where they run.
struct Surroundings {
  std::function<std::string(const std::string& name)> variable;  // "" for what is not set
  std::string profile = {};                                      // empty: as AWS_PROFILE says, else "default"
  std::string region = "us-east-1";                              // whose STS is asked
  std::string ca = {};                                           // for the addresses of STS; empty: the system's
  std::string container_host = "http://169.254.170.2";           // of AWS_CONTAINER_CREDENTIALS_RELATIVE_URI
};

// As the usual tools find them, the first that there are: AWS_ACCESS_KEY_ID and its like; a web identity
// (AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN); the profile in the shared credentials and config files, with its role;
// what a container is given (AWS_CONTAINER_CREDENTIALS_FULL_URI, ..._RELATIVE_URI); the machine's role, by IMDSv2. Keys
// for a time are kept, and renewed five minutes before they end. `clock` outlives this.
std::unique_ptr<Credentials> make_usual_credentials(Surroundings surroundings, ports::Clock& clock);

// A setting of the profile ("region"); "" when there is none or it cannot be read.
std::string setting_of_profile(const Surroundings& surroundings, const std::string& name);

}  // namespace quorate::s3
