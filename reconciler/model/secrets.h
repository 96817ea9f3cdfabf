// What looks like a secret, so that it is neither accepted in a desired file nor ever printed by us.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "reconciler/model/spec.h"

namespace quorate::model {

inline constexpr std::string_view kMask = "****";

// Judged by the key ("secretKey", "password") or by the value's own form (a private key, a token, user:password@).
bool looks_secret(std::string_view key, std::string_view value);

struct MaskedLine {
  std::string line;
  int caret = 1;  // where the character that stood at the asked column stands now
};

// Lines that hold a secret, and the column from which on they must not be shown.
using SecretPlaces = std::map<int, int>;
SecretPlaces secret_places(const Spec& spec);

// Does the line end with a key whose value, a secret, stands on the next line?
bool opens_secret(std::string_view line);

// For texts that gave no tree: one line of YAML with every secret in it replaced; works on lines that do not parse,
// too.
MaskedLine mask_secrets(std::string_view line, int column);

}  // namespace quorate::model
