// A client of etcd's public API over gRPC: endpoints are URLs, http:// in plain text, https:// with TLS 1.2 or later.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::etcd_grpc {

// How to get in; every part may be empty. The files are read again when they change.
struct Access {
  std::string ca;           // file of the authorities that sign servers; empty: those of the system
  std::string cert;         // file of our own certificate, with its chain
  std::string key;          // file of its key
  std::string server_name;  // what servers' certificates are checked for instead of the endpoint's host
  std::string user;
  std::string password;
  // Folders in which a pass through the fence of a cluster that comes back may appear (ca.pem, pass.pem, key.pem): it
  // is shown where nobody gets in without.
  std::vector<std::string> fences{};
  bool log_in_over_tls_only = false;  // addresses in plain text are asked without user and password
  bool never_log_in = false;          // all of them are: user and password are for others
  // A call may take hours, and ends when its server is gone: when nothing has come for so long the connection is asked
  // whether it lives, and has so long to answer. Etcd refuses to be asked more often than every 5 s.
  base::Duration ping_after{30000};
  base::Duration ping_within{10000};
  base::Duration stall{std::chrono::minutes{2}};  // of a snapshot of which no piece comes, from an etcd that lives
};

// Thread-safe. Connects when first asked, one channel per endpoint. Fails when a file cannot be read or used.
base::Result<std::unique_ptr<ports::EtcdAdmin>> connect(Access access);

}  // namespace quorate::etcd_grpc
