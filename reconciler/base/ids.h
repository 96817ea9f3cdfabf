// The names that etcd gives to clusters and members: 64-bit numbers that must not be mixed up, written in hexadecimal.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quorate::base {

template <class Tag>
struct Id {
  std::uint64_t value = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using ClusterId = Id<struct ClusterTag>;
using MemberId = Id<struct MemberTag>;  // 0: nobody, as in "no leader"

// As etcd prints them: hexadecimal, lower case, without zeros in front.
std::string id_text(std::uint64_t value);
std::optional<std::uint64_t> parse_id(std::string_view text);  // 1 to 16 digits

template <class Tag>
std::string to_string(Id<Tag> id) {
  return id_text(id.value);
}

}  // namespace quorate::base
