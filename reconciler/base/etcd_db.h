// What etcd's database says about itself: how far it is, who its members are. A lower bound of what the member knew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/byte_source.h"
#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"

namespace quorate::base {

struct DbMember {
  MemberId id;
  std::string name;  // empty: it has never started
  std::vector<std::string> peer_urls;
  bool learner = false;
};

struct EtcdDb {
  std::uint64_t transaction = 0;       // of the database
  std::uint64_t consistent_index = 0;  // the last entry of the log that is in it; 0: none yet
  std::uint64_t term = 0;              // of that entry; 0 before 3.5
  std::int64_t revision = 0;           // of the last key that was written; 1 in an empty store, as etcd counts
  std::vector<DbMember> members;       // by ID
  std::vector<MemberId> removed;
  std::string cluster_version;  // "3.5.0"; empty: not decided yet
  std::string storage_version;  // from 3.6 on
  bool auth = false;
};

// Invalid: the file is broken, and where. Conflict: it was written to meanwhile; read again. Other kinds: it could
// not be read.
Result<EtcdDb> read_etcd_db(const ByteSource& bytes);

}  // namespace quorate::base
