// Finding secrets by the words people use for them and by the forms that well-known tokens have.
#include "reconciler/model/secrets.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "reconciler/base/utf8.h"

namespace quorate::model {
namespace {

// What a key ends with, or is, when its value is a secret.
constexpr std::array<std::string_view, 15> kSecretEndings = {
    "password",    "passwd",       "passphrase",   "secretkey",    "secretaccesskey",
    "accesskey",   "privatekey",   "apikey",       "clientsecret", "authtoken",
    "accesstoken", "sessiontoken", "refreshtoken", "bearertoken",  "encryptionkey",
};
constexpr std::array<std::string_view, 3> kSecretKeys = {"secret", "pwd", "pass"};

// How well-known tokens start, wherever in a text they stand.
constexpr std::array<std::string_view, 8> kTokenStarts = {
    "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xapp-",
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
  if (std::find(kSecretKeys.begin(), kSecretKeys.end(), word) != kSecretKeys.end()) return true;
  return std::any_of(kSecretEndings.begin(), kSecretEndings.end(), [&](std::string_view secret) {
    // At the end only: "passwordFile" names a place, not a secret.
    return word.size() >= secret.size() && word.compare(word.size() - secret.size(), secret.size(), secret) == 0;
  });
}

bool has_token(std::string_view value) {
  constexpr std::size_t kShortest = 8;  // a shorter rest is prose about tokens, not a token
  return std::any_of(kTokenStarts.begin(), kTokenStarts.end(), [&](std::string_view start) {
    const auto at = value.find(start);
    if (at == std::string_view::npos || (at > 0 && is_word(value[at - 1]))) return false;
    const auto rest = value.substr(at + start.size());
    return std::find_if_not(rest.begin(), rest.end(), is_word) - rest.begin() >= static_cast<std::ptrdiff_t>(kShortest);
  });
}

bool has_private_key(std::string_view value) {
  const auto begin = value.find("-----BEGIN ");
  return begin != std::string_view::npos && value.find("PRIVATE KEY-----", begin) != std::string_view::npos;
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
  // Most values are names and numbers; each form below is longer and has one of these signs, or is an AWS key.
  constexpr std::size_t kShortestSecret = 12;
  if (value.size() < kShortestSecret) return false;
  if (value.find_first_of("_-:") == std::string_view::npos) return is_aws_key_id(value);
  return has_token(value) || has_private_key(value) || is_aws_key_id(value) || has_password_in_url(value) ||
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
    const bool after_key = line[at] == ':' && (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\t' ||
                                               line[at + 1] == '"' || line[at + 1] == '\'');
    const bool dash = line[at] == '-' && at + 1 < line.size() && line[at + 1] == ' ';
    const bool item = dash || line[at] == ',' || line[at] == '[' || line[at] == '{';
    // A line of a block of text has neither key nor mark in front.
    const bool bare = at == from && line.find(": ", from) == std::string_view::npos;
    if (!after_key && !item && !bare) continue;
    const std::string_view key = after_key ? key_before(line, at) : std::string_view{};
    const Range value = next_value(line, bare && !item && !after_key ? at : at + 1);
    // "{file: ...}" or an alias only says where the secret is.
    const bool refers =
        value.end > value.start && std::string_view("{[*&").find(line[value.start]) != std::string_view::npos;
    if (value.end > value.start && !refers &&
        looks_secret(key, unquote(line.substr(value.start, value.end - value.start)))) {
      secret = value;
      return true;
    }
  }
  return false;
}

// A key speaks for a list below it, too.
void collect(const Node& node, std::string_view key, std::unordered_set<const Node*>& secrets) {
  if (node.is_scalar()) {
    if (looks_secret(key, node.text)) secrets.insert(&node);
    return;
  }
  for (const Node* item : node.items) collect(*item, key, secrets);
  for (const Entry& entry : node.entries) {
    if (looks_secret({}, entry.key->text)) secrets.insert(entry.key);
    collect(*entry.value, entry.key->text, secrets);
  }
}

}  // namespace

bool looks_secret(std::string_view key, std::string_view value) {
  return !value.empty() && (is_secret_key(key) || is_secret_value(value));
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

bool opens_secret(std::string_view line) {
  line = trim(line);
  return !line.empty() && line.back() == ':' && is_secret_key(key_before(line, line.size() - 1));
}

SecretPlaces secret_places(const Spec& spec) {
  std::unordered_set<const Node*> secrets;
  if (spec.root != nullptr) collect(*spec.root, {}, secrets);
  SecretPlaces places;
  if (secrets.empty()) return places;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const Node& node = spec.nodes[i];
    if (secrets.count(&node) == 0) continue;
    const auto [place, added] = places.emplace(node.span.at.line, node.span.at.column);
    if (!added) place->second = std::min(place->second, node.span.at.column);
    // Nodes are in the order of the text, so all up to the next one may belong to this value.
    int next = i + 1 < spec.nodes.size() ? spec.nodes[i + 1].span.at.line : 0;
    if (next < node.span.at.line) next = spec.source->line_count() + 1;
    for (int line = node.span.at.line + 1; line < next; ++line) places[line] = 1;
  }
  return places;
}

}  // namespace quorate::model
