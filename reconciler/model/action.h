// What can be done to the world: a closed set, so that the compiler names every place that a new action touches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/standing.h"

namespace quorate::model {

struct Promise {  // keep to one decision (safety.md section 3)
  std::string member;
  std::string decision;                 // digest
  std::optional<Decision> gives_way{};  // kinds restore and recover: the data are renamed, and that is the promise
  friend bool operator==(const Promise&, const Promise&) = default;
};
struct Abandon {  // the seed gives a decision up that it has not begun, then all put back what stood there before
  std::string member;
  std::string decision;
  std::string why;
  friend bool operator==(const Abandon&, const Abandon&) = default;
};
struct Restore {  // on the seed, beside the place, then into it
  std::string member;
  std::string decision;
  friend bool operator==(const Restore&, const Restore&) = default;
};
struct Fetch {  // the backup of a decision to the seed, checked, before anything is stopped
  std::string member;
  std::string decision;
  Decision what{};
  friend bool operator==(const Fetch&, const Fetch&) = default;
};
struct Backup {
  std::string cluster;
  std::string spool{};  // the folder on the node of whoever acts; empty: the store
  friend bool operator==(const Backup&, const Backup&) = default;
};
struct AddMember {  // always as a learner
  std::string member;
  std::vector<std::string> peer_urls;
  std::string version;  // of etcd that it will run; empty: not said
  friend bool operator==(const AddMember&, const AddMember&) = default;
};
struct Promote {
  std::string member;
  base::MemberId id;
  std::vector<std::string> peer_urls;  // what names it while a plan does not know its ID yet
  friend bool operator==(const Promote&, const Promote&) = default;
};
struct Remove {
  std::string member;  // as listed; empty: it never started
  base::MemberId id;
  bool replaces = false;  // it comes back at once: its data do not outlive the restart that is asked for
  friend bool operator==(const Remove&, const Remove&) = default;
};
enum class BootMode { New, Join, Keep };
struct WriteManifest {
  std::string member;
  std::string digest;  // of the bundle
  BootMode boot = BootMode::Keep;
  std::string version;  // of etcd that it brings; empty: the one that runs
  bool fenced = false;  // clients are kept out (model/fence.h)
  friend bool operator==(const WriteManifest&, const WriteManifest&) = default;
};
struct RemoveManifest {
  std::string member;
  friend bool operator==(const RemoveManifest&, const RemoveManifest&) = default;
};
struct MoveLeader {
  std::string from;
  std::string to;
  base::MemberId to_id;  // 0: a member that the plan adds, and that etcd has given no ID yet; its name is `to`
  friend bool operator==(const MoveLeader&, const MoveLeader&) = default;
};
struct UpdatePeerUrls {
  std::string member;
  base::MemberId id;
  std::vector<std::string> peer_urls;
  friend bool operator==(const UpdatePeerUrls&, const UpdatePeerUrls&) = default;
};
struct SetDataAside {
  std::string member;
  friend bool operator==(const SetDataAside&, const SetDataAside&) = default;
};
struct Compact {
  std::string cluster;
  friend bool operator==(const Compact&, const Compact&) = default;
};
struct Defragment {
  std::string member;
  base::MemberId id;
  friend bool operator==(const Defragment&, const Defragment&) = default;
};
struct DisarmAlarm {
  std::string member;
  Alarm alarm;
  friend bool operator==(const DisarmAlarm&, const DisarmAlarm&) = default;
};

struct Verify {  // read a backup as a whole, and compare it with what was recorded
  std::string cluster;
  std::string backup;  // its name
  friend bool operator==(const Verify&, const Verify&) = default;
};
struct Prune {  // remove the backups that the retention does not keep
  std::string cluster;
  friend bool operator==(const Prune&, const Prune&) = default;
};
struct VerifyData {  // all members hold the same: asked once, after the cluster has come back
  std::string cluster;
  friend bool operator==(const VerifyData&, const VerifyData&) = default;
};

using Action =
    std::variant<Promise, Backup, AddMember, Promote, Remove, WriteManifest, RemoveManifest, MoveLeader, UpdatePeerUrls,
                 SetDataAside, Compact, Defragment, DisarmAlarm, Abandon, Restore, Verify, Prune, Fetch, VerifyData>;

std::string_view name_of(const Action& action);  // "add-member"
std::string object_of(const Action& action);     // the member, or the cluster
std::string step_id(const Action& action);       // "remove/etcd-c@fd422379fda50e48": derived, never generated

}  // namespace quorate::model
