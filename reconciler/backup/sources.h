// Which members could send a snapshot, the best one first.
#pragma once

#include <string>
#include <vector>

#include "reconciler/backup/outcome.h"
#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/parallel.h"

namespace quorate::backup {

struct Source {
  std::string endpoint;
  ports::StatusAnswer status;
  std::string name;  // of the member; its ID where nobody knows a name
};

struct Sources {
  base::ClusterId cluster;
  std::vector<Source> healthy;  // never empty; who is well behind comes last, followers before the leader
  int members = 0;              // voters and learners of the list
};

// Refused: the endpoints are of several clusters. Healthy is who knows a leader, reports no error and no alarm of
// corruption, and is not far behind the others.
Outcome<Sources> find_sources(ports::EtcdAdmin& etcd, ports::Parallel& parallel,
                              const std::vector<std::string>& endpoints, base::Duration within);

// The same, asked again when it has everything that was written before this call.
base::Result<Source> caught_up(ports::EtcdAdmin& etcd, Source source, base::Duration within);

}  // namespace quorate::backup
