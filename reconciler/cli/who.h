// Who stands at the keyboard, and what to say when there is no agent to talk to.
#pragma once

#include <string>

#include "reconciler/base/result.h"
#include "reconciler/cli/arguments.h"

namespace quorate::cli {

// --by, else the name of the user.
std::string who_asks(const Arguments& arguments);
base::Error no_agent();
// Whether there is somebody who can be asked: not with --no-input, in CI, or without a terminal.
bool may_ask(const Arguments& arguments);
// What was typed; nothing: the end of input.
std::string ask_person(const std::string& question);

}  // namespace quorate::cli
