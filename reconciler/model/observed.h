// What the world looked like at one moment: membership, members, nodes. Every fact says when it was seen, or why not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/time.h"
#include "reconciler/base/units.h"
#include "reconciler/model/announced.h"
#include "reconciler/model/backups_seen.h"
#include "reconciler/model/data_check.h"
#include "reconciler/model/fact.h"
#include "reconciler/model/node_facts.h"
#include "reconciler/model/policy.h"
#include "reconciler/model/restorable.h"

namespace quorate::model {

// One row of etcd's member list.
struct ListedMember {
  base::MemberId id;
  std::string name;  // empty: it has never started
  std::vector<std::string> peer_urls;
  std::vector<std::string> client_urls;
  bool learner = false;
  bool planned = false;  // added by a step that is only projected: etcd has not given it an ID yet; never observed
  friend bool operator==(const ListedMember&, const ListedMember&) = default;
};

// What one member says of itself.
struct MemberStatus {
  std::string version;    // "3.5.21"
  base::MemberId leader;  // 0: it knows none
  std::uint64_t raft_term = 0;
  std::uint64_t raft_index = 0;    // last entry it has
  std::uint64_t raft_applied = 0;  // last entry it applied
  std::int64_t revision = 0;
  std::int64_t db_size = 0;         // bytes
  std::int64_t db_size_in_use = 0;  // bytes
  std::vector<std::string> errors;  // etcd's own words
  base::Duration latency{};         // of the answer
  friend bool operator==(const MemberStatus&, const MemberStatus&) = default;
};

enum class AlarmKind { NoSpace, Corrupt };

struct Alarm {
  base::MemberId member;
  AlarmKind kind = AlarmKind::NoSpace;
  friend auto operator<=>(const Alarm&, const Alarm&) = default;
};

struct ObservedMember {
  ListedMember listed;
  Fact<MemberStatus> status;      // Unknown: it did not answer, and why
  Fact<base::Duration> serves;    // how long a linearizable read through it took; Unknown: none came back
  Fact<base::Time> silent_since;  // since when no agent has seen it, by the rule of safety.md "Dead"; agents alone know
  // The last entry of the leader when it was looked at before; in no document, since only who looks again can tell.
  std::optional<std::uint64_t> led_at{};
  friend bool operator==(const ObservedMember&, const ObservedMember&) = default;
};

// A member list that a majority of the voters named in it stands behind.
struct Membership {
  base::ClusterId cluster;
  bool linearizable = false;            // false: the cluster has no quorum, or its version cannot say
  std::vector<ObservedMember> members;  // by ID
  friend bool operator==(const Membership&, const Membership&) = default;
};

// One address that was asked, and who answered there.
struct EndpointAnswer {
  std::string endpoint;
  Fact<base::ClusterId> cluster;
  Fact<base::MemberId> member;
  friend bool operator==(const EndpointAnswer&, const EndpointAnswer&) = default;
};

// The desired file that was carried out last: what it listed was ours, so that what left the file since can go.
struct Applied {
  std::string digest;
  std::vector<std::string> members;
  base::ClusterId cluster{};         // that it was carried out on; 0: not recorded
  std::optional<Protect> protect{};  // its own, which judges the next one; nothing: not recorded
  friend bool operator==(const Applied&, const Applied&) = default;
};

// That a cluster has come into being: written by whoever saw it first with a quorum, and never taken back.
struct Formed {
  base::ClusterId cluster;
  std::string decision;  // that its founders had promised
  std::int64_t generation = 1;
  std::vector<std::string> members;      // names of its voters then
  std::vector<base::ClusterId> after{};  // the clusters whose place it has taken, the latest first
  friend bool operator==(const Formed&, const Formed&) = default;
};

// Its data come from that cluster, which must not run beside it.
bool has_replaced(const Formed& formed, base::ClusterId cluster);

struct Observed {
  base::Time at{};  // when the look ended
  std::string by;   // who looked: "quorate observe on node-1"
  Fact<Membership> membership;
  std::vector<EndpointAnswer> endpoints;  // in the order they were asked
  Fact<std::vector<Alarm>> alarms;
  std::vector<NodeFacts> nodes;         // by member
  Fact<std::int64_t> compact_revision;  // older revisions are gone; looked at only while a NOSPACE alarm stands
  Fact<base::Time> last_backup;         // until when the newest backup in the store has everything
  Fact<BackupsSeen> backups;            // agents alone know
  std::optional<BackupTrouble> backup_trouble;
  std::optional<base::Time> backup_awaited;  // since when no backup is known that the file asks for; agents alone know
  Fact<std::vector<Restorable>> restorable;  // looked at by agents while no cluster answers
  std::optional<RestoreOrder> ordered;       // that is still to be carried out; agents alone know
  std::optional<Voters> store_voters;        // as the store records them for this cluster; looked at with it
  Fact<Formed> formed;
  Fact<Applied> applied;
  Fact<Announced> announced;
  std::optional<DataCheck> data_check;             // agents alone know; nothing: nobody has compared them
  Fact<base::Time> last_change;                    // when the latest step of class change or upgrade ended
  Fact<std::vector<base::Time>> heals_of_the_day;  // of the last 24 hours
  friend bool operator==(const Observed&, const Observed&) = default;
};

const NodeFacts* node_of(const Observed& observed, const std::string& member);
NodeFacts* node_of(Observed& observed, const std::string& member);
const ObservedMember* member_of(const Observed& observed, base::MemberId id);
ObservedMember* member_of(Observed& observed, base::MemberId id);

// It answered, and a linearizable read through it came back; for a learner its answer is enough.
bool is_up(const ObservedMember& member);
// The member that the voters that are up agree on; 0: none, or they do not agree.
base::MemberId leader_of(const Observed& observed);
// Where voters listen that answer reads; this member's own address before the others.
std::vector<std::string> serving_endpoints(const Observed& observed, const std::string& first = "");
// That one, else another, while there is a quorum; empty: there is none.
std::string serving_endpoint(const Observed& observed, const std::string& first = "");

}  // namespace quorate::model
