// Reading and writing etcd versions.
#include "reconciler/base/version.h"

#include <charconv>

namespace quorate::base {
namespace {

// Takes digits from the front of `text`; nothing when there are none or they do not fit.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take_dot(std::string_view& text) {
  if (text.empty() || text.front() != '.') return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  const auto major = take_number(text);
  if (!major || !take_dot(text)) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  version.minor = {*major, *minor};
  if (text.empty()) return version;
  if (!take_dot(text)) return std::nullopt;
  version.patch = take_number(text);
  if (!version.patch || !text.empty()) return std::nullopt;
  return version;
}

std::string to_string(Minor minor) {
  return std::to_string(minor.major) + "." + std::to_string(minor.minor);
}

std::string to_string(const Version& version) {
  return to_string(version.minor) + (version.patch ? "." + std::to_string(*version.patch) : "");
}

}  // namespace quorate::base
