// Characters, words and lines.
#include "reconciler/report/prose.h"

#include <algorithm>
#include <cstdint>

#include "reconciler/base/utf8.h"

namespace quorate::report {
namespace {

std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  std::uint32_t value = byte(0) & (0xFFu >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) value = value << 6 | (byte(i) & 0x3Fu);
  return value;
}

bool is_visible(std::uint32_t point) {
  if (point < 0x20 || (point >= 0x7F && point < 0xA0)) return false;
  if (point >= 0x200B && point <= 0x200F) return false;  // no width, or a direction
  if (point >= 0x2028 && point <= 0x202E) return false;  // line separators, embedded directions
  if (point >= 0x2060 && point <= 0x206F) return false;
  return point != 0xFEFF && point != 0xAD && point != 0x61C;
}

std::size_t character_length(std::string_view valid, std::size_t at) {
  std::size_t end = at + 1;
  while (end < valid.size() && (static_cast<unsigned char>(valid[end]) & 0xC0) == 0x80) ++end;
  return end - at;
}

}  // namespace

std::vector<std::string> printable_characters(std::string_view text) {
  std::vector<std::string> characters;
  while (!text.empty()) {
    const std::size_t valid = base::first_invalid_utf8(text).value_or(text.size());
    for (std::size_t at = 0; at < valid;) {
      const std::string_view character = text.substr(at, character_length(text.substr(0, valid), at));
      if (character == "\t") {
        characters.emplace_back(" ");
      } else {
        characters.emplace_back(is_visible(code_point(character)) ? character : "?");
      }
      at += character.size();
    }
    if (valid < text.size()) characters.emplace_back("?");
    text.remove_prefix(valid < text.size() ? valid + 1 : valid);
  }
  return characters;
}

std::string printable(std::string_view text) {
  std::string one_line(text);
  for (char& c : one_line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::string result;
  for (const std::string& character : printable_characters(one_line)) result += character;
  return result;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = printable(text.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    const std::size_t length = base::count_characters(word);
    if (column == 0 || column + 1 + length > width) {
      if (column != 0) result += "\n";
      result += std::string(indent, ' ');
      column = indent;
    } else {
      result += " ";
      ++column;
    }
    result += word;
    column += length;
  }
  return result.empty() ? result : result + "\n";
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t length = base::count_characters(text);
  return std::string(text) + std::string(length < width ? width - length : 0, ' ');
}

std::string count_of(std::size_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& words, std::string_view last) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) result += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    result += words[i];
  }
  return result;
}

std::string document(const base::Json& value) {
  return value.dump(2, ' ', false, base::Json::error_handler_t::replace) + "\n";
}

}  // namespace quorate::report
