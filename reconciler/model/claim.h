// What must hold before a step, and what holds after it: sentences that a fresh observation proves or does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/units.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

enum class MemberState { Up, Down, Absent, Learner, Voter, Started, InSync };

struct MemberIs {
  base::MemberId id;
  std::string name;  // for people
  MemberState state = MemberState::Up;
  friend bool operator==(const MemberIs&, const MemberIs&) = default;
};
struct UrlsAre {  // the member with these peer URLs; used where no ID is known yet
  std::vector<std::string> peer_urls;
  std::string name;
  MemberState state = MemberState::Absent;
  friend bool operator==(const UrlsAre&, const UrlsAre&) = default;
};
struct VotersUp {  // at least this many
  int count = 0;
  friend bool operator==(const VotersUp&, const VotersUp&) = default;
};
struct AllVotersUp {
  friend bool operator==(const AllVotersUp&, const AllVotersUp&) = default;
};
struct NoLearner {
  friend bool operator==(const NoLearner&, const NoLearner&) = default;
};
struct LeaderIsNot {
  base::MemberId id;
  std::string name;
  friend bool operator==(const LeaderIsNot&, const LeaderIsNot&) = default;
};
struct LeaderIs {
  base::MemberId id;  // 0: not given yet, the name counts
  std::string name;
  friend bool operator==(const LeaderIs&, const LeaderIs&) = default;
};
struct DataIs {
  std::string member;
  bool empty = true;  // false: initialised
  friend bool operator==(const DataIs&, const DataIs&) = default;
};
struct ManifestIs {
  std::string member;
  std::string digest;  // empty: none there
  friend bool operator==(const ManifestIs&, const ManifestIs&) = default;
};
struct PeerUrlsAre {
  base::MemberId id;
  std::string name;
  std::vector<std::string> peer_urls;
  friend bool operator==(const PeerUrlsAre&, const PeerUrlsAre&) = default;
};
struct NoAlarm {
  Alarm alarm;
  friend bool operator==(const NoAlarm&, const NoAlarm&) = default;
};
struct Soaked {  // so long since the last change
  base::Duration duration{};
  friend bool operator==(const Soaked&, const Soaked&) = default;
};

// All these nodes are ready to promise a decision, or have done so; or all have done so.
struct KeepTo {
  std::string decision;
  std::vector<std::string> members;
  bool given = false;
  friend bool operator==(const KeepTo&, const KeepTo&) = default;
};

using Claim = std::variant<MemberIs, UrlsAre, VotersUp, AllVotersUp, NoLearner, LeaderIsNot, LeaderIs, DataIs,
                           ManifestIs, PeerUrlsAre, NoAlarm, Soaked, KeepTo>;

// Whether the observation shows it; an Unknown shows nothing.
bool holds(const Claim& claim, const Observed& observed);
std::string_view name_of(MemberState state);

// Entries that a learner may lack and still count as caught up. etcd's own bound is a tenth of the log, which a member
// that hangs passes as well: who lacks more than what two looks at once may differ by has to come closer, too, and to
// have reached by now what the leader had when it was looked at before.
inline constexpr std::uint64_t kPromotionLag = 1000;
inline constexpr std::uint64_t kAsGoodAsNone = 10;
bool is_in_sync(const Observed& observed, const ObservedMember& learner);

}  // namespace quorate::model
