// A word of the file to the value that it names; the schema check reports any other word.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "reconciler/validate/fields.h"

namespace quorate::validate {

template <class Enum, std::size_t N>
using Choices = std::array<std::pair<std::string_view, Enum>, N>;

template <class Enum, std::size_t N>
Enum chosen(std::string_view word, const Choices<Enum, N>& names) {
  for (const auto& [name, value] : names) {
    if (name == word) return value;
  }
  return names.front().second;
}

template <class Enum, std::size_t N>
Enum choice(const Fields& fields, std::string_view path, const Choices<Enum, N>& names) {
  return chosen(fields.text_or_default(path), names);
}

}  // namespace quorate::validate
