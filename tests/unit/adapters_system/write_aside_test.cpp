// Bytes that are written beside their stream: all of them, in order, and the first error ends it.
#include "reconciler/adapters/system/write_aside.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "tests/unit/codec/collect.h"

namespace quorate::adapters::system {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// What a sink on the far side has seen; outlives it.
struct Seen {
  std::string text;
  int writes = 0;
  int fails_at = 0;  // the number of a write; 0: none does
  bool fails_to_finish = false;
  bool finished = false;
  bool gone = false;
};

class Far final : public codec::Sink {
 public:
  explicit Far(Seen& seen) : seen_(seen) {}
  ~Far() override { seen_.gone = true; }

  base::Result<void> write(std::string_view bytes) override {
    ++seen_.writes;
    if (seen_.writes == seen_.fails_at) return base::invalid("the disk is full");
    seen_.text += bytes;
    return {};
  }
  base::Result<void> finish() override {
    if (seen_.fails_to_finish) return base::invalid("the disk has gone");
    seen_.finished = true;
    return {};
  }

 private:
  Seen& seen_;
};

// Writes nothing until it may.
class Slow final : public codec::Sink {
 public:
  struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    bool open = false;
    std::atomic<std::size_t> bytes{0};  // that came

    void let_go() {
      {
        const std::lock_guard lock(mutex);
        open = true;
      }
      opened.notify_all();
    }
  };
  explicit Slow(Gate& gate) : gate_(gate) {}

  base::Result<void> write(std::string_view bytes) override {
    gate_.bytes += bytes.size();
    std::unique_lock lock(gate_.mutex);
    gate_.opened.wait(lock, [this] { return gate_.open; });
    return {};
  }
  base::Result<void> finish() override { return {}; }

 private:
  Gate& gate_;
};

// Until it says no; how many of them were taken.
std::size_t write_many(codec::Sink& sink, std::size_t most) {
  const std::string piece(kMiB, 'x');
  for (std::size_t count = 0; count < most; ++count) {
    if (!sink.write(piece)) return count;
  }
  return most;
}

}  // namespace

TEST(WriteAside, TheBytesArriveInOrderWhateverTheirPieces) {
  const std::string whole = tests::mixed_bytes(11 * kMiB + 123);
  for (const std::size_t piece : {std::size_t{70000}, kMiB, 3 * kMiB}) {
    Seen seen;
    const auto aside = write_aside(std::make_unique<Far>(seen));
    ASSERT_TRUE(tests::push(*aside, whole, piece));
    EXPECT_TRUE(seen.text == whole);
    EXPECT_TRUE(seen.finished);
  }
}

TEST(WriteAside, NothingAtAllIsFinishedToo) {
  Seen seen;
  ASSERT_TRUE(write_aside(std::make_unique<Far>(seen))->finish());
  EXPECT_TRUE(seen.finished);
  EXPECT_EQ(seen.writes, 0);
}

TEST(WriteAside, AnErrorOfTheDiskComesBackFromALaterWrite) {
  Seen seen;
  seen.fails_at = 2;
  const auto aside = write_aside(std::make_unique<Far>(seen));
  const std::size_t taken = write_many(*aside, 100);
  EXPECT_LT(taken, 10U);
  const auto again = aside->write(std::string(kMiB, 'x'));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "the disk is full");
}

TEST(WriteAside, AnErrorThatNoWriteToldComesBackFromFinish) {
  Seen seen;
  seen.fails_at = 1;
  const auto aside = write_aside(std::make_unique<Far>(seen));
  const auto done = tests::push(*aside, "little");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the disk is full");
}

TEST(WriteAside, AfterAnErrorNothingIsWrittenOrFinished) {
  Seen seen;
  seen.fails_at = 2;
  {
    const auto aside = write_aside(std::make_unique<Far>(seen));
    write_many(*aside, 100);
    EXPECT_FALSE(aside->finish());
  }
  EXPECT_EQ(seen.writes, 2);
  EXPECT_LE(seen.text.size(), kMiB);
  EXPECT_FALSE(seen.finished);
}

TEST(WriteAside, WhatFailsAtTheEndFails) {
  Seen seen;
  seen.fails_to_finish = true;
  const auto done = tests::push(*write_aside(std::make_unique<Far>(seen)), "little");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the disk has gone");
}

TEST(WriteAside, WhatIsGivenUpIsNotFinished) {
  Seen seen;
  {
    const auto aside = write_aside(std::make_unique<Far>(seen));
    EXPECT_EQ(write_many(*aside, 20), 20U);
  }
  EXPECT_FALSE(seen.finished);
  EXPECT_TRUE(seen.gone);
}

// The disk takes nothing: whoever writes waits after a few batches, and can be let go.
TEST(WriteAside, FewMegabytesWaitForASlowDisk) {
  Slow::Gate gate;
  std::atomic<std::size_t> taken{0};
  const auto aside = write_aside(std::make_unique<Slow>(gate));
  std::thread writer([&] {
    const std::string piece(kMiB, 'x');
    for (int count = 0; count < 50; ++count) {
      if (!aside->write(piece)) return;
      ++taken;
    }
  });
  while (gate.bytes == 0 || taken < 4) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(taken, 4U);
  gate.let_go();
  writer.join();
  EXPECT_EQ(taken, 50U);
  EXPECT_TRUE(aside->finish());
  EXPECT_EQ(gate.bytes, 50 * kMiB);
}

}  // namespace quorate::adapters::system
