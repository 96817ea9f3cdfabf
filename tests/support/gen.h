// Generators of small values that observations and plans are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "reconciler/base/ids.h"
#include "reconciler/base/time.h"
#include "reconciler/base/units.h"

namespace quorate::support {

inline int number(int from, int until) {
  return *rc::gen::inRange(from, until);
}

inline bool once_in(int times) {
  return *rc::gen::inRange(0, times) == 0;
}

inline bool coin() {
  return *rc::gen::arbitrary<bool>();
}

// Up to what 63 bits hold: the stock validator takes larger ones for negative.
inline std::uint64_t any_natural() {
  return coin() ? *rc::gen::arbitrary<std::uint64_t>() >> 1U : static_cast<std::uint64_t>(number(0, 100000));
}

inline std::int64_t any_whole() {
  return static_cast<std::int64_t>(any_natural());
}

inline std::uint64_t any_id() {
  return *rc::gen::nonZero<std::uint64_t>();
}

// Within two years, mostly on full seconds.
inline base::Time any_time() {
  constexpr std::int64_t kStart = 1'758'705'161'000;  // 2025-09-24T09:12:41Z
  const std::int64_t seconds = number(0, 63'072'000);
  return base::Time{base::Duration{kStart + seconds * 1000 + (once_in(3) ? number(0, 1000) : 0)}};
}

inline base::Duration any_duration() {
  return base::Duration{number(0, 100'000)};
}

// Words as they come, and ones that a writer has to escape.
inline std::string any_text() {
  static const std::vector<std::string> texts = {
      "context deadline exceeded",
      "etcd-a",
      "quote \" and \\ backslash",
      "two\nlines\tand a tab",
      "Zürich, 東京, 🦀",
      std::string("a NUL \0 inside", 14),
      "\x01\x1f\x7f",
      "</script>",
      "-----BEGIN",
      "",
  };
  return texts[static_cast<std::size_t>(number(0, static_cast<int>(texts.size())))];
}

template <class Make>
auto some(int most, const Make& make) {
  std::vector<decltype(make())> all;
  for (int left = number(0, most + 1); left > 0; --left) all.push_back(make());
  return all;
}

template <class Make>
auto maybe(const Make& make) {
  return coin() ? std::optional(make()) : std::nullopt;
}

template <class T>
T one_of_these(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

inline std::string member_name(int index) {
  return "etcd-" + std::string(1, static_cast<char>('a' + index));
}

inline std::string digest_text() {
  return base::id_text(any_id()) + base::id_text(any_id());
}

}  // namespace quorate::support
