// Decompression of what anybody made: it ends, in bounded memory, whatever the bytes are.
#pragma once

#include <cstdint>
#include <memory>

#include "reconciler/codec/compress.h"
#include "reconciler/codec/sink.h"

namespace quorate::codec {

// Far above the largest database that etcd serves; a bomb of zeros ends here.
inline constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 40;

// Invalid: the bytes are not whole. finish() says so too when they end too early.
std::unique_ptr<Sink> make_decompressor(Compression compression, Sink& next, std::uint64_t most = kMostUnpacked);

}  // namespace quorate::codec
