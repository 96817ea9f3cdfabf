// Finding secrets by the words people use for them and by the forms that well-known tokens have.
#include "reconciler/model/secrets.h"

#include <algorithm>
#include <array>

#include "reconciler/base/utf8.h"

namespace quorate::model {
namespace {

constexpr std::array<std::string_view, 9> kSecretWords = {
    "password",  "passwd",     "passphrase", "secretkey",    "secretaccesskey",
    "accesskey", "privatekey", "apikey",     "clientsecret",
};

constexpr std::array<std::string_view, 11> kSecretStarts = {
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "-----BEGIN RSA PRIVATE",
    "-----BEGIN EC PRIVATE",
    "-----BEGIN PRIVATE",
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// "secret-access_key" and "secretAccessKey" are one word here.
std::string plain_word(std::string_view key) {
  std::string word;
  for (char c : key) {
    if (c == '_' || c == '-') continue;
    word += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return word;
}

bool is_secret_key(std::string_view key) {
  const std::string word = plain_word(key);
  return std::any_of(kSecretWords.begin(), kSecretWords.end(), [&](std::string_view secret) {
    // At the end only: "passwordFile" names a place, not a secret.
    return word.size() >= secret.size() && word.compare(word.size() - secret.size(), secret.size(), secret) == 0;
  });
}

bool is_aws_key_id(std::string_view value) {
  return value.size() == 20 && (value.substr(0, 4) == "AKIA" || value.substr(0, 4) == "ASIA") &&
         std::all_of(value.begin(), value.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

bool has_password_in_url(std::string_view value) {
  const auto mark = value.find("://");
  if (mark == std::string_view::npos) return false;
  const auto rest = value.substr(mark + 3);
  const auto at = rest.substr(0, rest.find_first_of("/?# ")).rfind('@');
  if (at == std::string_view::npos) return false;
  const auto colon = rest.substr(0, at).find(':');
  return colon != std::string_view::npos && colon + 1 < at;
}

bool is_secret_value(std::string_view value) {
  for (const std::string_view start : kSecretStarts) {
    // A short rest is prose about tokens, not a token.
    if (value.substr(0, start.size()) == start && value.size() >= start.size() + 8) return true;
  }
  return is_aws_key_id(value) || has_password_in_url(value) ||
         value.find("://hooks.slack.com/services/") != std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view unquote(std::string_view text) {
  if (!text.empty() && (text.front() == '"' || text.front() == '\'')) text.remove_prefix(1);
  if (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
  return text;
}

struct Range {
  std::size_t start = 0;
  std::size_t end = 0;
};

// The next scalar from `at` on: up to the end of a quoted text, else up to a comma, bracket or comment.
Range next_value(std::string_view line, std::size_t at) {
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  if (at < line.size() && (line[at] == '"' || line[at] == '\'')) {
    const auto close = line.find(line[at], at + 1);
    return {at, close == std::string_view::npos ? line.size() : close + 1};
  }
  std::size_t end = at;
  while (end < line.size() && line[end] != ',' && line[end] != '}' && line[end] != ']' &&
         !(line[end] == '#' && end > at && line[end - 1] == ' ')) {
    ++end;
  }
  return {at, at + trim(line.substr(at, end - at)).size()};
}

std::string_view key_before(std::string_view line, std::size_t colon) {
  std::size_t end = colon;
  while (end > 0 && (line[end - 1] == '"' || line[end - 1] == '\'' || line[end - 1] == ' ')) --end;
  std::size_t start = end;
  while (start > 0 && is_word(line[start - 1])) --start;
  return line.substr(start, end - start);
}

// Where the first secret at or behind `from` stands.
bool next_secret(std::string_view line, std::size_t from, Range& secret) {
  for (std::size_t at = from; at < line.size(); ++at) {
    const bool after_key = line[at] == ':' && (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\t');
    const bool dash = line[at] == '-' && at + 1 < line.size() && line[at + 1] == ' ';
    const bool item = dash || line[at] == ',' || line[at] == '[' || line[at] == '{';
    // A line of a block of text has neither key nor mark in front.
    const bool bare = at == from && line.find(": ", from) == std::string_view::npos;
    if (!after_key && !item && !bare) continue;
    const std::string_view key = after_key ? key_before(line, at) : std::string_view{};
    const Range value = next_value(line, bare && !item && !after_key ? at : at + 1);
    if (value.end > value.start && looks_secret(key, unquote(line.substr(value.start, value.end - value.start)))) {
      secret = value;
      return true;
    }
  }
  return false;
}

}  // namespace

bool looks_secret(std::string_view key, std::string_view value) {
  // "{file: ...}", an alias or an empty value only says where the secret is.
  if (value.empty() || value.front() == '{' || value.front() == '*' || value.front() == '&') return false;
  return is_secret_key(key) || is_secret_value(value);
}

MaskedLine mask_secrets(std::string_view line, int column) {
  MaskedLine result;
  result.caret = column;
  std::size_t from = 0;
  Range secret;
  while (from < line.size() && next_secret(line, from, secret)) {
    result.line += line.substr(from, secret.start - from);
    result.line += kMask;
    const auto before = static_cast<int>(base::count_characters(line.substr(0, secret.start)));
    const auto length = static_cast<int>(base::count_characters(line.substr(secret.start, secret.end - secret.start)));
    if (column > before + length) result.caret += static_cast<int>(kMask.size()) - length;
    if (column > before && column <= before + length) {
      result.caret = static_cast<int>(base::count_characters(result.line)) - static_cast<int>(kMask.size()) + 1;
    }
    from = secret.end;
  }
  if (from < line.size()) result.line += line.substr(from);
  return result;
}

}  // namespace quorate::model
