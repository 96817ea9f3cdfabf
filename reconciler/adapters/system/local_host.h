// Which machine this is.
#pragma once

#include <string>
#include <vector>

#include "reconciler/model/desired.h"

namespace quorate::adapters::system {

struct LocalHost {
  std::string name;                    // as gethostname says it
  std::vector<std::string> addresses;  // canonical texts
};

LocalHost local_host();

// One of the host's addresses, a loopback address, or its name; a node without a domain is compared with the first
// part of the host's name.
bool lives_on(const LocalHost& host, const model::Member& member);

}  // namespace quorate::adapters::system
