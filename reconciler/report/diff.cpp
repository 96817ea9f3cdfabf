// Longest common subsequence over lines: exact, and fast enough for files of some hundred lines.
#include "reconciler/report/diff.h"

#include <algorithm>
#include <vector>

namespace quorate::report {
namespace {

constexpr std::size_t kContext = 3;       // unchanged lines shown around a change
constexpr std::size_t kMostLines = 4000;  // beyond it the table would take too much memory: all out, all in

using Lines = std::vector<std::string_view>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

struct Edit {
  char sign = ' ';  // ' ' both, '-' before only, '+' after only
  std::string_view line;
};

std::vector<Edit> edits(const Lines& before, const Lines& after) {
  const std::size_t rows = before.size();
  const std::size_t columns = after.size();
  std::vector<Edit> result;
  if (rows > kMostLines || columns > kMostLines) {
    for (const auto& line : before) result.push_back({'-', line});
    for (const auto& line : after) result.push_back({'+', line});
    return result;
  }
  // common[i][j]: how many lines the rests from i and j on share.
  std::vector<std::vector<unsigned>> common(rows + 1, std::vector<unsigned>(columns + 1, 0));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      common[i][j] = before[i] == after[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] == after[j]) {
      result.push_back({' ', before[i++]});
      ++j;
    } else if (j == columns || (i < rows && common[i + 1][j] >= common[i][j + 1])) {
      result.push_back({'-', before[i++]});
    } else {
      result.push_back({'+', after[j++]});
    }
  }
  return result;
}

std::string range(std::size_t start, std::size_t count) {
  // An empty range names the line before it.
  return std::to_string(count == 0 ? start : start + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

struct Hunk {
  std::size_t first = 0;
  std::size_t last = 0;  // one behind
};

std::vector<Hunk> hunks_of(const std::vector<Edit>& all) {
  std::vector<Hunk> hunks;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (all[at].sign == ' ') continue;
    const std::size_t first = at > kContext ? at - kContext : 0;
    const std::size_t last = std::min(all.size(), at + kContext + 1);
    if (!hunks.empty() && first <= hunks.back().last) {
      hunks.back().last = last;
    } else {
      hunks.push_back({first, last});
    }
  }
  return hunks;
}

std::string colored(const Edit& edit, const Style& style) {
  const std::string line = edit.sign + std::string(edit.line);
  if (edit.sign == '-') return style.red(line);
  return edit.sign == '+' ? style.green(line) : line;
}

}  // namespace

std::string unified_diff(std::string_view before_name, std::string_view before, std::string_view after_name,
                         std::string_view after, const Style& style) {
  if (before == after) return {};
  const auto all = edits(split(before), split(after));
  std::string text = "--- " + std::string(before_name) + "\n+++ " + std::string(after_name) + "\n";
  std::size_t passed = 0;  // edits already counted
  std::size_t line_before = 0;
  std::size_t line_after = 0;
  const auto count = [&](std::size_t until, std::size_t& in_before, std::size_t& in_after) {
    for (; passed < until; ++passed) {
      if (all[passed].sign != '+') ++in_before;
      if (all[passed].sign != '-') ++in_after;
    }
  };
  for (const Hunk& hunk : hunks_of(all)) {
    count(hunk.first, line_before, line_after);
    std::size_t lines_before = 0;
    std::size_t lines_after = 0;
    count(hunk.last, lines_before, lines_after);
    text +=
        style.cyan("@@ -" + range(line_before, lines_before) + " +" + range(line_after, lines_after) + " @@") + "\n";
    for (std::size_t at = hunk.first; at < hunk.last; ++at) text += colored(all[at], style) + "\n";
    line_before += lines_before;
    line_after += lines_after;
  }
  return text;
}

}  // namespace quorate::report
