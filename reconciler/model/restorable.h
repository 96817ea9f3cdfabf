// What an agent without a cluster sees in the store: what it could be restored from, and how far each of it reaches.
#pragma once

#include <cstdint>
#include <string>

#include "reconciler/base/ids.h"
#include "reconciler/base/time.h"

namespace quorate::model {

struct Restorable {
  std::string name;
  base::Time at{};
  base::ClusterId cluster;  // 0: it was not recorded, so it may be anybody's
  std::uint64_t term = 0;   // of the last entry in it; 0: it does not say
  std::uint64_t index = 0;  // of that entry
  std::int64_t revision = 0;
  std::uint64_t size = 0;      // of the snapshot; 0: nobody knows
  std::string sha256;          // of the object as it lies in the store; empty: it was not recorded
  std::string etcd_version{};  // of the etcd that wrote it; empty: it was not recorded
  bool verified = false;       // somebody has looked at it since, and it was good
  bool auth = false;           // its clients have to say who they are; false: or it was not recorded
  bool raw = false;            // another tool's, without a word about it: taken where people name it, and never else
  std::string damage;          // why it is not what was written; empty: nobody has found it so
  friend bool operator==(const Restorable&, const Restorable&) = default;
};

// Beside the file: people want the cluster restored from this backup, once.
struct RestoreOrder {
  std::string backup;
  std::int64_t generation = 1;
  friend bool operator==(const RestoreOrder&, const RestoreOrder&) = default;
};

}  // namespace quorate::model
