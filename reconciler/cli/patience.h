// Says what is waited for when it takes long.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace quorate::cli {

// After two seconds the line goes to stderr, unless it was over before; an empty line is never said.
class Patience {
 public:
  explicit Patience(std::string line);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace quorate::cli
