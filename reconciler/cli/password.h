// Asks a person for a password, and leaves the terminal as it was, whatever ends the asking.
#pragma once

#include <string>

#include "reconciler/base/result.h"

namespace quorate::cli {

// `may_ask`: false where nobody is to be asked. Invalid: nobody can be.
base::Result<std::string> ask_for_password(const std::string& user, bool may_ask);

// --no-input, or a CI system around us; CI=false and CI=0 are none.
bool may_ask_people(bool no_input);

}  // namespace quorate::cli
