// How a node stands to what is decided without a quorum: the decision it keeps to, those that were given up, and what
// it remembers of the voters. Nothing is formed, restored or recovered unless all asked nodes keep to one decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/model/spooled.h"

namespace quorate::model {

enum class DecisionKind { Restore, Recover };

struct Founder {
  std::string member;
  std::vector<std::string> peer_urls;
  std::string incarnation;  // of its disk
  friend bool operator==(const Founder&, const Founder&) = default;
};

// The one backup that a cluster is restored from.
struct ChosenBackup {
  std::string name;
  std::string sha256;         // of its object; empty: it was not recorded
  std::int64_t revision = 0;  // of its database
  friend bool operator==(const ChosenBackup&, const ChosenBackup&) = default;
};

// One attempt to bring a cluster back, down to the very data that it starts from.
struct Decision {
  std::string id;  // digest of all that follows, and of the cluster's name and token
  DecisionKind kind = DecisionKind::Recover;
  std::int64_t generation = 1;
  int attempt = 1;
  std::string source;  // "8e9e05c52164694d@4.90212": the member or the backup, and the last entry there
  std::optional<ChosenBackup> backup{};  // kind Restore
  bool deliberate = false;               // the cluster ran when people asked for it
  std::string seed;                      // the one node that restores; the others join it
  std::vector<Founder> founders;         // all that promise, the seed among them, by name
  std::vector<base::ClusterId> after;    // the clusters whose place it takes, the latest first
  std::int64_t above = 0;                // the highest revision that anybody has seen
  friend bool operator==(const Decision&, const Decision&) = default;
};

// Of everything that must be the same for all who promise it.
std::string digest_of(const Decision& decision, const std::string& cluster, const std::string& token);
bool is_founder_of(const Decision& decision, const std::string& member);

struct Pledge {
  Decision decision;
  bool given = false;    // the data are out of the way: the directory's name is the promise
  bool started = false;  // by the seed: from then on there is no way back
  int tries = 0;         // of the seed, to restore
  std::string failed;    // why the last of them did not work
  bool agreed = false;   // whoever gave way here was allowed to, by the file or by people: it is asked for once
  friend bool operator==(const Pledge&, const Pledge&) = default;
};

// A source that this node has tried to fetch, and that is no good to it.
struct Unfit {
  std::string source;
  std::string why;
  friend bool operator==(const Unfit&, const Unfit&) = default;
};

struct Abandoned {
  std::string decision;
  std::int64_t generation = 1;
  std::string seed;
  std::string why;
  friend bool operator==(const Abandoned&, const Abandoned&) = default;
};

struct Voter {
  std::string name;
  base::MemberId id;
  std::vector<std::string> peer_urls{};  // where the others look for it
  friend bool operator==(const Voter&, const Voter&) = default;
};

// Who voted when a quorum confirmed it last.
struct Voters {
  base::ClusterId cluster;
  std::int64_t generation = 1;
  std::uint64_t term = 0;
  std::uint64_t index = 0;
  std::vector<Voter> voters;
  friend bool operator==(const Voters&, const Voters&) = default;
};

// The same in a store, for nodes that remember nothing.
struct RecordedVoters {
  std::string name;  // of the cluster
  Voters voters;
  friend bool operator==(const RecordedVoters&, const RecordedVoters&) = default;
};
inline constexpr const char* kClusterObject = "quorate/cluster.json";

// A pass through the fence (model/fence.h): signed for the key that the agent has made and keeps.
struct Pass {
  std::string member;
  std::string key;          // the public one, PEM
  std::string certificate;  // PEM
  friend bool operator==(const Pass&, const Pass&) = default;
};

// The seed's agent keeps the fence of its decision. Nothing of this is secret.
struct Fencing {
  std::string decision;
  std::string authority;  // the certificate of whoever signs, PEM
  std::vector<Pass> passes;
  friend bool operator==(const Fencing&, const Fencing&) = default;
};

struct Standing {
  std::optional<Pledge> pledge;
  std::vector<Abandoned> abandoned;  // by this node as a seed, the latest last
  std::optional<Voters> voters;
  std::string fetched;        // the source that is here, whole and checked; empty: none
  base::Time covered{};       // how far the backups reached when that had been fetched
  std::vector<Unfit> unfit;   // the latest last
  std::string ready;          // the decision that it would promise now
  std::string unready;        // why it promises nothing although it may; empty: nothing is in its way
  std::uint64_t index = 0;    // the highest that its member has seen committed
  std::int64_t revision = 0;  // the highest that its member has seen
  std::string pass_key;       // the public key that it asks a pass for, PEM; empty: it needs none
  std::optional<Fencing> fencing;
  std::optional<Spooled> spooled;  // the latest attempt
  friend bool operator==(const Standing&, const Standing&) = default;
};

inline constexpr std::size_t kMostAbandoned = 8;
inline constexpr std::size_t kMostUnfit = 8;

std::string_view name_of(DecisionKind kind);  // "recover"
bool has_abandoned(const Standing& standing, const std::string& decision);
// What makes this node no seed for these data; null: nothing.
const Unfit* unfit_for(const Standing& standing, const std::string& source);
// A later confirmation replaces an earlier one.
bool is_newer(const Voters& a, const Voters& b);

}  // namespace quorate::model
