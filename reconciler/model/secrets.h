// What looks like a secret, so that it is neither accepted in a desired file nor ever printed by us.
#pragma once

#include <string>
#include <string_view>

namespace quorate::model {

inline constexpr std::string_view kMask = "****";

// Judged by the key ("secretKey", "password") or by the value's own form (a private key, a token, user:password@).
bool looks_secret(std::string_view key, std::string_view value);

struct MaskedLine {
  std::string line;
  int caret = 1;  // where the character that stood at the asked column stands now
};

// One line of YAML with every secret in it replaced; works on lines that do not parse, too.
MaskedLine mask_secrets(std::string_view line, int column);

}  // namespace quorate::model
