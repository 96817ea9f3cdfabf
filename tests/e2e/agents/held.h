// Agents that stand still by themselves at exactly one moment; hold.cpp says which there are.
#pragma once

#include <string>

#include "tests/e2e/agents/fleet.h"

namespace quorate::e2e {

// HOLD_AT=remove/c
inline void start_held(Fleet& fleet, const std::string& member, const std::string& moment) {
  fleet.give_variables({"LD_PRELOAD=" QUORATE_HOLD, moment});
  fleet.start(member);
  fleet.give_variables({});
}

inline bool is_held(Fleet& fleet, const std::string& member) {
  return Fleet::eventually([&] { return fleet.is_stopped(member); });
}

}  // namespace quorate::e2e
