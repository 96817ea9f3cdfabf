// Encryption of an object under a key that people keep: AES-256-GCM in chunks; README.md has the format.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/codec/sink.h"

namespace quorate::codec {

inline constexpr std::size_t kSealKeyBytes = 32;
inline constexpr std::size_t kSealSaltBytes = 16;

struct SealKey {
  std::string bytes;  // 32
};

// A file's content: 32 bytes as they are, or 64 hexadecimal digits with a line break or not.
base::Result<SealKey> parse_seal_key(std::string_view content);

std::string seal_key_name(const SealKey& key);  // 16 hexadecimal digits that tell keys apart and say nothing of them

// `salt`: 16 random bytes that no other object has.
std::unique_ptr<Sink> make_sealer(const SealKey& key, std::string_view salt, Sink& next);

// Refused: it was sealed with another key. Invalid: it is not what was sealed, or ends too early.
std::unique_ptr<Sink> make_opener(const SealKey& key, Sink& next);

}  // namespace quorate::codec
