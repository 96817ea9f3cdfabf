// What an agent did to have a snapshot on its own node when what heals could go wrong.
#pragma once

#include <string>

#include "reconciler/base/time.h"

namespace quorate::model {

struct Spooled {
  base::Time at{};     // when the attempt had ended
  std::string failed;  // why there is none; empty: there is one
  std::string name;    // of the backup that the store still has to get; empty: none
  std::string folder;  // of the spool that it is in
  friend bool operator==(const Spooled&, const Spooled&) = default;
};

}  // namespace quorate::model
