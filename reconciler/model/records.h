// What agents keep in etcd itself, under one reserved prefix: who holds the lock, which file is in force, what has been
// announced, what people have said. Every record names its cluster; one of another cluster is void.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/model/observed.h"
#include "reconciler/model/policy.h"

namespace quorate::model {

struct Desired;

inline constexpr std::string_view kReserved = "/quorate/";
inline constexpr std::string_view kLockKey = "/quorate/lock";
inline constexpr std::string_view kInForceKey = "/quorate/in-force";
inline constexpr std::string_view kFormedKey = "/quorate/formed";
inline constexpr std::string_view kAppliedKey = "/quorate/applied";
inline constexpr std::string_view kDoingKey = "/quorate/doing";
inline constexpr std::string_view kHealsKey = "/quorate/heals";
inline constexpr std::string_view kLastChangeKey = "/quorate/last-change";
inline constexpr std::string_view kPauseKey = "/quorate/pause";
inline constexpr std::string_view kStoreKey = "/quorate/store";           // what is in it
inline constexpr std::string_view kStoreLockKey = "/quorate/store-lock";  // who works on it
inline constexpr std::string_view kDataCheckKey = "/quorate/data-check";
std::string condemned_key(base::MemberId member);
std::string adding_key(const std::vector<std::string>& peer_urls);
std::string updating_key(base::MemberId member);
std::string allowed_key(const std::string& what, bool denied);  // a step's or a plan's ID

// The digest of the desired file that a majority of the voters' agents hold; it only moves on.
struct InForce {
  std::string digest;
  std::int64_t counter = 0;
  std::int64_t mod_revision = 0;  // of the key: what a transaction compares; 0: there is none
};

// That a person said yes: to a step that waits for one, or to all steps of a plan.
struct Allowed {
  std::string what;                // ID of the step, or of the plan
  std::vector<std::string> steps;  // of the plan
  std::string by;
  base::Time until{};
  std::string reason;
  bool denied = false;
  std::string desired_digest;  // of the file that asked for it: a yes holds for no other
  base::ClusterId cluster;     // 0: there was none
};

// As it stands in Allowed::what.
std::string restore_order_text(const RestoreOrder& order);  // "restore-order/2026-09-24T13:30:00Z-r48120331-m1@2"
std::optional<RestoreOrder> parse_restore_order(std::string_view what);
// As if the file said so.
void obey(const RestoreOrder& order, Desired& desired);

struct Records {
  InForce in_force;
  std::string lock_owner;  // empty: nobody holds it
  std::optional<Formed> formed;
  std::optional<Applied> applied;
  Announced announced;
  std::vector<base::Time> heals;
  std::optional<base::Time> last_change;
  std::optional<Paused> paused;
  std::optional<DataCheck> data_check;
  StoreRecord store;
  std::vector<Allowed> allowed;
  std::vector<std::pair<std::string, std::int64_t>> void_keys;  // of another cluster, and their mod revisions
  std::vector<std::string> problems;                            // records that could not be read: key and why
};

struct Record {  // a key and its value, as etcd has them
  std::string key;
  std::string value;
  std::int64_t mod_revision = 0;
};

Records read_records(const std::vector<Record>& records, base::ClusterId cluster);

std::string in_force_value(base::ClusterId cluster, const InForce& in_force);
std::string formed_value(base::ClusterId cluster, const Formed& formed);
std::string applied_value(base::ClusterId cluster, const Applied& applied);
std::string heals_value(base::ClusterId cluster, const std::vector<base::Time>& heals);
std::string time_value(base::ClusterId cluster, base::Time at);
std::string condemned_value(base::ClusterId cluster, base::MemberId member);
std::string urls_value(base::ClusterId cluster, const std::vector<std::string>& peer_urls);
std::string updating_value(base::ClusterId cluster, base::MemberId member, const std::vector<std::string>& peer_urls);
std::string note_value(base::ClusterId cluster, const std::string& text);
std::string store_value(base::ClusterId cluster, const StoreRecord& store);
std::string data_check_value(base::ClusterId cluster, const DataCheck& check);
std::string paused_value(base::ClusterId cluster, const Paused& paused);
std::string allowed_value(base::ClusterId cluster, const Allowed& allowed);

}  // namespace quorate::model
