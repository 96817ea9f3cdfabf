// Each record is a small JSON document of its own, so that one that cannot be read spoils no other.
#include "reconciler/model/records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "reconciler/base/digest.h"
#include "reconciler/model/backups_seen_json.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/node_json.h"

namespace quorate::model {
namespace {

using base::Json;

constexpr std::string_view kRestoreOrder = "restore-order/";
constexpr std::size_t kMostBytes = std::size_t{256} << 10;

std::string id_digits(base::MemberId member) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(member.value));
  return digits.data();
}

Json record_of(base::ClusterId cluster) {
  return {{"cluster", base::to_string(cluster)}};
}

std::string text_of(const Json& record) {
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool starts_with(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

Allowed read_allowed(const JsonPlace& place) {
  Allowed allowed;
  allowed.what = place.at("what").text();
  allowed.steps = place.at("steps").texts();
  allowed.by = place.at("by").text();
  allowed.until = place.at("until").time();
  allowed.reason = place.at("reason").text();
  allowed.denied = place.at("denied").truth();
  allowed.desired_digest = place.at("desired_digest").text();
  allowed.cluster.value = place.at("cluster").id();
  return allowed;
}

Paused read_paused(const JsonPlace& place) {
  Paused paused;
  paused.reason = place.at("reason").text();
  paused.until = place.at("until").time();
  paused.members = place.at("members").texts();
  return paused;
}

void read_times(const JsonPlace& place, std::vector<base::Time>& times) {
  place.each([&](const JsonPlace& item) { times.push_back(item.time()); });
}

StoreRecord read_store(const JsonPlace& place) {
  StoreRecord store;
  if (place.has("seen")) store.seen = read_backups_seen(place.at("seen"));
  if (place.has("trouble")) store.trouble = read_backup_trouble(place.at("trouble"));
  if (place.has("awaited")) {
    const JsonPlace awaited = place.at("awaited");
    store.awaited = BackupAwaited{awaited.at("store").text(), awaited.at("since").time()};
  }
  return store;
}

DataCheck read_data_check(const JsonPlace& place) {
  return {place.at("revision").whole(), place.at("same").truth(), place.at("text").text()};
}

void read_one(const Record& record, const JsonPlace& root, Records& all) {
  if (record.key == kInForceKey) {
    all.in_force = {root.at("digest").text(), root.at("counter").whole(), record.mod_revision};
  } else if (record.key == kFormedKey) {
    all.formed = read_formed(root.at("formed"));
  } else if (record.key == kAppliedKey) {
    all.applied = read_applied(root.at("applied"));
  } else if (record.key == kHealsKey) {
    read_times(root.at("heals"), all.heals);
  } else if (record.key == kLastChangeKey) {
    all.last_change = root.at("at").time();
  } else if (record.key == kPauseKey) {
    all.paused = read_paused(root);
  } else if (record.key == kStoreKey) {
    all.store = read_store(root);
  } else if (record.key == kDataCheckKey) {
    all.data_check = read_data_check(root);
  } else if (record.key == kLockKey) {
    all.lock_owner = root.at("text").text();
  } else if (starts_with(record.key, "/quorate/condemned/")) {
    all.announced.condemned.push_back({root.at("member").id()});
  } else if (starts_with(record.key, "/quorate/adding/")) {
    all.announced.adding.push_back(root.at("peer_urls").texts());
  } else if (starts_with(record.key, "/quorate/updating/")) {
    all.announced.updating.push_back(
        {{root.at("member").id()}, root.at("peer_urls").texts(), true, record.mod_revision});
  } else if (starts_with(record.key, "/quorate/allowed/")) {
    all.allowed.push_back(read_allowed(root));
  }
}

}  // namespace

std::string condemned_key(base::MemberId member) {
  return "/quorate/condemned/" + id_digits(member);
}
std::string updating_key(base::MemberId member) {
  return "/quorate/updating/" + id_digits(member);
}
std::string adding_key(const std::vector<std::string>& peer_urls) {
  std::vector<std::string> sorted = peer_urls;
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const std::string& url : sorted) text += url + "\n";
  return "/quorate/adding/" + base::sha256_hex(text).substr(0, 16);
}
std::string allowed_key(const std::string& what, bool denied) {
  return std::string("/quorate/allowed/") + (denied ? "no/" : "yes/") + what;
}

Records read_records(const std::vector<Record>& records, base::ClusterId cluster) {
  Records all;
  for (const Record& record : records) {
    const auto tree = parse_json(record.value, record.key, kMostBytes);
    if (!tree) {
      all.problems.push_back(tree.error().message);
      continue;
    }
    JsonReading reading{*tree, {}};
    const JsonPlace root(reading);
    const base::ClusterId of{root.at("cluster").id()};
    if (reading.problem.empty() && of != cluster) {  // void: of a life before a restore
      if (record.key == kInForceKey) {
        all.in_force.mod_revision = record.mod_revision;
      } else {
        all.void_keys.emplace_back(record.key, record.mod_revision);
      }
      continue;
    }
    Records before = all;
    if (reading.problem.empty()) read_one(record, root, all);
    if (reading.problem.empty()) continue;
    all = std::move(before);
    all.problems.push_back(record.key + ": " + reading.problem);
  }
  return all;
}

std::string in_force_value(base::ClusterId cluster, const InForce& in_force) {
  Json record = record_of(cluster);
  record["digest"] = in_force.digest;
  record["counter"] = in_force.counter;
  return text_of(record);
}
std::string formed_value(base::ClusterId cluster, const Formed& formed) {
  Json record = record_of(cluster);
  record["formed"] = formed_json(formed);
  return text_of(record);
}
std::string applied_value(base::ClusterId cluster, const Applied& applied) {
  Json record = record_of(cluster);
  record["applied"] = applied_json(applied);
  return text_of(record);
}
std::string heals_value(base::ClusterId cluster, const std::vector<base::Time>& heals) {
  Json record = record_of(cluster);
  record["heals"] = list_json(heals, [](base::Time at) { return Json(base::to_string(at)); });
  return text_of(record);
}
std::string time_value(base::ClusterId cluster, base::Time at) {
  Json record = record_of(cluster);
  record["at"] = base::to_string(at);
  return text_of(record);
}
std::string condemned_value(base::ClusterId cluster, base::MemberId member) {
  Json record = record_of(cluster);
  record["member"] = base::to_string(member);
  return text_of(record);
}
std::string urls_value(base::ClusterId cluster, const std::vector<std::string>& peer_urls) {
  Json record = record_of(cluster);
  record["peer_urls"] = peer_urls;
  return text_of(record);
}
std::string updating_value(base::ClusterId cluster, base::MemberId member, const std::vector<std::string>& peer_urls) {
  Json record = record_of(cluster);
  record["member"] = base::to_string(member);
  record["peer_urls"] = peer_urls;
  return text_of(record);
}
std::string note_value(base::ClusterId cluster, const std::string& text) {
  Json record = record_of(cluster);
  record["text"] = text;
  return text_of(record);
}
std::string store_value(base::ClusterId cluster, const StoreRecord& store) {
  Json record = record_of(cluster);
  if (store.seen) record["seen"] = backups_seen_json(*store.seen);
  if (store.trouble) record["trouble"] = backup_trouble_json(*store.trouble);
  if (const auto& awaited = store.awaited) {
    record["awaited"] = {{"store", awaited->store}, {"since", base::to_string(awaited->since)}};
  }
  return text_of(record);
}
std::string data_check_value(base::ClusterId cluster, const DataCheck& check) {
  Json record = record_of(cluster);
  record["revision"] = check.revision;
  record["same"] = check.same;
  record["text"] = check.text;
  return text_of(record);
}
std::string paused_value(base::ClusterId cluster, const Paused& paused) {
  Json record = record_of(cluster);
  record["reason"] = paused.reason;
  record["until"] = base::to_string(paused.until);
  record["members"] = paused.members;
  return text_of(record);
}
std::string allowed_value(base::ClusterId cluster, const Allowed& allowed) {
  Json record = record_of(cluster);
  record["what"] = allowed.what;
  record["steps"] = allowed.steps;
  record["by"] = allowed.by;
  record["until"] = base::to_string(allowed.until);
  record["reason"] = allowed.reason;
  record["denied"] = allowed.denied;
  record["desired_digest"] = allowed.desired_digest;
  return text_of(record);
}

std::string restore_order_text(const RestoreOrder& order) {
  return std::string(kRestoreOrder) + order.backup + "@" + std::to_string(order.generation);
}

std::optional<RestoreOrder> parse_restore_order(std::string_view what) {
  if (what.substr(0, kRestoreOrder.size()) != kRestoreOrder) return std::nullopt;
  what.remove_prefix(kRestoreOrder.size());
  const std::size_t at = what.rfind('@');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  std::int64_t generation = 0;
  const std::string_view number = what.substr(at + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), generation);
  if (error != std::errc{} || end != number.data() + number.size() || generation < 1) return std::nullopt;
  return RestoreOrder{std::string(what.substr(0, at)), generation};
}

void obey(const RestoreOrder& order, Desired& desired) {
  if (desired.generation > order.generation) return;
  desired.generation = order.generation;
  desired.recovery.restore = order.backup;
  desired.recovery.from.clear();
  desired.recovery.survivor.clear();
}

}  // namespace quorate::model
