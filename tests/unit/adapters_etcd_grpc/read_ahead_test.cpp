// A stream that is read ahead: in order, no further than allowed, and over as soon as nobody wants it.
#include "reconciler/adapters/etcd_grpc/read_ahead.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <string>

#include <gtest/gtest.h>

namespace quorate::etcd_grpc {
namespace {

using End = ReadAhead::End;

constexpr std::size_t kPiece = std::size_t{32} << 10;
constexpr base::Duration kPatience = std::chrono::minutes{5};
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
  const auto end = ReadAhead::run([&](std::string& piece) { return source(piece); },
                                  [&](std::string_view piece) {
                                    EXPECT_EQ(piece, std::string(kPiece, static_cast<char>(taken % 251)));
                                    ++taken;
                                    return true;
                                  },
                                  [] { FAIL() << "nobody wants it stopped"; }, kPatience);
  EXPECT_EQ(end, End::All);
  EXPECT_EQ(taken, 1000);
}

TEST(ReadAhead, AnEmptyStreamIsAllOfIt) {
  EXPECT_EQ(
      ReadAhead::run([](std::string&) { return false; }, [](std::string_view) { return false; }, [] {}, kPatience),
      End::All);
}

// The receiver is many times slower than the reader, who would be at the end long before it.
TEST(ReadAhead, KeepsFewMegabytesWhileTheReceiverIsBusy) {
  Numbered source{static_cast<int>(kMuch / kPiece)};
  std::uint64_t taken = 0;
  std::uint64_t most = 0;
  unsigned sum = 0;
  EXPECT_EQ(ReadAhead::run([&](std::string& piece) { return source(piece); },
                           [&](std::string_view piece) {
                             most = std::max(most, source.read - taken);
                             taken += piece.size();
                             for (const char each : piece) sum = sum * 31 + static_cast<unsigned char>(each);
                             return true;
                           },
                           [] {}, kPatience),
            End::All);
  EXPECT_EQ(taken, kMuch) << sum;
  EXPECT_LE(most, std::uint64_t{9} << 20);
}

TEST(ReadAhead, EndsWhenNobodyWantsMore) {
  std::atomic<bool> cancelled{false};
  Numbered source{static_cast<int>(kMuch / kPiece)};
  const auto read = [&](std::string& piece) { return !cancelled && source(piece); };
  int taken = 0;
  EXPECT_EQ(ReadAhead::run(
                read, [&](std::string_view) { return ++taken < 3; }, [&] { cancelled = true; }, kPatience),
            End::Refused);
  EXPECT_EQ(taken, 3);
  EXPECT_LT(source.read, kMuch);
}

TEST(ReadAhead, EndsWhenNothingComesAnyMore) {
  std::promise<void> stopped;
  int pieces = 0;
  const auto read = [&](std::string& piece) {
    piece = "one";
    if (++pieces == 1) return true;
    stopped.get_future().wait();  // as from an etcd whose disk hangs
    return false;
  };
  EXPECT_EQ(ReadAhead::run(
                read, [](std::string_view) { return true; }, [&] { stopped.set_value(); }, base::Duration{20}),
            End::Stalled);
}

}  // namespace quorate::etcd_grpc
