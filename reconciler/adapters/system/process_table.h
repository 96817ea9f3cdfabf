// Which process is the etcd of a member, as /proc tells it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "reconciler/base/result.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"

namespace quorate::adapters::system {

// Of one machine; from any thread.
class ProcessTable {
 public:
  explicit ProcessTable(std::string proc) : proc_(std::move(proc)) {}  // "/proc", but in tests

  // An etcd belongs to the member when its data directory is the member's; where it does not say one, when its name
  // is. An error when a process that we may not look at could be it: not seen is not absent.
  base::Result<model::Process> find(const model::Member& member);

 private:
  const std::string proc_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t> last_;  // by member: where it was found; 0: nowhere
};

}  // namespace quorate::adapters::system
