// Block-style YAML for JSON values: plain where no reader can mistake it, double-quoted everywhere else.
#include "reconciler/base/yaml_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace quorate::base {
namespace {

// A plain scalar must read as text in YAML 1.1 and 1.2: no number, boolean, null, date or sign of structure.
bool is_safe_plain(std::string_view text) {
  if (text.empty()) return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_plain = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '/';
  };
  if (!is_letter(text.front()) && text.front() != '/') return false;
  if (!std::all_of(text.begin(), text.end(), is_plain)) return false;
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  constexpr std::array<std::string_view, 9> kWords = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"};
  return std::find(kWords.begin(), kWords.end(), lower) == kWords.end();
}

// What YAML 1.1 reads as a line break, or no reader may see bare: U+0080..U+009F, U+2028, U+2029, U+FEFF, U+FFFE,
// U+FFFF.
std::size_t length_of_unprintable(std::string_view rest) {
  const auto byte = [&](std::size_t at) { return at < rest.size() ? static_cast<unsigned char>(rest[at]) : 0U; };
  if (byte(0) == 0xC2 && byte(1) < 0xA0) return 2;
  if (byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9)) return 3;
  if (byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 3;
  return byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF ? 3 : 0;
}

// JSON's quoted form is a YAML double-quoted scalar, but for two things: JSON leaves some characters bare, and its
// escapes for characters beyond U+FFFF are pairs that YAML does not know.
std::string quoted(const Json& value) {
  const std::string json = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t length = length_of_unprintable(std::string_view(json).substr(at));
    if (length > 0) {
      const std::string escaped = Json(json.substr(at, length)).dump(-1, ' ', true);
      text += escaped.substr(1, escaped.size() - 2);
    } else if (json[at] == 0x7F) {
      text += "\\u007f";
    } else {
      text += json[at];
    }
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

std::string scalar(const Json& value) {
  if (value.is_string() && is_safe_plain(value.get_ref<const std::string&>())) return value.get<std::string>();
  return value.is_string() ? quoted(value) : value.dump();
}

bool is_block(const Json& value) {
  return value.is_structured() && !value.empty();
}

void write(const Json& value, std::size_t indent, std::string& out) {
  const std::string pad(indent, ' ');
  if (!is_block(value)) {
    out += pad + scalar(value) + "\n";
    return;
  }
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      out += pad + scalar(Json(key)) + ":";
      if (is_block(child)) {
        out += "\n";
        write(child, indent + (child.is_array() ? 0 : 2), out);
      } else {
        out += " " + scalar(child) + "\n";
      }
    }
    return;
  }
  for (const Json& child : value) {
    if (!is_block(child)) {
      out += pad + "- " + scalar(child) + "\n";
      continue;
    }
    // The first line of the child stands behind the dash, the others under it.
    std::string lines;
    write(child, indent + 2, lines);
    lines[indent] = '-';
    out += lines;
  }
}

}  // namespace

std::string to_yaml(const Json& value) {
  std::string out;
  write(value, 0, out);
  return out;
}

}  // namespace quorate::base
