// The file that a member's etcd writes its output to: read as it grows, and kept small.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "reconciler/adapters/runtimes/process/descriptor.h"
#include "reconciler/base/result.h"

namespace quorate::adapters::process {

// A file and no pipe: etcd goes on when its reader dies, and nothing that it said meanwhile is lost.
class MemberLog {
 public:
  using Sink = std::function<void(std::string_view line)>;

  explicit MemberLog(std::string path) : path_(std::move(path)) {}

  // For a new process: makes the file, and says from where on its output stands there.
  base::Result<std::uint64_t> begin();
  // For a process that was started earlier: what it has written so far counts as read.
  void resume(std::uint64_t from);
  const Descriptor& file() const { return file_; }

  // Readable after the file has grown; -1 where the system gives us none.
  int growth() const { return growth_.number(); }
  // Hands on the lines that are new. True: there is more already.
  bool read_on(const Sink& sink);
  // Hands on the rest, also a last line without an end.
  void read_to_end(const Sink& sink);
  // The end of what this process wrote.
  const std::string& recent() const { return recent_; }
  // The process may not have been able to write: nothing is left on that disk.
  bool disk_is_full() const;

 private:
  bool open();
  void watch_growth();
  std::uint64_t size() const;
  void take(std::string_view bytes, const Sink& sink);
  void make_room(const Sink& sink);

  std::string path_;
  Descriptor file_;  // O_APPEND, and etcd's too: cutting the file off makes both go on at its start
  Descriptor growth_;
  std::uint64_t offset_ = 0;
  std::string line_;
  std::string recent_;
};

}  // namespace quorate::adapters::process
