// etcd's snapshot files (.snap): which point of the log they stand for, and who was in the cluster then.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"

namespace quorate::base {

struct RaftSnapshot {
  std::uint64_t term = 0;
  std::uint64_t index = 0;
  std::vector<MemberId> voters;
  std::vector<MemberId> learners;
};

struct SnapshotName {
  std::uint64_t term = 0;
  std::uint64_t index = 0;
};
std::optional<SnapshotName> parse_snapshot_name(std::string_view file_name);  // "<term>-<index>.snap"

// Invalid: the bytes are not a whole snapshot, and why.
Result<RaftSnapshot> read_raft_snapshot(std::string_view bytes);

}  // namespace quorate::base
