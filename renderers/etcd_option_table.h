// The rows of all_etcd_options(), in the order of etcd's own help.
#pragma once

#include <vector>

#include "renderers/etcd_options.h"

namespace quorate::renderers {

std::vector<EtcdOption> etcd_option_rows();

}  // namespace quorate::renderers
