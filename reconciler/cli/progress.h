// How far something is that takes longer than two seconds: a bar on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace quorate::cli {

// Between two lines where there is no terminal: QUORATE_PROGRESS_FPS lines in a second, else one in ten seconds.
std::chrono::milliseconds progress_interval();

class ProgressLine {
 public:
  ProgressLine(std::string what, bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // From one thread. `of` 0: nobody knows.
  void at(std::uint64_t done, std::uint64_t of);

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(std::uint64_t done, std::uint64_t of, Clock::time_point now) const;

  std::string what_;
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point began_;
  Clock::time_point said_;
  std::uint64_t tenth_ = 0;  // the last one that was said
};

}  // namespace quorate::cli
