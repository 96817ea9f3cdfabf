// One agent for each state directory: whoever comes second is told who was first.
#pragma once

#include <string>
#include <utility>

#include "reconciler/adapters/system/descriptor.h"
#include "reconciler/base/result.h"

namespace quorate::adapters::system {

// Held until it goes, or until the process ends in whatever way.
class StateLock {
 public:
  explicit StateLock(Descriptor file) : file_(std::move(file)) {}

 private:
  Descriptor file_;
};

// The folder is made (0700) when it is not there. Refused: another process keeps it.
base::Result<StateLock> lock_state_dir(const std::string& folder);

}  // namespace quorate::adapters::system
