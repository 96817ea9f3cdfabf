// Makes a data directory out of a snapshot file, a snapshot file out of what a lost cluster left, and tries one out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::ports {

// A cluster of one member that begins with the data of a snapshot; the others join it later as learners.
struct Seeding {
  std::string snapshot;  // the file: a db with etcd's 32 bytes of SHA-256 behind it
  std::string data_dir;  // must not be there yet; comes into being as a whole or not at all
  std::string wal_dir;   // empty: inside the data directory
  std::string member;    // its name
  std::vector<std::string> peer_urls;
  std::string token;
  std::int64_t bump_revision = 0;  // added to the snapshot's, and everything older is marked compacted; 0: neither
};

struct Survivor {
  std::string data_dir;  // read only: the work is done on a copy
  std::string wal_dir;   // empty: inside the data directory
  std::string work_dir;  // where the copy and the running etcd may be; emptied at the end
  std::string program;   // the etcd that it last ran with
  std::string into;      // the snapshot file; must not be there yet
};

struct Extracted {
  std::uint64_t term = 0;   // of the last entry
  std::uint64_t index = 0;  // of the last entry; everything up to it is in the snapshot
  std::int64_t revision = 0;
  std::uint64_t size = 0;
  std::string sha256;  // of the file, 64 hex digits
};

struct Trial {
  std::string snapshot;
  std::string work_dir;
  std::string program;
  std::int64_t revision = 0;     // at which the hash is taken; 0, or one that was compacted: the newest
  std::function<bool()> ends{};  // asked now and then, from any thread; true: whoever wants it ends. May be empty
};

struct Tried {
  std::int64_t revision = 0;
  std::int64_t keys = 0;              // at that revision, which is the newest
  std::uint32_t hash = 0;             // HashKV at the revision that was asked
  std::int64_t compact_revision = 0;  // 0: never compacted
  std::string version;                // of the etcd that was started
};

class Restorer {
 public:
  Restorer() = default;
  Restorer(const Restorer&) = delete;
  Restorer& operator=(const Restorer&) = delete;
  virtual ~Restorer() = default;

  // Refused: there is no etcdutl that can do it (3.5.10 or later). Asked before anything is stopped.
  virtual base::Result<void> ready(base::Duration within) = 0;
  virtual base::Result<void> seed(const Seeding& seeding, base::Duration within) = 0;
  virtual base::Result<Extracted> extract(const Survivor& survivor, base::Duration within) = 0;
  // Conflict: it was given up, since whoever wanted it ends.
  virtual base::Result<Tried> try_out(const Trial& trial, base::Duration within) = 0;
};

}  // namespace quorate::ports
