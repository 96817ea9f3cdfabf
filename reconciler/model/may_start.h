// May a member start on what lies in its data directory? Judged by what its own machine knows, nobody else is asked.
#pragma once

#include <string>

#include "reconciler/model/memory.h"

namespace quorate::model {

struct MayStart {
  bool yes = false;
  std::string text;  // one sentence without a full stop
  std::string help;  // what to do next; empty for yes
};

// `data` as judge_data leaves it; `memory` and `marker` null where there is none.
MayStart may_start(const std::string& member, const DataDir& data, const Memory* memory, const Marker* marker);

}  // namespace quorate::model
