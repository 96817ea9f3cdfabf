// The cluster's lock: a key in etcd that goes away with its lease, and the comparisons that fence what is written under
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::apply {

// Longer than any call that is made under it.
inline constexpr base::Duration kLeaseTtl{20000};
// For a step that waits until a member has ended, which after the patience that the file asks for is killed, and may
// then hang on its disk for as long as the runtime waits.
base::Duration long_lease_ttl(base::Duration stop_timeout);

struct Fence {
  std::string endpoint;  // of the member that the lock was taken through
  std::int64_t lease = 0;
  std::int64_t create_revision = 0;  // of the lock's key; 0: the lock is not held, the record below is all that counts
  std::string in_force_key;          // the record that must not have moved on; empty: there is none yet
  std::int64_t in_force_revision = 0;
};

// Kept for the step that follows.
struct HeldLock {
  Fence fence;
  base::Duration until{};  // on Clock::elapsed; long before the lease ends
};

// Conflict: somebody else holds it; the message says who.
base::Result<Fence> take_lock(ports::EtcdAdmin& etcd, const std::string& endpoint, base::ClusterId cluster,
                              const std::string& owner, base::Duration within, base::Duration ttl = kLeaseTtl);
// What is never released ends with its lease.
base::Result<void> release_lock(ports::EtcdAdmin& etcd, const Fence& fence, base::Duration within);

// Writes only while we hold the lock and the file in force is still the one that was planned for; else Conflict.
base::Result<void> write_fenced(ports::EtcdAdmin& etcd, const Fence& fence, std::vector<ports::Write> writes,
                                base::Duration within);

}  // namespace quorate::apply
