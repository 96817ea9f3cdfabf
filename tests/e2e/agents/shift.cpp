// Loaded into an agent before all other libraries: its time of day is SHIFT_CLOCK seconds ahead of everybody else's, or
// behind where that is negative. The clocks that nobody can set go as before. What waits until a time of day waits by
// the kernel's, and is told that.
#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::time_t shift() {
  static const std::time_t seconds = [] {
    const char* text = std::getenv("SHIFT_CLOCK");
    return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  }();
  return seconds;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto real = next<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift();
  return result;
}

extern "C" int gettimeofday(timeval* now, void* zone) noexcept {
  static const auto real = next<int (*)(timeval*, void*)>("gettimeofday");
  const int result = real(now, zone);
  if (result == 0) now->tv_sec += shift();
  return result;
}

extern "C" std::time_t time(std::time_t* now) noexcept {
  static const auto real = next<std::time_t (*)(std::time_t*)>("time");
  const std::time_t shifted = real(nullptr) + shift();
  if (now != nullptr) *now = shifted;
  return shifted;
}

// As the threads of gRPC wait.
extern "C" long syscall(long number, ...) noexcept {
  static const auto real = next<long (*)(long, ...)>("syscall");
  constexpr int kArguments = 6;
  long words[kArguments];
  std::va_list list;
  va_start(list, number);
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  timespec until{};
  const auto* shifted = reinterpret_cast<const timespec*>(words[3]);
  if (number == SYS_futex && (words[1] & FUTEX_CLOCK_REALTIME) != 0 && shifted != nullptr) {
    until = {std::max<std::time_t>(shifted->tv_sec - shift(), 0), shifted->tv_nsec};  // long ago is at once
    words[3] = reinterpret_cast<long>(&until);
  }
  return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
