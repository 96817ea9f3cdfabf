// What `quorate wait` waits for, and whether a pass of an agent shows it.
#pragma once

#include <string>

#include "reconciler/cli/seen_pass.h"

namespace quorate::cli {

struct WaitedFor {
  std::string state;           // "synced", "healthy" or "approved"
  std::string desired_digest;  // of the file that is meant; empty: whichever the agent follows
};

// Empty: it is so.
std::string why_not(const WaitedFor& wanted, const SeenPass& pass);

}  // namespace quorate::cli
