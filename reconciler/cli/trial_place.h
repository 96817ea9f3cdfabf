// A folder in which one backup is tried out, and the file for its snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "reconciler/ports/entropy.h"
#include "reconciler/ports/host.h"
#include "reconciler/ports/node.h"
#include "reconciler/ports/stores.h"

namespace quorate::cli {

struct TrialNeeds {
  std::string folder;      // made here; what an earlier trial left there goes first
  std::string program;     // of etcd
  std::uint64_t size = 0;  // of the snapshot; 0: nobody knows
};

// Transient: there is no room for the snapshot, what is restored from it, and what etcd adds. What is referred to must
// outlive it.
base::Result<std::unique_ptr<ports::TrialPlace>> make_trial_place(ports::Host& host, ports::Node& node,
                                                                  ports::Entropy& entropy, const TrialNeeds& needs);

// $TMPDIR; where that is not set, the other one.
std::string temporary_folder(const std::string& otherwise);

}  // namespace quorate::cli
