// Ranges of patch numbers by minor, and what is known about them.
#include "reconciler/model/etcd_release.h"

#include <algorithm>
#include <array>

namespace quorate::model {
namespace {

using base::Minor;
using base::Version;

constexpr int kEver = 1'000'000;  // as a patch number: no release of the minor is without it

// The first patch of a minor that does it the new way. Minors below the first row never do, above the last always.
struct Since {
  Minor minor;
  int patch = 0;
};

template <std::size_t kRows>
bool is_since(const Version& version, const std::array<Since, kRows>& rows) {
  if (version.minor < rows.front().minor) return false;
  for (const Since& row : rows) {
    if (row.minor == version.minor) return version.patch.value_or(0) >= row.patch;
  }
  return true;
}

constexpr std::array kAddWithQuorum{Since{{3, 4}, kEver}, Since{{3, 5}, 30}, Since{{3, 6}, 11}};
constexpr std::array kUpdateKeepsLearners{Since{{3, 4}, kEver}, Since{{3, 5}, 31}, Since{{3, 6}, 12}};
constexpr std::array kDefragmentIsSafe{Since{{3, 4}, 38}, Since{{3, 5}, 23}, Since{{3, 6}, 5}};

// etcd-io/etcd#19557, #20967: promotions that were not kept, and members that were removed, turn up again in 3.6.
constexpr std::array kMembershipIsKept{Since{{3, 4}, 0}, Since{{3, 5}, 32}, Since{{3, 6}, 0}};

constexpr KnownBad bad(Minor minor, int first, int fixed, Harm harm, std::string_view reason, std::string_view fixed_in,
                       std::string_view issue) {
  return {minor, first, fixed, harm, harm == Harm::Data, reason, fixed_in, issue};
}

constexpr std::array kKnownBad{
    bad({3, 5}, 0, 3, Harm::Data, "members can differ after a SIGKILL under load", "3.5.3", "etcd-io/etcd#13766"),
    bad({3, 5}, 0, 5, Harm::Data, "members can differ after a crash", "3.5.5", "etcd-io/etcd#14139"),
    bad({3, 5}, 0, 5, Harm::Data, "a cluster of one member can lose an acknowledged write in a crash", "3.5.5",
        "etcd-io/etcd#14370"),
    bad({3, 5}, 0, 6, Harm::Data, "a crash during a defragmentation can make members differ", "3.5.6",
        "etcd-io/etcd#14685"),
    bad({3, 5}, 1, 20, Harm::Membership, "a promoted learner can be a learner again after an upgrade to 3.6", "3.5.20",
        "etcd-io/etcd#19557"),
    bad({3, 5}, 0, 24, Harm::Membership, "the two records of the membership can differ", "3.5.24",
        "etcd-io/etcd#20793"),
    bad({3, 5}, 0, 26, Harm::Membership, "removed members can come back with an upgrade to 3.6", "3.5.26",
        "etcd-io/etcd#20967"),
    bad({3, 5}, 0, 14, Harm::Availability, "a compaction can panic", "3.5.14", "etcd-io/etcd#17780"),
    bad({3, 4}, 0, 44, Harm::Security, "users get past their roles in transactions", "3.4.44", "CVE-2026-44283"),
    bad({3, 5}, 0, 30, Harm::Security, "users get past their roles in transactions", "3.5.30", "CVE-2026-44283"),
    bad({3, 6}, 0, 11, Harm::Security, "users get past their roles in transactions", "3.6.11", "CVE-2026-44283"),
    bad({3, 5}, 0, 33, Harm::Security, "TLS handshakes that never end exhaust the memory", "3.5.33", "CVE-2026-73500"),
    bad({3, 6}, 0, 14, Harm::Security, "TLS handshakes that never end exhaust the memory", "3.6.14", "CVE-2026-73500"),
    bad({3, 7}, 0, 1, Harm::Security, "TLS handshakes that never end exhaust the memory", "3.7.1", "CVE-2026-73500"),
};

}  // namespace

bool add_needs_all_voters(const Version& version) {
  return !is_since(version, kAddWithQuorum);
}

bool member_update_makes_learner_a_voter(const Version& version) {
  return !is_since(version, kUpdateKeepsLearners);
}

bool can_list_linearizably(const Version& version) {
  return version.minor >= Minor{3, 5};
}

bool may_leave_minor(const Version& version) {
  return is_since(version, kMembershipIsKept);
}

bool defragment_beside_snapshot_corrupts(const Version& version) {
  return !is_since(version, kDefragmentIsSafe);
}

bool learner_sends_snapshots(const Version& version) {
  return version.minor >= Minor{3, 5};
}

bool may_follow(Minor from, Minor to) {
  return from.major == to.major && (to.minor == from.minor || to.minor == from.minor + 1);
}

std::vector<const KnownBad*> known_faults(const Version& version) {
  const int patch = version.patch.value_or(0);
  std::vector<const KnownBad*> found;
  for (const KnownBad& row : kKnownBad) {
    if (row.minor == version.minor && row.first <= patch && patch < row.fixed) found.push_back(&row);
  }
  std::stable_sort(found.begin(), found.end(), [](const KnownBad* a, const KnownBad* b) {
    return a->harm != b->harm ? a->harm < b->harm : a->fixed > b->fixed;
  });
  return found;
}

const KnownBad* known_bad(const Version& version) {
  const auto found = known_faults(version);
  return found.empty() ? nullptr : found.front();
}

std::optional<Version> first_good(const Version& version) {
  int patch = -1;
  for (const KnownBad* row : known_faults(version)) patch = std::max(patch, row->fixed);
  if (patch < 0) return std::nullopt;
  return Version{version.minor, patch};
}

}  // namespace quorate::model
