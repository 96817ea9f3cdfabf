// What an earlier life of an agent began, and nobody wrote down the end of: said when the next one begins.
#pragma once

#include <string>

#include "reconciler/ports/clock.h"
#include "reconciler/ports/events.h"
#include "reconciler/ports/journal.h"

namespace quorate::loop {

// The world is looked at afresh whatever it was: this is for people, and each is said once.
void tell_interrupted(ports::Journal& journal, ports::Clock& clock, ports::Events& events, const std::string& member);

}  // namespace quorate::loop
