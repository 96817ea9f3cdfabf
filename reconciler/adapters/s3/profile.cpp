// Line by line; what is not understood is somebody else's.
#include "reconciler/adapters/s3/profile.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace quorate::s3 {

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) + 1 - first));
}

bool is_key(std::string_view text) {
  constexpr std::size_t kLongest = 16384;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

base::Result<std::optional<Keys>> keys_of_profile(std::string_view text, std::string_view section) {
  Keys keys;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const bool indented = text.front() == ' ' || text.front() == '\t';  // belongs to the line before
    const std::string line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || indented || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      inside = line.back() == ']' && trimmed(std::string_view(line).substr(1, line.size() - 2)) == section;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!inside || equals == std::string::npos) continue;
    const std::string name = trimmed(std::string_view(line).substr(0, equals));
    std::string value = trimmed(std::string_view(line).substr(equals + 1));
    if (name == "aws_access_key_id")
      keys.access = std::move(value);
    else if (name == "aws_secret_access_key")
      keys.secret = std::move(value);
    else if (name == "aws_session_token")
      keys.token = std::move(value);
  }
  if (keys.access.empty() && keys.secret.empty()) return std::nullopt;
  if (is_key(keys.access) && is_key(keys.secret) && (keys.token.empty() || is_key(keys.token))) return keys;
  return base::invalid("the profile " + std::string(section) + " does not hold a pair of keys",
                       "set aws_access_key_id and aws_secret_access_key in it");
}

}  // namespace quorate::s3
