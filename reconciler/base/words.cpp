// One text after the other.
#include "reconciler/base/words.h"

#include <algorithm>

namespace quorate::base {

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string result;
  for (const std::string& text : texts) {
    if (&text != &texts.front()) result += between;
    result += text;
  }
  return result;
}

bool contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool same_texts(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

}  // namespace quorate::base
