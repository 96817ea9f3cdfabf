// Leaves nothing behind, even when the test program itself is killed: a shell that waits for the end of this process,
// then kills whatever names the test's folder.
#pragma once

#include <string>

namespace quorate::e2e {

class Sweeper {
 public:
  explicit Sweeper(const std::string& folder);
  ~Sweeper();  // sweeps, and waits until that is done
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

 private:
  int ours_ = -1;  // the shell reads its other end until it is closed
  int done_ = -1;  // closed at its other end when all is swept
};

}  // namespace quorate::e2e
