// One batch of blocks fills up while the one before it is compressed; results go on in order.
#include "reconciler/codec/compress.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <libdeflate.h>
#include <zstd.h>

#include "reconciler/base/check.h"

namespace quorate::codec {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
// The fastest levels: a backup waits for the network and for the member that sends it, not for a few per cent.
constexpr int kGzipLevel = 1;
constexpr int kZstdLevel = 3;

// Makes one block into one member or frame; one for each job, so that nothing is shared.
class Packer {
 public:
  virtual ~Packer() = default;
  virtual void pack(std::string_view block, std::string& into) = 0;
};

class GzipPacker final : public Packer {
 public:
  GzipPacker() : compressor_(libdeflate_alloc_compressor(kGzipLevel)) { QUORATE_CHECK(compressor_ != nullptr); }
  ~GzipPacker() override { libdeflate_free_compressor(compressor_); }
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;

  void pack(std::string_view block, std::string& into) override {
    into.resize(libdeflate_gzip_compress_bound(compressor_, block.size()));
    const std::size_t size =
        libdeflate_gzip_compress(compressor_, block.data(), block.size(), into.data(), into.size());
    QUORATE_CHECK(size > 0);
    into.resize(size);
  }

 private:
  libdeflate_compressor* compressor_;
};

class ZstdPacker final : public Packer {
 public:
  ZstdPacker() : context_(ZSTD_createCCtx()) {
    QUORATE_CHECK(context_ != nullptr);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdPacker() override { ZSTD_freeCCtx(context_); }
  ZstdPacker(const ZstdPacker&) = delete;
  ZstdPacker& operator=(const ZstdPacker&) = delete;

  void pack(std::string_view block, std::string& into) override {
    into.resize(ZSTD_compressBound(block.size()));
    const std::size_t size = ZSTD_compress2(context_, into.data(), into.size(), block.data(), block.size());
    QUORATE_CHECK(ZSTD_isError(size) == 0);
    into.resize(size);
  }

 private:
  ZSTD_CCtx* context_;
};

std::unique_ptr<Packer> make_packer(Compression compression) {
  if (compression == Compression::Zstd) return std::make_unique<ZstdPacker>();
  return std::make_unique<GzipPacker>();
}

class Blocks final : public Sink {
 public:
  Blocks(Compression compression, Workers& workers, Sink& next) : workers_(workers), next_(next) {
    const std::size_t count = std::max<std::size_t>(workers.count(), 1);
    filling_.resize(count);
    packing_.resize(count);
    packed_.resize(count);
    for (std::size_t at = 0; at < count; ++at) packers_.push_back(make_packer(compression));
  }
  ~Blocks() override { workers_.wait(); }  // jobs look at our blocks
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  base::Result<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      std::string& block = filling_[full_];
      if (block.capacity() < kBlock) block.reserve(kBlock);
      const std::string_view piece = bytes.substr(0, kBlock - block.size());
      block += piece;
      bytes.remove_prefix(piece.size());
      if (block.size() < kBlock) continue;
      if (++full_ < filling_.size()) continue;
      if (auto done = send(full_); !done) return done;
    }
    return {};
  }

  base::Result<void> finish() override {
    const bool rest = full_ < filling_.size() && !filling_[full_].empty();
    if (rest || full_ > 0 || !any_) {
      if (auto done = send(std::max<std::size_t>(full_ + (rest ? 1 : 0), any_ ? 0 : 1)); !done) return done;
    }
    if (auto done = settle(); !done) return done;
    return next_.finish();
  }

 private:
  base::Result<void> send(std::size_t count) {
    if (auto done = settle(); !done) return done;
    std::swap(filling_, packing_);
    in_work_ = count;
    any_ = true;
    for (std::size_t at = 0; at < count; ++at) {
      workers_.start([this, at] { packers_[at]->pack(packing_[at], packed_[at]); });
    }
    for (std::string& block : filling_) block.clear();
    full_ = 0;
    return {};
  }

  base::Result<void> settle() {
    workers_.wait();
    const std::size_t count = std::exchange(in_work_, 0);
    for (std::size_t at = 0; at < count; ++at) {
      if (auto done = next_.write(packed_[at]); !done) return done;
    }
    return {};
  }

  Workers& workers_;
  Sink& next_;
  std::vector<std::unique_ptr<Packer>> packers_;
  std::vector<std::string> filling_;
  std::vector<std::string> packing_;
  std::vector<std::string> packed_;
  std::size_t full_ = 0;     // blocks of filling_
  std::size_t in_work_ = 0;  // blocks of packing_
  bool any_ = false;
};

class Plain final : public Sink {
 public:
  explicit Plain(Sink& next) : next_(next) {}
  base::Result<void> write(std::string_view bytes) override { return next_.write(bytes); }
  base::Result<void> finish() override { return next_.finish(); }

 private:
  Sink& next_;
};

}  // namespace

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::None:
      return "none";
    case Compression::Gzip:
      return "gzip";
    case Compression::Zstd:
      return "zstd";
  }
  return "";
}

std::optional<Compression> compression_named(std::string_view name) {
  for (const Compression each : {Compression::None, Compression::Gzip, Compression::Zstd}) {
    if (name_of(each) == name) return each;
  }
  return std::nullopt;
}

std::unique_ptr<Sink> make_compressor(Compression compression, Workers& workers, Sink& next) {
  if (compression == Compression::None) return std::make_unique<Plain>(next);
  return std::make_unique<Blocks>(compression, workers, next);
}

}  // namespace quorate::codec
