// What was read of a log the last time, so that a look at one that grows costs what has grown, and not all of it again.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/base/wal.h"

namespace quorate::adapters::system {

// Thread-safe, and a look that hangs holds no other up. Segments that have one after them are believed to be as they
// were while inode, size and time of change are the same, the last one as far as its last record still stands there;
// where anything else has changed, and ten seconds after all was read, all is read again: what is damaged in place
// shows then.
class LogMemory {
 public:
  using Elapsed = std::function<base::Duration()>;
  LogMemory();
  explicit LogMemory(Elapsed elapsed) : elapsed_(std::move(elapsed)) {}

  // Nothing: a segment was purged since the folder was listed.
  base::Result<std::optional<base::WalLog>> look(const std::string& folder, const std::vector<std::string>& segments);

 private:
  struct Seen {
    std::string name;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t changed = 0;  // nanoseconds
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  struct Known {
    std::string folder;
    std::vector<Seen> segments;
    base::WalReader reader;
    std::string tail;             // the bytes of the last segment before the end of its last record
    base::Duration read_whole{};  // when
  };

  static base::Result<std::optional<Seen>> see(const std::string& folder, const std::string& name);
  bool goes_on(const std::string& folder, const std::vector<Seen>& now) const;
  base::Result<std::optional<base::WalLog>> read_on(Known known, const std::vector<Seen>& now);
  base::Result<std::optional<base::WalLog>> read_all(const std::string& folder, const std::vector<Seen>& now);
  base::Result<std::optional<base::WalLog>> look_again(const std::string& folder,
                                                       const std::vector<std::string>& segments);

  Elapsed elapsed_;
  std::mutex mutex_;
  std::optional<Known> known_;
};

}  // namespace quorate::adapters::system
