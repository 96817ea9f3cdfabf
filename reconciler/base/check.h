// Programmer errors: a condition that only a bug can break stops the process, in every build.
#pragma once

namespace quorate::base {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace quorate::base

#define QUORATE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::quorate::base::check_failed(#condition, __FILE__, __LINE__))
