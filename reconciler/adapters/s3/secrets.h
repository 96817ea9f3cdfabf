// Keys as text: read, checked, and kept out of messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/result.h"

namespace quorate::s3 {

std::string trimmed(std::string_view text);
bool is_key(std::string_view text);  // not empty, and printable without blanks, so that it can stand in a header

// The text with stars in place of the secret; what is shorter than eight characters is no secret.
std::string without(std::string text, const std::string& secret);

enum class Readers { Any, OwnerOnly };

// Nothing: there is no such file. Refused: we may not read it, or others may and should not.
base::Result<std::optional<std::string>> read_small_file(const std::string& path, Readers readers);
// The one key that a file holds. Invalid: it is not there, or holds something else.
base::Result<std::string> read_key(const std::string& path, Readers readers);

}  // namespace quorate::s3
