// Whether etcd's history since a revision is nothing but writes under one prefix.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "reconciler/base/result.h"

namespace quorate::etcd_grpc {

struct PrefixAt {
  std::int64_t now = 0;                      // the newest revision of the store
  std::map<std::string, std::int64_t> keys;  // under the prefix, with the revision that wrote them
};
// Conflict: this revision has been compacted away. 0: the newest.
using ReadPrefix = std::function<base::Result<PrefixAt>(std::int64_t revision)>;

// Each revision is one write or deletion: one that shows nothing under the prefix was somebody else's. What is longer
// than a few dozen revisions is not looked through: etcd cannot be asked cheaply, and so much is never ours alone.
base::Result<bool> changed_elsewhere(std::int64_t since, const ReadPrefix& read);

}  // namespace quorate::etcd_grpc
