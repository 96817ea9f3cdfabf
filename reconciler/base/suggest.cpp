// Edit distance with swaps of neighbours counted as one mistake, because that is how people mistype.
#include "reconciler/base/suggest.h"

#include <algorithm>
#include <utility>

namespace quorate::base {
namespace {

constexpr std::size_t kLongestWord = 64;  // a longer one is no typing mistake, and the work grows with the square

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::vector<std::string> nearest(std::string_view typed, const std::vector<std::string>& known, std::size_t most) {
  if (typed.empty() || typed.size() > kLongestWord) return {};
  const std::size_t limit = typed.size() <= 3 ? 1 : typed.size() <= 6 ? 2 : 3;
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& word : known) {
    if (word.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(lower(typed), lower(word));
    if (distance <= limit && distance < word.size()) found.emplace_back(distance, word);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> words;
  for (auto& [distance, word] : found) {
    // A second suggestion only helps when it is as near as the first.
    if (words.size() < most && distance == found.front().first) words.push_back(std::move(word));
  }
  return words;
}

}  // namespace quorate::base
