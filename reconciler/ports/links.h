// Which members an etcd has a peer connection to, by its own metrics (etcd_network_active_peers).
#pragma once

#include <string>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::ports {

class Links {
 public:
  Links() = default;
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  virtual ~Links() = default;

  // `endpoint`: a client or metrics URL of the member, without /metrics.
  virtual base::Result<std::vector<base::MemberId>> active_peers(const std::string& endpoint,
                                                                 base::Duration within) = 0;
};

}  // namespace quorate::ports
