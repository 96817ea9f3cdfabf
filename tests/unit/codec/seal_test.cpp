// Encryption: what was sealed comes out whole, or not at all.
#include "reconciler/codec/seal.h"

#include <gtest/gtest.h>

#include "tests/unit/codec/collect.h"

namespace quorate::codec {
namespace {

using tests::Collect;
using tests::mixed_bytes;
using tests::push;

const SealKey kKey{std::string(32, 'k')};
constexpr std::size_t kHeader = 32;
constexpr std::size_t kChunk = 65536 + 16;

std::string sealed(std::string_view bytes, char salt = 's') {
  Collect out;
  const auto sink = make_sealer(kKey, std::string(kSealSaltBytes, salt), out);
  EXPECT_TRUE(push(*sink, bytes, 7777));
  return out.text;
}

struct Opened {
  std::string text;
  bool finished = false;
  base::Error error;
};

Opened opened(std::string_view bytes, std::size_t piece = 5000, const SealKey& key = kKey) {
  Collect out;
  const auto sink = make_opener(key, out);
  const auto done = push(*sink, bytes, piece);
  return {out.text, out.finished, done ? base::Error{} : done.error()};
}

}  // namespace

TEST(Seal, GivesBackWhatItGot) {
  for (const std::size_t size : {0U, 1U, 65535U, 65536U, 65537U, 131072U, 300000U}) {
    const std::string bytes = mixed_bytes(size);
    for (const std::size_t piece : {1000U, 65536U, 1000000U}) {
      const Opened result = opened(sealed(bytes), piece);
      EXPECT_TRUE(result.finished) << size << ": " << result.error.message;
      EXPECT_TRUE(result.text == bytes) << size;
    }
  }
}

TEST(Seal, ShowsNothingOfTheContent) {
  const std::string secret = "the password of the production database";
  EXPECT_EQ(sealed(secret).find("password"), std::string::npos);
  EXPECT_NE(sealed(secret, 'a').substr(kHeader), sealed(secret, 'b').substr(kHeader));
}

TEST(Seal, NoticesEveryCut) {
  const std::string whole = sealed(mixed_bytes(140000));
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, kHeader, kHeader + 10, kHeader + kChunk,
                                 kHeader + 2 * kChunk, whole.size() - 1}) {
    const Opened result = opened(whole.substr(0, size));
    EXPECT_FALSE(result.finished) << size;
    EXPECT_EQ(result.error.kind, base::ErrorKind::Invalid);
  }
}

TEST(Seal, NoticesChangedMovedAndAddedBytes) {
  const std::string whole = sealed(mixed_bytes(140000));
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, kHeader, kHeader + kChunk - 1, whole.size() - 1}) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(opened(changed).finished) << at;
  }
  const std::string swapped = whole.substr(0, kHeader) + whole.substr(kHeader + kChunk, kChunk) +
                              whole.substr(kHeader, kChunk) + whole.substr(kHeader + 2 * kChunk);
  EXPECT_FALSE(opened(swapped).finished);
  EXPECT_FALSE(opened(whole + "x").finished);
  EXPECT_FALSE(opened(whole + whole).finished);
}

TEST(Seal, TellsAnotherKeyFromDamage) {
  const Opened result = opened(sealed("content"), 5000, SealKey{std::string(32, 'o')});
  EXPECT_EQ(result.error.kind, base::ErrorKind::Refused);
  EXPECT_NE(result.error.message.find(seal_key_name(kKey)), std::string::npos) << result.error.message;
}

TEST(Seal, HasAFormatThatDoesNotChange) {
  Collect out;
  const auto sink = make_sealer(kKey, std::string(kSealSaltBytes, 's'), out);
  ASSERT_TRUE(push(*sink, "quorate", 3));
  EXPECT_EQ(out.text.size(), kHeader + 7 + 16);
  EXPECT_EQ(out.text.substr(0, 8), "QUORATE1");
  EXPECT_EQ(opened(out.text).text, "quorate");
}

TEST(SealKey, IsBytesOrDigits) {
  const std::string digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1F";
  const auto key = parse_seal_key(digits + "\n");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->bytes.size(), 32U);
  EXPECT_EQ(key->bytes[31], 31);
  EXPECT_EQ(parse_seal_key(key->bytes)->bytes, key->bytes);
  EXPECT_FALSE(parse_seal_key(""));
  EXPECT_FALSE(parse_seal_key("hunter2"));
  EXPECT_FALSE(parse_seal_key(digits + "0"));
}

}  // namespace quorate::codec
