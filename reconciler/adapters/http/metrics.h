// The few lines that we read of what an etcd says of itself in the text format of Prometheus.
#pragma once

#include <string_view>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"

namespace quorate::http {

// By ID, each once. Invalid: this is not what an etcd says, so nothing may be concluded from what is missing in it.
base::Result<std::vector<base::MemberId>> active_peers_in(std::string_view metrics);

}  // namespace quorate::http
