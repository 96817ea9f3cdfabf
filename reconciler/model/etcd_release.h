// What releases of etcd do differently, and which of them are known to be bad: the one table of version quirks.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "reconciler/base/version.h"

namespace quorate::model {

// A version without a patch number stands for the oldest release of its minor, and an unknown later minor for the
// newest release known: the first is the careful answer, the second what etcd keeps doing.

// Adding a member, learner or voter, is refused unless the member that is asked has been connected to *all* voters for
// 5 s. Later releases want a quorum of the membership after it.
bool add_needs_all_voters(const base::Version& version);
// MemberUpdate on a learner makes it a voter, started or not.
bool member_update_makes_learner_a_voter(const base::Version& version);
// MemberList can be asked for linearizably; before, it answers from its own memory whatever is asked.
bool can_list_linearizably(const base::Version& version);
// A defragmentation while the member receives a snapshot from the leader can corrupt its database.
bool defragment_beside_snapshot_corrupts(const base::Version& version);
// A learner sends snapshots of its database.
bool learner_sends_snapshots(const base::Version& version);

// Learners that a cluster may have at once, where nobody set --max-learners (3.5 and later; 3.4 has no such flag).
constexpr int kMaxLearners = 1;

// Whether members of these two minors may be in one cluster, the first being replaced by the second: the same one or
// the next. Down never.
bool may_follow(base::Minor from, base::Minor to);
// Whether a member of this release may start the next minor: what old releases kept wrongly of the membership comes
// back there.
bool may_leave_minor(const base::Version& version);

enum class Harm {
  Data,          // acknowledged writes are lost, or members differ, in ordinary use: not deployed
  Membership,    // members come back or lose their role
  Availability,  // members stop
  Security,      // somebody reads or stops what he may not
};

struct KnownBad {
  base::Minor minor;
  int first = 0;  // patch numbers: from this one
  int fixed = 0;  // up to the one before this
  Harm harm = Harm::Data;
  bool loses_data = false;    // harm is Data
  std::string_view reason;    // half a sentence
  std::string_view fixed_in;  // "3.5.5"
  std::string_view issue;     // where it is written up
};

// Every known fault of a release, the gravest first and of those the one fixed last.
std::vector<const KnownBad*> known_faults(const base::Version& version);
// The first of them; null: none is known.
const KnownBad* known_bad(const base::Version& version);
// The first release of its minor without any of the known faults; nothing when it has none.
std::optional<base::Version> first_good(const base::Version& version);

}  // namespace quorate::model
