// One text after the other.
#include "reconciler/base/words.h"

namespace quorate::base {

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string result;
  for (const std::string& text : texts) {
    if (&text != &texts.front()) result += between;
    result += text;
  }
  return result;
}

}  // namespace quorate::base
