// The files of a client's TLS identity, read whole and read again when they change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/base/result.h"

namespace quorate::etcd_grpc {

// Contents; empty where no file is named.
struct Pems {
  std::string ca;
  std::string cert;
  std::string key;
  friend bool operator==(const Pems&, const Pems&) = default;
};

class PemFiles {
 public:
  explicit PemFiles(const Access& access) : ca_(access.ca), cert_(access.cert), key_(access.key) {}

  base::Result<Pems> read();
  // What the files hold now, when they changed since they were last read and are good; files in the middle of being
  // replaced are looked at again next time.
  std::optional<Pems> reread();

 private:
  std::string state_of_files() const;  // differs when a file was written or replaced

  std::string ca_;
  std::string cert_;
  std::string key_;
  std::string state_;
};

// What stands in the first of these folders that holds a whole pass through a fence.
std::optional<Pems> read_pass(const std::vector<std::string>& folders);

}  // namespace quorate::etcd_grpc
