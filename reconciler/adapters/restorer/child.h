// A program that runs for us and never longer than we do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/adapters/restorer/deadline.h"
#include "reconciler/adapters/restorer/descriptor.h"
#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::adapters::restorer {

// In a session of its own; it and what it started are killed when the owner goes, and the kernel kills it when we end,
// however that comes about. Nothing to read, both outputs to the log file, nothing of ours open, and of our
// environment nothing that etcd reads itself (ETCD_*).
class Child {
 public:
  // argv[0] is a path. The thread that calls must be there as long as the child: the kernel watches that thread.
  static base::Result<Child> start(const std::vector<std::string>& argv, const std::string& log);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  // Its exit code, 128 + the signal that ended it; nothing: it still runs.
  std::optional<int> wait(base::Duration within);
  std::optional<int> wait(const Deadline& deadline);  // and hears when it is taken back
  void ask_to_end();
  void kill();          // when it returns nothing of it is left
  void strike() const;  // the same without a wait; from any thread, while nobody waits

  // The end of what it wrote: lines as they are, at most so many.
  std::string last_words(int lines) const;
  std::string output() const;  // the last 64 KiB of it

 private:
  Child() = default;

  int pid_ = -1;  // -1: moved away
  std::optional<int> status_;
  std::string log_;
  Descriptor process_;  // a pidfd
};

// By a signal, or for want of memory: that says nothing of what it was given to read. Nothing: it ended by itself.
std::optional<base::Error> was_killed(const Child& child, int status, const std::string& doing);

}  // namespace quorate::adapters::restorer
