// How text is dressed for a terminal. Colour only repeats what symbols and words already say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quorate::report {

struct Style {
  bool color = false;
  std::size_t width = 100;  // in characters: prose is wrapped, source lines are cut to it

  std::string red(std::string_view text) const;
  std::string green(std::string_view text) const;
  std::string yellow(std::string_view text) const;
  std::string cyan(std::string_view text) const;
  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
};

}  // namespace quorate::report
