// An object of unknown length on its way into a bucket: parts that are sent several at once, in bounded memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "reconciler/adapters/s3/bucket.h"
#include "reconciler/ports/object_store.h"

namespace quorate::s3 {

constexpr std::size_t kPartsAtMost = 10'000;

// 10,000 parts hold half a tebibyte when the first have 8 MiB, and no part of a backup of usual size is larger than
// that.
std::size_t part_size(std::size_t first, std::size_t number);

class Upload final : public ports::ObjectWriter {
 public:
  Upload(Bucket& bucket, std::string name, ports::Overwrite overwrite)
      : bucket_(bucket), name_(std::move(name)), overwrite_(overwrite) {}
  ~Upload() override;
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  base::Result<void> write(std::string_view bytes) override;
  base::Result<void> finish() override;

 private:
  struct Part {
    std::size_t number = 0;  // from 1
    std::string bytes;
  };

  base::Result<void> hand_over();  // the part that is full
  base::Result<void> finish_parts();
  bool start_lanes();  // false: not one thread could be had
  void work();
  void rest();  // the threads are gone
  void fail(base::Error error);
  base::Result<void> problem();

  Bucket& bucket_;
  std::string name_;
  ports::Overwrite overwrite_;
  std::string filling_;
  std::size_t next_part_ = 1;
  std::uint64_t size_ = 0;
  std::optional<Begun> begun_;
  bool over_ = false;

  Stop stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Part> waiting_;
  std::vector<std::string> spare_;  // buffers
  std::size_t sending_ = 0;
  bool no_more_ = false;
  std::vector<std::string> etags_;
  std::optional<base::Error> failed_;
  std::vector<std::thread> threads_;
};

}  // namespace quorate::s3
