// ANSI sequences, each closed again at the end of its text, so that a cut line never colours the next one.
#include "reconciler/report/style.h"

namespace quorate::report {
namespace {

std::string dressed(const Style& style, std::string_view sequence, std::string_view text) {
  if (!style.color || text.empty()) return std::string(text);
  return "\033[" + std::string(sequence) + "m" + std::string(text) + "\033[0m";
}

}  // namespace

std::string Style::red(std::string_view text) const {
  return dressed(*this, "31;1", text);
}
std::string Style::green(std::string_view text) const {
  return dressed(*this, "32;1", text);
}
std::string Style::yellow(std::string_view text) const {
  return dressed(*this, "33;1", text);
}
std::string Style::cyan(std::string_view text) const {
  return dressed(*this, "36", text);
}
std::string Style::bold(std::string_view text) const {
  return dressed(*this, "1", text);
}
std::string Style::dim(std::string_view text) const {
  return dressed(*this, "2", text);
}

}  // namespace quorate::report
