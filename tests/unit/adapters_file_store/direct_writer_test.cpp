// What is written past the cache is what came, whatever the sizes, and also where that cannot be done.
#include "reconciler/adapters/file_store/direct_writer.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace quorate::file_store {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string bytes_of(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 7;
  for (char& each : text) {
    state = state * 1664525 + 1013904223;
    each = static_cast<char>(state >> 24);
  }
  return text;
}

std::string written(const std::string& path, const std::string& text, std::size_t piece) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  EXPECT_GE(file, 0);
  DirectWriter writer(file);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    EXPECT_EQ(writer.write(std::string_view(text).substr(at, piece)), 0);
  }
  EXPECT_EQ(writer.finish(), 0);
  ::close(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST(DirectWriter, WritesWhatComesWhateverItsSize) {
  const tests::TempFolder folder;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, 4 * kMiB - 1, 4 * kMiB, 4 * kMiB + 1, 9 * kMiB + 4096}) {
    const std::string text = bytes_of(size);
    for (const std::size_t piece : {std::size_t{32768}, std::size_t{999'983}, 5 * kMiB}) {
      EXPECT_TRUE(written(folder / "file", text, piece) == text) << size << " bytes in pieces of " << piece;
    }
  }
}

TEST(DirectWriter, DoesItInTheOrdinaryWayWhereAFileSystemKnowsNoOther) {
  // In memory: some kernels refuse to go past the cache there.
  const std::string path = "/dev/shm/quorate-direct-writer." + std::to_string(::getpid());
  const std::string text = bytes_of(9 * kMiB + 5);
  EXPECT_TRUE(written(path, text, 100'000) == text);
  std::filesystem::remove(path);
}

TEST(DirectWriter, SaysWhyItCannot) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  DirectWriter writer(full);
  EXPECT_EQ(writer.write("not much"), 0) << "it is kept until there is more";
  EXPECT_EQ(writer.finish(), ENOSPC);
  ::close(full);
}

}  // namespace quorate::file_store
