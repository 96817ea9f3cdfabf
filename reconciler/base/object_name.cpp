// One pass over the parts of a name.
#include "reconciler/base/object_name.h"

#include <algorithm>
#include <cstddef>

#include "reconciler/base/utf8.h"

namespace quorate::base {
namespace {

constexpr std::size_t kLongest = 1000;
constexpr std::size_t kLongestPart = 255;

bool is_part(std::string_view part) {
  return !part.empty() && part.size() <= kLongestPart && part != "." && part != "..";
}

}  // namespace

bool is_object_name(std::string_view name) {
  if (name.size() > kLongest || first_invalid_utf8(name)) return false;
  const auto plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '\x7f' && c != '\\'; };
  if (!std::all_of(name.begin(), name.end(), plain)) return false;
  for (;;) {
    const std::size_t slash = name.find('/');
    if (!is_part(name.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace quorate::base
