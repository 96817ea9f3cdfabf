// Compression: what goes in comes out, whoever made it, and nothing that is damaged comes out as whole.
#include "reconciler/codec/compress.h"

#include <vector>

#include <gtest/gtest.h>
#include <libdeflate.h>

#include "reconciler/adapters/system/workers.h"
#include "reconciler/codec/decompress.h"
#include "tests/unit/codec/collect.h"

namespace quorate::codec {
namespace {

using tests::Collect;
using tests::mixed_bytes;
using tests::push;

std::string packed(Compression compression, std::string_view bytes, Workers& workers, std::size_t piece = 70000) {
  Collect out;
  const auto sink = make_compressor(compression, workers, out);
  EXPECT_TRUE(push(*sink, bytes, piece));
  EXPECT_TRUE(out.finished);
  return out.text;
}

std::string packed(Compression compression, std::string_view bytes) {
  NoWorkers workers;
  return packed(compression, bytes, workers);
}

struct Unpacked {
  std::string text;
  std::string problem;
  bool finished = false;
};

Unpacked unpacked(Compression compression, std::string_view bytes, std::size_t piece = 999,
                  std::uint64_t most = kMostUnpacked) {
  Collect out;
  const auto sink = make_decompressor(compression, out, most);
  const auto done = push(*sink, bytes, piece);
  EXPECT_TRUE(done || done.error().kind == base::ErrorKind::Invalid);
  return {out.text, done ? "" : done.error().message, out.finished};
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

constexpr std::size_t kMiB = std::size_t{1} << 20;

class EachCompression : public testing::TestWithParam<Compression> {};

}  // namespace

TEST_P(EachCompression, GivesBackWhatItGot) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB + 17}) {
    const std::string bytes = mixed_bytes(size);
    const Unpacked result = unpacked(GetParam(), packed(GetParam(), bytes));
    EXPECT_TRUE(result.finished) << size << ": " << result.problem;
    EXPECT_TRUE(result.text == bytes) << size;
  }
}

TEST_P(EachCompression, IsTheSameWithThreadsAndInPiecesOfAnySize) {
  const std::string bytes = mixed_bytes(9 * kMiB + 5);
  const std::string alone = packed(GetParam(), bytes);
  for (const std::size_t threads : {1U, 3U}) {
    const auto workers = adapters::system::make_workers(threads);
    EXPECT_TRUE(packed(GetParam(), bytes, *workers, 3 * kMiB) == alone);
    EXPECT_TRUE(packed(GetParam(), bytes, *workers, 4097) == alone);
  }
}

TEST_P(EachCompression, StopsWhenTheNextStageSaysSo) {
  class Full final : public Sink {
   public:
    base::Result<void> write(std::string_view) override { return base::invalid("full"); }
    base::Result<void> finish() override { return base::invalid("full"); }
  } full;
  const auto workers = adapters::system::make_workers(2);
  const auto sink = make_compressor(GetParam(), *workers, full);
  EXPECT_FALSE(push(*sink, mixed_bytes(20 * kMiB), kMiB));
}

TEST_P(EachCompression, EndsAtTheLimit) {
  const Unpacked result = unpacked(GetParam(), packed(GetParam(), std::string(kMiB, '\0')), 999, 1000000);
  EXPECT_FALSE(result.finished);
  EXPECT_NE(result.problem, "");
  EXPECT_LE(result.text.size(), 1000000U);
}

INSTANTIATE_TEST_SUITE_P(Codec, EachCompression,
                         testing::Values(Compression::None, Compression::Gzip, Compression::Zstd),
                         [](const auto& test) { return std::string(name_of(test.param)); });

class EachFormat : public testing::TestWithParam<Compression> {};

TEST_P(EachFormat, NoticesEveryCut) {
  const std::string whole = packed(GetParam(), mixed_bytes(3000));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(unpacked(GetParam(), whole.substr(0, size)).finished) << size;
  }
}

TEST_P(EachFormat, NeverTakesChangedBytesForWhole) {
  const std::string bytes = mixed_bytes(3000);
  const std::string whole = packed(GetParam(), bytes);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    const Unpacked result = unpacked(GetParam(), changed);
    // The header has fields that mean nothing for the content.
    EXPECT_TRUE(!result.finished || result.text == bytes) << at;
  }
}

TEST_P(EachFormat, RefusesWhatStandsBehindTheEnd) {
  EXPECT_FALSE(unpacked(GetParam(), packed(GetParam(), "content") + "and then some").finished);
}

TEST_P(EachFormat, RefusesWhatIsNoneOfIt) {
  EXPECT_FALSE(unpacked(GetParam(), "").finished);
  EXPECT_FALSE(unpacked(GetParam(), mixed_bytes(2000)).finished);
}

INSTANTIATE_TEST_SUITE_P(Codec, EachFormat, testing::Values(Compression::Gzip, Compression::Zstd),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(Gunzip, ReadsWhatGzipItselfWrites) {
  // gzip -9 hello.txt: with the name of the file in it.
  const std::string file =
      from_hex("1f8b0808d319fe6a020368656c6c6f2e74787400cb48cdc9c9d751484a4cce2e2de00200002ecec70e000000");
  EXPECT_EQ(unpacked(Compression::Gzip, file).text, "hello, backup\n");
  EXPECT_EQ(unpacked(Compression::Gzip, file, 1).text, "hello, backup\n");
  const Unpacked twice = unpacked(Compression::Gzip, file + file, 7);
  EXPECT_TRUE(twice.finished) << twice.problem;
  EXPECT_EQ(twice.text, "hello, backup\nhello, backup\n");
}

TEST(Gunzip, ReadsMembersOfAllSizesInAnyOrder) {
  const auto member = [](const std::string& bytes) {
    std::string out(bytes.size() + 1000000, '\0');
    libdeflate_compressor* compressor = libdeflate_alloc_compressor(1);
    out.resize(libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size()));
    libdeflate_free_compressor(compressor);
    return out;
  };
  const std::string small = mixed_bytes(3000);
  const std::string medium = mixed_bytes(kMiB);
  const std::string large = mixed_bytes(3 * kMiB + 7);
  std::string file;
  std::string wanted;
  for (const std::string* each : {&small, &medium, &small, &medium, &large, &small, &medium}) {
    file += member(*each);
    wanted += *each;
  }
  for (const std::size_t piece : {std::size_t{5000}, kMiB, 100 * kMiB}) {
    const Unpacked result = unpacked(Compression::Gzip, file, piece);
    EXPECT_TRUE(result.finished) << result.problem;
    EXPECT_TRUE(result.text == wanted) << piece;
    EXPECT_FALSE(unpacked(Compression::Gzip, file.substr(0, file.size() - 1), piece).finished);
    EXPECT_FALSE(unpacked(Compression::Gzip, file + "x", piece).finished);
  }
  EXPECT_TRUE(unpacked(Compression::Gzip, member("") + member(small)).text == small);
}

TEST(Gunzip, TakesNoChangedByteOfAnyMemberForWhole) {
  const std::string bytes = mixed_bytes(4 * kMiB);
  const std::string whole = packed(Compression::Gzip, bytes);
  for (std::size_t at = 5000; at < whole.size(); at += whole.size() / 20) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    const Unpacked result = unpacked(Compression::Gzip, changed, kMiB / 3);
    EXPECT_TRUE(!result.finished || result.text == bytes) << at;
  }
}

TEST(Compress, KnowsItsNames) {
  EXPECT_EQ(compression_named("zstd"), Compression::Zstd);
  EXPECT_EQ(compression_named("lzma"), std::nullopt);
}

}  // namespace quorate::codec
