// Masking comes before cutting: a cut could part a secret from the key that gives it away.
#include "reconciler/model/excerpt.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "reconciler/model/secrets.h"

namespace quorate::model {
namespace {

constexpr std::size_t kLongestLine = 2000;  // bytes; a longer line says nothing to a reader and is not shown
constexpr int kMostBefore = 80;             // characters that are kept before the place ...
constexpr int kMostAfter = 120;             // ... and from it on
constexpr std::string_view kCut = "...";

// A control character in a file must not steer the terminal that shows it.
void tame(std::string& text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
}

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// Byte offset of the character `column` (from 1); the end when the line is shorter.
std::size_t offset_of(std::string_view line, int column) {
  std::size_t at = 0;
  for (int left = column - 1; at < line.size(); ++at) {
    if (starts_character(line[at]) && left-- == 0) break;
  }
  return at;
}

// The line up to its first secret.
MaskedLine cut_secrets(std::string_view line, Position at, const SecretPlaces& secrets) {
  const auto found = secrets.find(at.line);
  if (found == secrets.end()) return {std::string(line), at.column};
  return {std::string(line.substr(0, offset_of(line, found->second))) + std::string(kMask),
          std::min(at.column, found->second)};
}

}  // namespace

Excerpt excerpt(const Source& source, Span span, std::string note, const SecretPlaces* secrets) {
  Excerpt result{span, {}, 1, std::move(note)};
  if (span.at.line < 1 || span.at.line > source.line_count()) return result;
  const std::string_view whole = source.line(span.at.line);
  if (whole.size() > kLongestLine) return result;

  if (secrets == nullptr && span.at.line > 1 && opens_secret(source.line(span.at.line - 1))) return result;
  const MaskedLine masked =
      secrets != nullptr ? cut_secrets(whole, span.at, *secrets) : mask_secrets(whole, span.at.column);
  const std::string_view line = masked.line;
  const int first = masked.caret > kMostBefore ? masked.caret - kMostBefore : 1;
  const std::size_t start = offset_of(line, first);
  const std::size_t end = offset_of(line, masked.caret + kMostAfter);
  if (start > 0) result.line = kCut;
  result.caret = masked.caret - first + 1 + static_cast<int>(result.line.size());
  result.line += line.substr(start, end - start);
  if (end < line.size()) result.line += kCut;
  tame(result.line);
  return result;
}

Finding make_finding(const Source& source, Code code, Span span, std::string message, std::string expected,
                     std::string path, const SecretPlaces* secrets) {
  tame(message);
  tame(expected);
  tame(path);
  Finding finding;
  finding.code = code;
  finding.file = source.name();
  finding.place = excerpt(source, span, std::move(expected), secrets);
  finding.message = std::move(message);
  finding.path = std::move(path);
  return finding;
}

}  // namespace quorate::model
