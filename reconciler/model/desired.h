// What a cluster should be: a valid desired file with every default filled in and every derived value worked out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/net.h"
#include "reconciler/base/units.h"
#include "reconciler/base/version.h"
#include "reconciler/model/backup_policy.h"
#include "reconciler/model/policy.h"
#include "reconciler/model/runtime.h"

namespace quorate::model {

enum class TlsMode { Mutual, Server, Off };
enum class StorageKind { Disk, Ephemeral, Memory };
enum class CompactionMode { Periodic, Revision };

struct Member {
  // A person says that this member is gone for good: its ID, or nothing when it never had one ("never").
  struct Lost {
    std::optional<base::MemberId> id;
  };

  std::string name;
  std::string node;  // where it runs; the member's name unless the file says otherwise
  std::string zone;  // empty: not said
  std::string address;
  std::vector<base::Url> peer_urls;    // advertised
  std::vector<base::Url> client_urls;  // advertised
  std::vector<base::Url> listen_peer;
  std::vector<base::Url> listen_client;
  std::vector<base::Url> listen_metrics;  // empty: no listener of its own
  std::string data_dir;                   // absolute, exact
  std::string wal_dir;                    // absolute, exact; empty: inside data_dir
  std::uint16_t agent_port = 7381;        // of its agent, on its address, for the other agents
  bool managed = true;                    // false: a voter that no agent starts or stops
  bool retire = false;                    // to be removed; no voter of the cluster that is wanted
  std::optional<Lost> lost;
  int line = 0;  // of the file, where it is listed; 0: derived from size
};

// One of those that form the cluster where there is none. Who is said to be gone joins later, as a learner.
inline bool is_founder(const Member& member) {
  return !member.retire && !member.lost;
}

struct AutoCompaction {
  CompactionMode mode = CompactionMode::Periodic;
  base::Duration period{};     // Periodic
  std::int64_t revisions = 0;  // Revision
};

// An empty optional means: etcd's own default, and nothing is rendered.
struct Etcd {
  std::optional<base::Version> version;
  std::string image;   // runtimes static-pod and kubernetes: with its tag or digest
  std::string binary;  // runtimes process and systemd
  std::string token;   // prefix of every derived initial-cluster-token
  std::optional<base::Size> quota;
  std::optional<base::Duration> heartbeat;
  std::optional<base::Duration> election;
  std::optional<AutoCompaction> auto_compaction;
  std::optional<std::int64_t> snapshot_count;
  std::optional<std::string> log_level;
  std::optional<std::string> metrics;
  std::map<std::string, std::vector<std::string>> flags;  // by etcd's name without dashes in front
};

struct TlsFiles {
  std::string cert;
  std::string key;
  std::string ca;
};

// Absolute paths; empty when the mode is Off. In mode Server clients need no certificate, members still do. Those of
// the agent are there in every mode once the file names them.
struct Tls {
  TlsMode mode = TlsMode::Mutual;
  TlsFiles client;  // what members show to clients, and the CA that clients are checked against
  TlsFiles peer;    // what members show to each other
  TlsFiles agent;   // what agents show to each other; all empty: agents are known by their addresses alone
  std::string dir;
};

struct Desired {
  std::string name;
  std::string description;
  std::vector<std::string> owners;
  StringMap labels;
  std::vector<Member> members;  // by name
  Etcd etcd;
  Tls tls;
  StorageKind storage = StorageKind::Disk;
  base::Duration keep_old_data{604800000};  // what was set aside, until it is deleted
  Runtime runtime;
  base::Duration settle{120000};       // how long a started member may take until it answers
  base::Duration stop_timeout{30000};  // between asking a member to stop and killing it
  std::int64_t generation = 1;
  std::vector<base::MemberId> lost;  // voters no longer listed that are gone for good
  IfNoCluster if_no_cluster = IfNoCluster::Wait;
  base::Duration restore_max_age{};            // an older backup is not restored unasked; 0: any age
  std::int64_t bump_revision = 1'000'000'000;  // revisions that a restored cluster skips
  Recovery recovery;
  Reconcile reconcile;
  Protect protect;
  Rollout rollout;
  std::vector<Approval> approvals;
  std::optional<Paused> paused;
  std::optional<Adopt> adopt;
  Drift drift;
  std::optional<BackupPolicy> backup;  // nothing: no store is named
  std::string file;                    // as it was named
  std::map<std::string, int> lines;    // "etcd.version" -> line, of every field that the file wrote; members.<name> too
};

}  // namespace quorate::model
