// Compression in blocks that know nothing of each other, so that several are made at once and any tool reads the
// result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/codec/sink.h"
#include "reconciler/codec/workers.h"

namespace quorate::codec {

enum class Compression { None, Gzip, Zstd };

std::string_view name_of(Compression compression);  // "gzip"
std::optional<Compression> compression_named(std::string_view name);

// Holds three blocks of 1 MiB for each worker. None: hands on what it gets.
std::unique_ptr<Sink> make_compressor(Compression compression, Workers& workers, Sink& next);

}  // namespace quorate::codec
