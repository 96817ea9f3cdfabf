// The log of a survivor, made so that a cluster of it alone keeps every entry that is whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/base/byte_source.h"
#include "reconciler/base/raft_snapshot.h"
#include "reconciler/base/result.h"
#include "reconciler/base/wal.h"

namespace quorate::base {

struct WalSegment {
  std::string name;
  const ByteSource& bytes;
};

// The segment is cut off at the offset, and goes on with these bytes to its end.
struct WalPatch {
  std::string segment;
  std::uint64_t offset = 0;
  std::string bytes;
};

struct WalEdit {
  std::vector<WalPatch> patches;  // in the order of the log; nothing before the first one changes
  WalLog before;
  WalPosition last;           // the last entry that was found; it counts as committed now
  std::uint64_t emptied = 0;  // changes of the members that nobody knows to be committed
  bool promoted = false;      // the survivor was a learner
};

// etcd's --force-new-cluster drops what lies above the commit index of the last hard state, and that index is written
// later than the entries are acknowledged. So the index is raised to the last entry. Changes of the members above the
// old index become empty entries, or the survivor might carry out its own removal; a learner is promoted at the end,
// or it could not vote for itself.
//
// `snapshots`: of the files beside the log. Invalid: the log is damaged, and where. Refused: it is whole, and no
// cluster can begin with it. Other kinds: it could not be read.
Result<WalEdit> commit_all(const std::vector<WalSegment>& segments, const std::vector<RaftSnapshot>& snapshots);

}  // namespace quorate::base
