// What can be seen only on the node of a member: its data, its files, its process, its certificates, its disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/time.h"
#include "reconciler/model/fact.h"
#include "reconciler/model/run_state.h"
#include "reconciler/model/standing.h"

namespace quorate::model {

enum class DataState {
  Fresh,     // no memory of this cluster, no write-ahead log
  Empty,     // no write-ahead log
  Valid,     // whole but for a torn tail, and the database fits
  Damaged,   // broken where etcd would not repair it
  Foreign,   // of another cluster or member
  Reverted,  // whole, and older than what was there before: it went back in time
};

// A data directory as its files tell it; the numbers are lower bounds of what the member knew.
struct DataDir {
  DataState state = DataState::Empty;
  std::string path;
  std::string problem;           // Damaged, Foreign: what and where
  base::ClusterId cluster;       // 0 where there is no log
  base::MemberId member;         // 0 where there is no log
  std::uint64_t term = 0;        // of the hard state
  std::uint64_t commit = 0;      // of the hard state
  std::uint64_t last_term = 0;   // of the last entry
  std::uint64_t last_index = 0;  // of the last entry
  std::uint64_t snapshot_index = 0;
  bool torn = false;                   // the last record is cut short, as etcd itself repairs
  std::uint64_t consistent_index = 0;  // of the database
  std::int64_t revision = 0;           // of the database
  // A disk that held our data or our log is not there: nobody knows what is on it. Beneath its place may lie what a
  // life before has left.
  bool disk_away = false;
  // What agents alone use, on the node itself.
  std::string filesystem;      // that its place is on
  std::string wal_filesystem;  // that of its log, where that has a place of its own
  bool marked = false;         // the marker in it says the same as its log
  // Whose log was here last, as the agent remembers; 0: nobody's, or no agent speaks. A member ID starts once.
  base::MemberId held;
  friend bool operator==(const DataDir&, const DataDir&) = default;
};

// There is no log to lose, or to be started from.
inline bool holds_nothing(const DataDir& data) {
  return data.state == DataState::Fresh || data.state == DataState::Empty;
}

// The files on a node that make up a member's bundle.
struct Manifest {
  std::string digest;      // of what is there; empty: none of the files is there
  bool keep = false;       // etcd would start on data that are there, and refuse an empty directory
  bool fenced = false;     // its client listener is for our agents alone; the digest does not tell
  std::int64_t quota = 0;  // that the database may have by them; 0: they do not say
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

struct Process {
  bool running = false;
  std::int64_t pid = 0;
  std::string version;  // of the running binary, where it can be told
  friend bool operator==(const Process&, const Process&) = default;
};

struct Certificate {
  std::string path;
  std::string use;  // "client", "peer", "ca"
  std::string subject;
  base::Time not_before{};
  base::Time not_after{};
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

struct Binary {
  std::string path;
  std::string version;
  friend bool operator==(const Binary&, const Binary&) = default;
};

struct DiskSpace {
  std::string path;
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  friend bool operator==(const DiskSpace&, const DiskSpace&) = default;
};

// What can be seen only on the node of a member.
struct NodeFacts {
  std::string member;  // by the name of the desired file, or of the file it was dropped from
  Fact<DataDir> data;
  Fact<Manifest> manifest;
  Fact<Process> process;
  Fact<std::vector<Certificate>> certificates;
  Fact<std::vector<Binary>> binaries;
  Fact<DiskSpace> disk;
  // What agents alone know.
  Fact<std::string> promised;              // the decision that the node keeps to; empty: none
  std::vector<std::string> promised_with;  // its founders, by name
  Fact<std::string> incarnation;  // drawn when its directory was found empty: it tells one life of a disk from another
  Fact<RunState> run;             // how the process fares that its agent keeps
  std::optional<Standing> standing;  // to what is decided without a quorum
  friend bool operator==(const NodeFacts&, const NodeFacts&) = default;
};

}  // namespace quorate::model
