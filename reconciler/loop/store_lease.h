// Who works on the store: a key in etcd that goes away with its lease, so that two agents never write or remove there
// side by side. The lock of the cluster stays free meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::loop {

struct AgentView;

class StoreLease {
 public:
  struct Terms {
    std::vector<std::string> endpoints;  // the one that serves first
    base::ClusterId cluster;
    std::string owner;
    std::int64_t in_force_revision = 0;  // of the desired file's record: another one in force refuses
    base::Duration within{};
  };

  StoreLease(ports::EtcdAdmin& etcd, ports::Clock& clock, const std::atomic<bool>& stop, Terms terms);
  ~StoreLease();
  StoreLease(const StoreLease&) = delete;
  StoreLease& operator=(const StoreLease&) = delete;

  base::Result<void> take();  // Conflict: somebody else has it
  // Cheap: asks etcd now and then. An error: it may be somebody else's by now, or the agent ends.
  base::Result<void> still_ours();
  // After what could not ask in between: as above, or ours anew.
  base::Result<void> ours_again();

 private:
  base::Result<void> renew();

  ports::EtcdAdmin& etcd_;
  ports::Clock& clock_;
  const std::atomic<bool>& stop_;
  const Terms terms_;
  std::int64_t lease_ = 0;
  base::Duration good_until_{};  // on Clock::elapsed
  base::Duration asked_{};
};

// For the agent of this member, as it sees the cluster now.
StoreLease::Terms lease_terms(const AgentView& view, const std::string& member, base::Duration within);

}  // namespace quorate::loop
