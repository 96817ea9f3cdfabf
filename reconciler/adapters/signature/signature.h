// Signatures of ssh-keygen -Y: made with a key file, and checked against a file of allowed signers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"
#include "reconciler/ports/programs.h"

namespace quorate::adapters::signature {

// The armored signature. `key_file` is a private key, or a public one whose private half an SSH agent holds.
base::Result<std::string> sign(ports::Programs& programs, const std::string& key_file, std::string_view text,
                               const std::string& name_space);

// Who signed it, by the name in the file of allowed signers, whose limits on namespaces and times are kept as of `now`.
// Refused: nobody signed it, somebody unknown did, with a key that is not valid now, for something else, the text was
// changed since, or the signature is none. Invalid: there is no file of signers. Other kinds: this machine could not
// check.
base::Result<std::string> verify(ports::Programs& programs, const std::string& allowed_signers_file,
                                 std::string_view text, const std::optional<std::string>& signature,
                                 const std::string& name_space, base::Time now);

}  // namespace quorate::adapters::signature
