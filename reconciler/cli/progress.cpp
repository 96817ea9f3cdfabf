// stderr, so that the result stays alone on stdout.
#include "reconciler/cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "reconciler/cli/commands.h"
#include "reconciler/report/backups.h"

namespace quorate::cli {
namespace {

constexpr std::chrono::seconds kSilent{2};
constexpr std::chrono::milliseconds kFrame{200};
constexpr std::chrono::milliseconds kLines{10000};
constexpr std::uint64_t kBar = 30;

}  // namespace

std::chrono::milliseconds progress_interval() {
  const char* wish = std::getenv("QUORATE_PROGRESS_FPS");
  const double rate = wish == nullptr ? 0 : std::strtod(wish, nullptr);
  if (!(rate > 0)) return kLines;
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::clamp(1000 / rate, 10.0, 3600000.0))};
}

ProgressLine::ProgressLine(std::string what, bool quiet)
    : what_(std::move(what)), quiet_(quiet), terminal_(::isatty(2) == 1), began_(Clock::now()), said_(began_) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) std::fputs("\n", stderr);
}

std::string ProgressLine::line(std::uint64_t done, std::uint64_t of, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const auto speed = static_cast<std::uint64_t>(static_cast<double>(done) / std::max(seconds, 0.001));
  std::string text = what_ + " ";
  if (of > 0) {
    const std::uint64_t part = std::min<std::uint64_t>(done, of);
    const std::uint64_t filled = static_cast<std::uint64_t>(static_cast<double>(part) / static_cast<double>(of) * kBar);
    if (terminal_) text += "[" + std::string(filled, '#') + std::string(kBar - filled, '.') + "] ";
    text += std::to_string(static_cast<int>(static_cast<double>(part) / static_cast<double>(of) * 100)) + "%  ";
  }
  text += report::bytes_text(done) + (of > 0 ? " of " + report::bytes_text(of) : "");
  return text + ", " + report::bytes_text(speed) + "/s";
}

void ProgressLine::at(std::uint64_t done, std::uint64_t of) {
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  if (now - began_ < kSilent) return;
  if (terminal_) {
    if (shown_ && now - said_ < kFrame) return;
    std::fputs(("\r" + line(done, of, now) + "   ").c_str(), stderr);
  } else {
    const std::uint64_t tenth = of == 0 ? 0 : std::min<std::uint64_t>(done / std::max<std::uint64_t>(of / 10, 1), 10);
    if (shown_ && tenth == tenth_ && now - said_ < progress_interval()) return;
    tenth_ = tenth;
    talk(line(done, of, now));
  }
  shown_ = true;
  said_ = now;
}

}  // namespace quorate::cli
