// Writes a large file past the cache of the system: it is read by nobody soon, and in the cache it would only be where
// the pages of etcd were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace quorate::file_store {

// From the beginning of an open, empty file, which somebody else keeps and closes. What it gives is 0, or an errno.
class DirectWriter {
 public:
  explicit DirectWriter(int file) : file_(file) {}

  int write(std::string_view bytes);
  int finish();  // the rest, and all of it to the disk

 private:
  int put(std::string_view bytes);
  void past_the_cache(bool wanted);
  void send_to_disk();

  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  const int file_;
  std::unique_ptr<char, Free> held_;  // what is not a whole piece yet; aligned as a disk wants it
  std::size_t held_size_ = 0;
  bool direct_ = false;
  std::uint64_t written_ = 0;
  std::uint64_t on_its_way_ = 0;  // of what the cache holds
};

}  // namespace quorate::file_store
