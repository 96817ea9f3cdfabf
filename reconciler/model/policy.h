// What a desired file says about changing the cluster: what may be done unasked, how fast, when not, and what is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/net.h"
#include "reconciler/base/time.h"
#include "reconciler/base/units.h"
#include "reconciler/model/step_class.h"

namespace quorate::model {

enum class IfNoCluster { Wait, Restore, New, RestoreOrNew };
enum class SelfHeal { Off, Safe, All };
enum class ApplyMode { Auto, Manual };
enum class RolloutOrder { LeaderLast, Name };
enum class AdoptStage { Observe, Join, Retire, Done };

struct Reconcile {
  ApplyMode apply = ApplyMode::Auto;  // Manual: only what a person asked for
  SelfHeal self_heal = SelfHeal::Safe;
  base::Duration every{60000};         // the pass that nothing asked for
  base::Duration health_every{10000};  // the look at the members alone
  base::Duration dead_after{300000};
  int max_heals_per_day = 3;
};

struct Protect {
  int min_voters = 1;    // 1 says nothing: the last voter is never removed anyway
  int max_removals = 1;  // in one plan
  std::vector<StepClass> approve{StepClass::Destructive, StepClass::Restore};
  friend bool operator==(const Protect&, const Protect&) = default;
};

struct Rollout {
  RolloutOrder order = RolloutOrder::LeaderLast;
  base::Duration soak{60000};
};

// Somebody agrees to one step of one cluster, until a time. It can fit no other member: the step names its ID.
struct Approval {
  std::string step;  // its ID, as "remove/etcd-c@fd422379fda50e48"
  base::ClusterId cluster;
  std::string by;  // empty: the file does not say
  base::Time until{};
};

// That a pause is at most seven days long is for those to say who know what time it is.
struct Paused {
  std::string reason;
  base::Time until{};
  std::vector<std::string> members;  // empty: everything
  friend bool operator==(const Paused&, const Paused&) = default;
};

// Two pauses hold together: each for what it stops, until the last of them ends. One that is over stops nothing.
std::optional<Paused> both(const std::optional<Paused>& a, const std::optional<Paused>& b, base::Time now);
// A pause without a near end is a switch that somebody forgot, and counts as over.
bool is_in_force(const Paused& paused, base::Time now);
bool is_paused(const std::optional<Paused>& paused, std::string_view member, base::Time now);

// What may be done when the quorum is lost for good.
enum class QuorumLoss { Ask, Auto };
// When clients are let in to a cluster that has come back.
enum class OpenWhen { Majority, First };
struct Recovery {
  std::string restore;   // the backup that the cluster is restored from, or "latest"; empty: none is named
  std::string from;      // the store that `restore` is in, which is only read; empty: the cluster's own
  std::string survivor;  // the member whose data the cluster goes on with; empty: none is named
  QuorumLoss quorum_loss = QuorumLoss::Ask;
  OpenWhen open_when = OpenWhen::Majority;
  std::optional<std::int64_t> abandon;  // voters recorded up to this generation and no longer listed are gone for good
};

struct Adopt {
  base::ClusterId cluster;
  std::vector<base::Url> endpoints;
  AdoptStage stage = AdoptStage::Observe;
};

struct IgnoredDrift {
  std::string path;  // of a field, as "etcd.quota" or "members.etcd-a.zone"
  std::string reason;
  std::optional<base::Time> until;
};

struct Drift {
  base::Duration delay{120000};  // before a difference is reported
  std::vector<IgnoredDrift> ignore;
};

}  // namespace quorate::model
