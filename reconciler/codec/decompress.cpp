// libdeflate for gzip made of small members, as ours is; zlib for any other, which takes pieces of any size; zstd's own
// stream.
#include "reconciler/codec/decompress.h"

#include <string>
#include <utility>

#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>

#include "reconciler/base/check.h"

namespace quorate::codec {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::size_t kLargestInput = std::size_t{1} << 30;                    // zlib counts in 32 bits
constexpr std::size_t kMemberUnpacked = std::size_t{1} << 20;                  // as make_compressor makes them
constexpr std::size_t kMemberPacked = kMemberUnpacked + kMemberUnpacked / 16;  // what does not compress becomes larger
constexpr std::size_t kMember = 2 * kMemberPacked;
constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr int kZstdWindow = 25;  // 32 MiB: what comes from anybody may not claim more memory

// What both have in common: counting what comes out.
class Unpacking : public Sink {
 public:
  Unpacking(Sink& next, std::uint64_t most) : next_(next), most_(most), out_(kPiece, '\0') {}

 protected:
  base::Result<void> hand_on(std::string_view bytes) {
    if (bytes.size() > most_ - given_) {
      return base::invalid("the compressed data unpack to more than " + std::to_string(most_) + " bytes",
                           "no database of etcd is that large");
    }
    given_ += bytes.size();
    if (bytes.empty()) return {};
    return next_.write(bytes);
  }

  Sink& next_;
  std::uint64_t most_;
  std::uint64_t given_ = 0;
  std::string out_;
};

// A member is unpacked at once and three times as fast as in pieces, where it is no larger than ours are. The first
// that is larger, or damaged, and all after it are zlib's.
class Gunzip final : public Unpacking {
 public:
  Gunzip(Sink& next, std::uint64_t most)
      : Unpacking(next, most), decompressor_(libdeflate_alloc_decompressor()), member_(kMemberUnpacked, '\0') {
    QUORATE_CHECK(decompressor_ != nullptr && inflateInit2(&stream_, kGzipOnly) == Z_OK);
  }
  ~Gunzip() override {
    inflateEnd(&stream_);
    libdeflate_free_decompressor(decompressor_);
  }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  base::Result<void> write(std::string_view bytes) override {
    while (!in_pieces_ && !bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kMember - held_.size());
      held_ += piece;
      bytes.remove_prefix(piece.size());
      if (held_.size() < kMember) continue;
      if (auto done = unpack_members(false); !done) return done;
    }
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kLargestInput);
      if (auto done = take(piece); !done) return done;
      bytes.remove_prefix(piece.size());
    }
    return {};
  }

  base::Result<void> finish() override {
    if (!in_pieces_) {
      if (auto done = unpack_members(true); !done) return done;
    }
    if (inside_ || !any_) return base::invalid("the gzip data end too early", "the object was cut");
    return next_.finish();
  }

 private:
  // As many as there are for certain: where more is to come, what is left may be the beginning of one.
  base::Result<void> unpack_members(bool all) {
    std::string_view rest = held_;
    while (!rest.empty() && (all || rest.size() >= kMemberPacked)) {
      std::size_t read = 0;
      std::size_t made = 0;
      const auto status = libdeflate_gzip_decompress_ex(decompressor_, rest.data(), rest.size(), member_.data(),
                                                        member_.size(), &read, &made);
      if (status != LIBDEFLATE_SUCCESS) {
        in_pieces_ = true;
        const std::string held = std::exchange(held_, {});
        return take(std::string_view(held).substr(held.size() - rest.size()));
      }
      rest.remove_prefix(read);
      any_ = true;
      if (auto done = hand_on(std::string_view(member_).substr(0, made)); !done) return done;
    }
    held_.erase(0, held_.size() - rest.size());
    return {};
  }

  base::Result<void> take(std::string_view bytes) {
    // zlib does not write through it, it is only older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    bool more = true;  // output that did not fit yet
    while (stream_.avail_in > 0 || (inside_ && more)) {
      if (!std::exchange(inside_, true)) QUORATE_CHECK(inflateReset(&stream_) == Z_OK);
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        return base::invalid(
            "the gzip data are damaged" + (stream_.msg == nullptr ? std::string() : ": " + std::string(stream_.msg)),
            "the object is not what was written");
      }
      more = stream_.avail_out == 0;
      if (auto done = hand_on(std::string_view(out_).substr(0, out_.size() - stream_.avail_out)); !done) return done;
      if (status == Z_STREAM_END) {
        inside_ = false;
        any_ = true;
      }
    }
    return {};
  }

  libdeflate_decompressor* decompressor_;
  std::string held_;    // what has come and is not unpacked
  std::string member_;  // what comes out of one
  bool in_pieces_ = false;
  z_stream stream_{};
  bool inside_ = false;  // a member has begun and not ended
  bool any_ = false;
};

class Unzstd final : public Unpacking {
 public:
  Unzstd(Sink& next, std::uint64_t most) : Unpacking(next, most), stream_(ZSTD_createDStream()) {
    QUORATE_CHECK(stream_ != nullptr);
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kZstdWindow);
  }
  ~Unzstd() override { ZSTD_freeDStream(stream_); }
  Unzstd(const Unzstd&) = delete;
  Unzstd& operator=(const Unzstd&) = delete;

  base::Result<void> write(std::string_view bytes) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool more = false;
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(left) != 0) {
        return base::invalid("the zstd data are damaged: " + std::string(ZSTD_getErrorName(left)),
                             "the object is not what was written");
      }
      any_ = true;
      inside_ = left != 0;
      more = inside_ && out.pos == out.size;
      if (auto done = hand_on(std::string_view(out_).substr(0, out.pos)); !done) return done;
    }
    return {};
  }

  base::Result<void> finish() override {
    if (inside_ || !any_) return base::invalid("the zstd data end too early", "the object was cut");
    return next_.finish();
  }

 private:
  ZSTD_DStream* stream_;
  bool inside_ = false;
  bool any_ = false;
};

class Limited final : public Sink {
 public:
  Limited(Sink& next, std::uint64_t most) : next_(next), left_(most) {}
  base::Result<void> write(std::string_view bytes) override {
    if (bytes.size() > left_) return base::invalid("the object is larger than any database of etcd");
    left_ -= bytes.size();
    return next_.write(bytes);
  }
  base::Result<void> finish() override { return next_.finish(); }

 private:
  Sink& next_;
  std::uint64_t left_;
};

}  // namespace

std::unique_ptr<Sink> make_decompressor(Compression compression, Sink& next, std::uint64_t most) {
  switch (compression) {
    case Compression::Gzip:
      return std::make_unique<Gunzip>(next, most);
    case Compression::Zstd:
      return std::make_unique<Unzstd>(next, most);
    case Compression::None:
      break;
  }
  return std::make_unique<Limited>(next, most);
}

}  // namespace quorate::codec
