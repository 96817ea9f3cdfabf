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

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

// "::name::" or "::name " of GitHub Actions; not "::1" or "::ffff:10.0.0.1".
bool is_command(std::string_view text) {
  if (text.substr(0, 2) != "::") return false;
  std::size_t end = 2;
  while (end < text.size() && is_word(text[end])) ++end;
  if (end == 2) return false;
  return end == text.size() || text[end] == ' ' || text.substr(end, 2) == "::";
}

// "##[name]" of GitHub Actions, "##vso[name]" of Azure Pipelines, behind the ##.
bool is_old_command(std::string_view text) {
  while (!text.empty() && is_word(text.front())) text.remove_prefix(1);
  return text.substr(0, 1) == "[";
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
    bool after_mark = false;  // behind "##name"
    for (std::size_t at = 0; at < valid;) {
      if (text.substr(at, 2) == "##" && is_old_command(text.substr(at + 2))) after_mark = true;
      const std::string_view character = text.substr(at, character_length(text.substr(0, valid), at));
      if (character == "\t") {
        characters.emplace_back(" ");
      } else if (after_mark && character == "[") {
        characters.emplace_back("?");
        after_mark = false;
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

std::string printable_verbatim(std::string_view text) {
  std::string one_line(text);
  for (char& c : one_line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::string result;
  for (const std::string& character : printable_characters(one_line)) result += character;
  return result;
}

std::string printable(std::string_view text) {
  const std::string whole = printable_verbatim(text);
  std::string result;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    result += whole[at];
    const std::string_view rest = std::string_view(whole).substr(at);
    const bool is_start = at == 0 || whole[at - 1] == ' ';
    if (is_start && is_command(rest)) result += ' ';
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::vector<std::string> characters = printable_characters(text);
  if (characters.size() <= most) return std::string(text);
  std::string result;
  for (std::size_t i = 0; i + 3 < most; ++i) result += characters[i];
  return result + "...";
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
  return safe_json(value.dump(2, ' ', false, base::Json::error_handler_t::replace) + "\n");
}

// Outside of strings JSON has neither, so that the escapes stand where escapes may stand.
std::string safe_json(std::string_view json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  result.reserve(json.size());
  for (std::size_t at = 0; at < json.size(); ++at) {
    const auto byte = [&](std::size_t i) { return i < json.size() ? static_cast<unsigned char>(json[i]) : 0U; };
    if (byte(at) == 0xC2 && byte(at + 1) >= 0x80 && byte(at + 1) < 0xA0) {
      result += "\\u00";
      result += kDigits[byte(at + 1) >> 4U];
      result += kDigits[byte(at + 1) & 15U];
      ++at;
    } else if (json[at] == 0x7F) {
      result += "\\u007f";
    } else if (json.substr(at, 2) == "##" && is_old_command(json.substr(at + 2))) {
      result += "#\\u0023";
      ++at;
    } else {
      result += json[at];
    }
  }
  return result;
}

// What has a # stands in double quotes there too, where JSON's escapes hold.
std::string yaml_of(const std::string& json) {
  return safe_json(base::to_yaml(base::Json::parse(json)));
}

}  // namespace quorate::report
