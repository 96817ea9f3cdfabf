// The pieces that join the streams of codec to the ports.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "reconciler/codec/compress.h"
#include "reconciler/codec/sink.h"
#include "reconciler/model/backup_name.h"
#include "reconciler/ports/object_store.h"

namespace quorate::backup {

inline codec::Compression compression_of(model::Packing packing) {
  switch (packing) {
    case model::Packing::Gzip:
      return codec::Compression::Gzip;
    case model::Packing::Zstd:
      return codec::Compression::Zstd;
    case model::Packing::None:
      break;
  }
  return codec::Compression::None;
}

class IntoStore final : public codec::Sink {
 public:
  explicit IntoStore(ports::ObjectWriter& writer) : writer_(writer) {}
  base::Result<void> write(std::string_view bytes) override { return writer_.write(bytes); }
  base::Result<void> finish() override { return writer_.finish(); }

 private:
  ports::ObjectWriter& writer_;
};

}  // namespace quorate::backup
