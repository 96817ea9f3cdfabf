// The four steps of the specification: canonical request, text to sign, signing key, signature.
#include "reconciler/adapters/s3/sigv4.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "reconciler/base/check.h"

namespace quorate::s3 {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kRequest = "aws4_request";

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  QUORATE_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), digest.data(),
                     &size) != nullptr);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

std::string encoded(std::string_view text, bool keep_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (is_unreserved(c) || (keep_slashes && c == '/')) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return result;
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// Without blanks at both ends, and one where there were several.
std::string single_spaced(std::string_view value) {
  std::string result;
  bool blank = false;
  for (const char c : value) {
    if (c == ' ' || c == '\t') {
      blank = !result.empty();
      continue;
    }
    if (blank) result += ' ';
    blank = false;
    result += c;
  }
  return result;
}

std::map<std::string, std::string> canonical_headers(const Pairs& headers) {
  std::map<std::string, std::string> canonical;
  for (const auto& [name, value] : headers) {
    const auto [at, first] = canonical.emplace(lower(name), single_spaced(value));
    if (!first) at->second += "," + single_spaced(value);
  }
  return canonical;
}

std::string signed_names(const Pairs& headers) {
  std::string names;
  for (const auto& [name, value] : canonical_headers(headers)) names += (names.empty() ? "" : ";") + name;
  return names;
}

}  // namespace

std::string encoded(std::string_view text) {
  return encoded(text, false);
}
std::string encoded_path(std::string_view path) {
  return encoded(path, true);
}

std::string encoded_query(const Pairs& query) {
  Pairs sorted;
  for (const auto& [name, value] : query) sorted.emplace_back(encoded(name), encoded(value));
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& [name, value] : sorted) {
    if (!text.empty()) text += '&';
    text += name;
    text += '=';
    text += value;
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  QUORATE_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  return hex({reinterpret_cast<const char*>(digest.data()), size});
}

std::string amz_date(base::Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  std::string text = base::to_string(base::Time(seconds));  // 2013-05-24T00:00:00Z
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '-' || c == ':'; }), text.end());
  return text;
}

std::string canonical_request(const Request& request) {
  std::string text = request.method + "\n" + encoded_path(request.path) + "\n" + encoded_query(request.query) + "\n";
  for (const auto& [name, value] : canonical_headers(request.headers))
    text.append(name).append(":").append(value) += '\n';
  return text + "\n" + signed_names(request.headers) + "\n" + request.payload_hash;
}

Pairs sign(const Request& request, const Scope& scope, base::Time now) {
  const std::string date = amz_date(now);
  const std::string day = date.substr(0, 8);
  Pairs added = {{"x-amz-date", date}};
  if (!scope.session_token.empty()) added.emplace_back("x-amz-security-token", scope.session_token);
  Request whole = request;
  whole.headers.insert(whole.headers.end(), added.begin(), added.end());

  const std::string place = day + "/" + scope.region + "/" + scope.service + "/" + std::string(kRequest);
  const std::string text =
      std::string(kAlgorithm) + "\n" + date + "\n" + place + "\n" + sha256_hex(canonical_request(whole));
  const std::string key = hmac(hmac(hmac(hmac("AWS4" + scope.secret_key, day), scope.region), scope.service), kRequest);
  added.emplace_back("authorization", std::string(kAlgorithm) + " Credential=" + scope.access_key + "/" + place +
                                          ", SignedHeaders=" + signed_names(whole.headers) +
                                          ", Signature=" + hex(hmac(key, text)));
  return added;
}

}  // namespace quorate::s3
