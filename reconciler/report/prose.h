// Foreign text made safe to print, and text laid out in lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/yaml_text.h"

namespace quorate::report {

// One element per character. A tab is one space; what a terminal would obey, hide or reorder instead of showing
// (control characters, marks for the direction of text, bytes that are not UTF-8) is "?", and so is the bracket of what
// CI systems obey anywhere in a line of a log ("##[error]", "##vso[...]").
std::vector<std::string> printable_characters(std::string_view text);

// The same as one line; line breaks are spaces. What a CI system would obey at the start of a line ("::error::") is
// broken up by a space wherever a word begins with it.
std::string printable(std::string_view text);
// The same for texts whose format has escapes of its own against CI systems.
std::string printable_verbatim(std::string_view text);

// At most so many characters, the last of them "..." where something was left out.
std::string shortened(std::string_view text, std::size_t most);

// Lines of at most `width` characters, each after `indent` spaces and ending in a line break. Words stay whole.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

std::string padded(std::string_view text, std::size_t width);

std::string count_of(std::size_t number, std::string_view noun);  // "1 error", "2 errors"

// "a, b and c"; `last` is the word before the last one.
std::string joined(const std::vector<std::string>& words, std::string_view last);

// A JSON document as it is printed: indented, with a line break at its end, and never failing on foreign bytes.
std::string document(const base::Json& value);

// The same JSON with escapes for what a terminal (U+0080 to U+009F) or a CI system ("##[name]") would obey.
std::string safe_json(std::string_view json);
// The same document as YAML.
std::string yaml_of(const std::string& json);

}  // namespace quorate::report
