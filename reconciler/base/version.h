// An etcd version: major.minor, or major.minor.patch when it names one release.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace quorate::base {

struct Minor {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const Minor&, const Minor&) = default;
};

struct Version {
  Minor minor;
  std::optional<int> patch;
  friend auto operator<=>(const Version&, const Version&) = default;
};

std::optional<Version> parse_version(std::string_view text);
std::string to_string(Minor minor);
std::string to_string(const Version& version);

}  // namespace quorate::base
