// Colour only where somebody sees it; NO_COLOR loses to --color always alone.
#include "reconciler/cli/terminal.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace quorate::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_forced(std::string_view value) {
  return !value.empty() && value != "0";
}

bool wants_color(std::string_view when) {
  if (when != "auto") return when == "always";
  if (!variable("NO_COLOR").empty()) return false;
  if (is_forced(variable("FORCE_COLOR")) || is_forced(variable("CLICOLOR_FORCE"))) return true;
  return isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb";
}

std::optional<std::size_t> terminal_width() {
  const std::string_view columns = variable("COLUMNS");
  std::size_t width = 0;
  if (std::from_chars(columns.data(), columns.data() + columns.size(), width).ec == std::errc{} && width > 0) {
    return width;
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return std::nullopt;
}

}  // namespace

report::Style style_of_stdout(std::string_view when) {
  constexpr std::size_t kNarrowest = 40;
  report::Style style;
  style.color = wants_color(when);
  if (const auto width = terminal_width(); width && *width >= kNarrowest) style.width = *width;
  return style;
}

}  // namespace quorate::cli
