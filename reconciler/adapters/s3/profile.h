// Keys in the shared files of AWS's tools: sections of name = value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/base/result.h"

namespace quorate::s3 {

std::string trimmed(std::string_view text);
bool is_key(std::string_view text);  // not empty, and printable without blanks, so that it can stand in a header

// Nothing: the section is not there, or names no keys. Invalid: half a pair, or no keys at all.
base::Result<std::optional<Keys>> keys_of_profile(std::string_view text, std::string_view section);

}  // namespace quorate::s3
