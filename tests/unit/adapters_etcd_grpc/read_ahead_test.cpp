// A stream that is read ahead: in order, no further than allowed, and over as soon as nobody wants it.
#include "reconciler/adapters/etcd_grpc/read_ahead.h"

#include <algorithm>
#include <atomic>
#include <string>

#include <gtest/gtest.h>

namespace quorate::etcd_grpc {
namespace {

constexpr std::size_t kPiece = std::size_t{32} << 10;
constexpr std::uint64_t kMuch = std::uint64_t{64} << 20;

// So many pieces, each full of its number.
struct Numbered {
  int pieces = 0;
  std::atomic<std::uint64_t> read{0};
  bool operator()(std::string& piece) {
    if (static_cast<int>(read / kPiece) == pieces) return false;
    piece.assign(kPiece, static_cast<char>(read / kPiece % 251));
    read += kPiece;
    return true;
  }
};

}  // namespace

TEST(ReadAhead, HandsOverEverythingInOrder) {
  Numbered source{1000};
  int taken = 0;
  const bool all = ReadAhead::run([&](std::string& piece) { return source(piece); },
                                  [&](std::string_view piece) {
                                    EXPECT_EQ(piece, std::string(kPiece, static_cast<char>(taken % 251)));
                                    ++taken;
                                    return true;
                                  },
                                  [] { FAIL() << "nobody wants it stopped"; });
  EXPECT_TRUE(all);
  EXPECT_EQ(taken, 1000);
}

TEST(ReadAhead, AnEmptyStreamIsAllOfIt) {
  EXPECT_TRUE(ReadAhead::run([](std::string&) { return false; }, [](std::string_view) { return false; }, [] {}));
}

// The receiver is many times slower than the reader, who would be at the end long before it.
TEST(ReadAhead, KeepsFewMegabytesWhileTheReceiverIsBusy) {
  Numbered source{static_cast<int>(kMuch / kPiece)};
  std::uint64_t taken = 0;
  std::uint64_t most = 0;
  unsigned sum = 0;
  EXPECT_TRUE(ReadAhead::run([&](std::string& piece) { return source(piece); },
                             [&](std::string_view piece) {
                               most = std::max(most, source.read - taken);
                               taken += piece.size();
                               for (const char each : piece) sum = sum * 31 + static_cast<unsigned char>(each);
                               return true;
                             },
                             [] {}));
  EXPECT_EQ(taken, kMuch) << sum;
  EXPECT_LE(most, std::uint64_t{9} << 20);
}

TEST(ReadAhead, EndsWhenNobodyWantsMore) {
  std::atomic<bool> cancelled{false};
  Numbered source{static_cast<int>(kMuch / kPiece)};
  const auto read = [&](std::string& piece) { return !cancelled && source(piece); };
  int taken = 0;
  EXPECT_FALSE(ReadAhead::run(
      read, [&](std::string_view) { return ++taken < 3; }, [&] { cancelled = true; }));
  EXPECT_EQ(taken, 3);
  EXPECT_LT(source.read, kMuch);
}

}  // namespace quorate::etcd_grpc
