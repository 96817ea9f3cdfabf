// What a plain scalar is under YAML 1.2's core schema.
#include <algorithm>

#include "reconciler/load/tree.h"

namespace quorate::load {
namespace {

bool all(std::string_view text, bool (*accepts)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), accepts);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_octal(char c) {
  return c >= '0' && c <= '7';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text;
}

// [0-9]+ ( . [0-9]* )? or . [0-9]+, then an exponent if there is one.
bool is_float(std::string_view text) {
  text = without_sign(text);
  if (text == ".inf" || text == ".Inf" || text == ".INF") return true;
  const auto exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    if (!all(without_sign(text.substr(exponent + 1)), is_digit)) return false;
    text = text.substr(0, exponent);
  }
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return all(text, is_digit);
  const auto before = text.substr(0, dot);
  const auto after = text.substr(dot + 1);
  if (before.empty() && after.empty()) return false;
  return (before.empty() || all(before, is_digit)) && (after.empty() || all(after, is_digit));
}

}  // namespace

model::NodeKind kind_of_plain(std::string_view text) {
  using model::NodeKind;
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return NodeKind::Null;
  if (text == "true" || text == "True" || text == "TRUE" || text == "false" || text == "False" || text == "FALSE") {
    return NodeKind::Boolean;
  }
  const char first = text.front();
  if (!is_digit(first) && first != '-' && first != '+' && first != '.') return NodeKind::Text;
  if (all(without_sign(text), is_digit)) return NodeKind::Integer;
  if (text.substr(0, 2) == "0o" && all(text.substr(2), is_octal)) return NodeKind::Integer;
  if (text.substr(0, 2) == "0x" && all(text.substr(2), is_hex)) return NodeKind::Integer;
  if (is_float(text) || text == ".nan" || text == ".NaN" || text == ".NAN") return NodeKind::Float;
  return NodeKind::Text;
}

}  // namespace quorate::load
