// A value or an error that is named by what its reader can do about it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace quorate::base {

enum class ErrorKind {
  Invalid,    // the input is wrong; its author acts
  Transient,  // provably nothing happened; the loop tries again
  Ambiguous,  // it may have happened; observe before anything else
  Conflict,   // the world moved; plan again
  Refused,    // a rule says no; a person decides
};

struct Error {
  ErrorKind kind = ErrorKind::Invalid;
  std::string message;  // one sentence without a full stop
  std::string help;     // what to do next; may be empty
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> invalid(std::string message, std::string help = {}) {
  return tl::unexpected<Error>(Error{ErrorKind::Invalid, std::move(message), std::move(help)});
}

}  // namespace quorate::base
