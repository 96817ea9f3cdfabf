// Who gives out keys for a time: STS, the agent beside a container, and the metadata service of a machine.
#pragma once

#include <optional>
#include <string>

#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/adapters/s3/transport.h"
#include "reconciler/base/result.h"
#include "reconciler/base/time.h"

namespace quorate::s3 {

// A role that is taken on for a while.
struct Role {
  std::string arn;
  std::string session;      // name of the session, for the logs at AWS
  std::string external_id;  // may be empty
  std::string seconds;      // how long; empty: as the issuer has it
};

struct Sts {
  std::string endpoint;
  std::string region;
};

// Of all of them: Refused, they do not let us; Transient, they cannot be reached or are busy; Invalid, they say what
// nobody understands.
base::Result<Keys> keys_of_web_identity(Transport& transport, const Sts& sts, const Role& role,
                                        const std::string& token);
base::Result<Keys> keys_of_role(Transport& transport, const Sts& sts, const Role& role, const Keys& signer,
                                base::Time now);

// Invalid: an address where keys must not be asked for: neither TLS, nor this machine, nor one of AWS's own.
base::Result<void> check_container_url(const std::string& url);
base::Result<Keys> keys_of_container(Transport& transport, const std::string& url, const std::string& authorization);

struct Machine {
  std::optional<Keys> keys;
  std::string why_not = {};  // there are none: it does not answer, or has no role
  bool silent = false;       // it does not answer
};
base::Result<Machine> keys_of_machine(Transport& transport, const std::string& endpoint);

}  // namespace quorate::s3
