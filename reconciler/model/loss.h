// Whether a voter that does not answer is gone: who says so, since when, and what is missing for it to count.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "reconciler/base/time.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

struct Loss {
  enum class State {
    Alive,     // it answers, or its data are whole: starting it again is all it needs
    Proven,    // positive evidence
    Waiting,   // evidence that counts only after a while
    Unproven,  // nobody can say
  };
  State state = State::Alive;
  std::string code;  // "MemberEmptied"
  std::string text;  // one clause: "its agent reports an empty data directory"
  std::map<std::string, std::string> evidence;
  std::optional<base::Time> until;  // Waiting: when it counts, if nothing changes
};

// `wanted` may be null: a voter that the file no longer lists.
Loss loss_of(const Observed& observed, const Desired& desired, const Member* wanted, const ObservedMember& member);

}  // namespace quorate::model
