// Foreign text made safe to print, and text laid out in lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/yaml_text.h"

namespace quorate::report {

// One element per character. A tab is one space; what a terminal would obey, hide or reorder instead of showing
// (control characters, marks for the direction of text, bytes that are not UTF-8) is "?".
std::vector<std::string> printable_characters(std::string_view text);

// The same as one line; line breaks are spaces.
std::string printable(std::string_view text);

// Lines of at most `width` characters, each after `indent` spaces and ending in a line break. Words stay whole.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

std::string padded(std::string_view text, std::size_t width);

std::string count_of(std::size_t number, std::string_view noun);  // "1 error", "2 errors"

// "a, b and c"; `last` is the word before the last one.
std::string joined(const std::vector<std::string>& words, std::string_view last);

// A JSON document as it is printed: indented, with a line break at its end, and never failing on foreign bytes.
std::string document(const base::Json& value);

}  // namespace quorate::report
