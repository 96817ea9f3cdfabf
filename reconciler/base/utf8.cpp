// UTF-8 by the table of well-formed byte sequences (Unicode, table 3-7).
#include "reconciler/base/utf8.h"

namespace quorate::base {
namespace {

struct Form {
  std::size_t length = 0;  // 0: no character starts with this byte
  unsigned char low = 0x80;
  unsigned char high = 0xBF;  // of the second byte; the others are 80..BF
};

Form form_of(unsigned char lead) {
  if (lead < 0x80) return {1};
  if (lead >= 0xC2 && lead <= 0xDF) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(bytes[at + offset]); };
    const Form form = form_of(byte(0));
    if (form.length == 0 || at + form.length > bytes.size()) return at;
    for (std::size_t i = 1; i < form.length; ++i) {
      const unsigned char low = i == 1 ? form.low : 0x80;
      const unsigned char high = i == 1 ? form.high : 0xBF;
      if (byte(i) < low || byte(i) > high) return at;
    }
    at += form.length;
  }
  return std::nullopt;
}

std::size_t count_characters(std::string_view valid_utf8) {
  std::size_t count = 0;
  for (const char c : valid_utf8) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++count;
  }
  return count;
}

}  // namespace quorate::base
