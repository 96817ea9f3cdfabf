// Character by character: what each format would take for its own.
#include "reconciler/report/escapes.h"

#include <algorithm>
#include <cstddef>

#include "reconciler/base/utf8.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

std::string escaped_command(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    if (c == '%') {
      result += "%25";
    } else if (c == '\r') {
      result += "%0D";
    } else if (c == '\n') {
      result += "%0A";
    } else if (is_property && c == ':') {
      result += "%3A";
    } else if (is_property && c == ',') {
      result += "%2C";
    } else {
      result += c;
    }
  }
  return result;
}

std::string percent_encoded(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  std::string result;
  for (const char c : path) {
    const bool is_alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_alphanumeric || kPlain.find(c) != std::string_view::npos) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return result;
}

}  // namespace

std::string github_text(std::string_view text) {
  return escaped_command(text, false);
}

std::string github_property(std::string_view text) {
  return escaped_command(text, true);
}

// XML 1.0 has no way at all to write most control characters, nor bytes that are not UTF-8.
std::string xml_text(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string result;
  while (!text.empty()) {
    const std::size_t valid = base::first_invalid_utf8(text).value_or(text.size());
    for (std::size_t i = 0; i < valid; ++i) {
      const char c = text[i];
      const std::string_view three = text.substr(i, 3);
      if (c == '&') {
        result += "&amp;";
      } else if (c == '<') {
        result += "&lt;";
      } else if (c == '>') {
        result += "&gt;";
      } else if (c == '"') {
        result += "&quot;";
      } else if (c == '\t' || c == '\n' || c == '\r') {
        result += "&#" + std::to_string(static_cast<int>(c)) + ";";  // attributes lose them otherwise
      } else if (c == '#' && i > 0 && text[i - 1] == '#') {
        result += "&#35;";  // "##[error]" in a log is for CI systems
      } else if (static_cast<unsigned char>(c) < 0x20) {
        result += kReplacement;
      } else if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
        result += kReplacement;
        i += 2;
      } else {
        result += c;
      }
    }
    if (valid < text.size()) result += kReplacement;
    text.remove_prefix(valid < text.size() ? valid + 1 : valid);
  }
  return result;
}

std::string xml_body(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
    const bool is_command = line.substr(start, 2) == "::";  // at the start of a line in a log, for CI systems
    result += xml_text(line.substr(0, start));
    if (is_command) result += "&#58;";
    result += xml_text(line.substr(is_command ? start + 1 : start));
    if (end < text.size()) result += '\n';
    at = end + 1;
  }
  return result;
}

std::string xml_attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_text(value) + "\"";
}

std::string sarif_uri(std::string_view file) {
  while (file.substr(0, 2) == "./") file.remove_prefix(2);
  return (file.substr(0, 1) == "/" ? "file://" : "") + percent_encoded(file);
}

// Entities for what HTML reads, backslashes for what Markdown reads; mentions and references get no blank behind them.
std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]()#+!|~";
  std::string result;
  for (const std::string& character : printable_characters(printable(text))) {
    if (character == "<") {
      result += "&lt;";
    } else if (character == ">") {
      result += "&gt;";
    } else if (character == "&") {
      result += "&amp;";
    } else if (character == "@") {
      result += "&#64;";
    } else if (character.size() == 1 && kMarkup.find(character) != std::string_view::npos) {
      result += "\\" + character;
    } else {
      result += character;
    }
  }
  return result;
}

std::string markdown_code(std::string_view text) {
  std::string result = printable(text);
  std::replace(result.begin(), result.end(), '`', '\'');
  std::replace(result.begin(), result.end(), '|', '/');
  return "`" + result + "`";
}

}  // namespace quorate::report
