// The log first, where it has a place of its own: what goes last is what tells whose both are.
#include "reconciler/loop/asides.h"

#include <algorithm>

#include "reconciler/apply/place.h"
#include "reconciler/base/path.h"
#include "reconciler/model/memory.h"
#include "reconciler/model/state_paths.h"

namespace quorate::loop {
namespace {

// Who sets a clock forward by mistake has noticed by then.
constexpr base::Duration kWatched = std::chrono::hours{24};
constexpr base::Duration kTriedAgain = std::chrono::hours{1};

struct Named {
  base::Time at{};
  std::string label;  // a member ID, or why there is none
};

// "etcd.aside-20261118T170711Z-8e9e05c52164694d"
std::optional<Named> read_name(const std::string& name, const std::string& start) {
  constexpr std::size_t kStamp = 16;
  if (name.compare(0, start.size(), start) != 0) return std::nullopt;
  const std::string rest = name.substr(start.size());
  if (rest.size() <= kStamp + 1 || rest[kStamp] != '-') return std::nullopt;
  const auto at = base::parse_time(rest.substr(0, 4) + "-" + rest.substr(4, 2) + "-" + rest.substr(6, 5) + ":" +
                                   rest.substr(11, 2) + ":" + rest.substr(13, 3));
  if (!at) return std::nullopt;
  return Named{*at, rest.substr(kStamp + 1)};
}

std::string start_beside(const std::string& place) {
  return place.substr(base::parent_path(place).size() + 1) + ".aside-";
}

}  // namespace

// By the wall clock it is as old as its name says, and that was so when this agent saw it first but for the time that
// has really passed since.
bool Asides::is_old(const std::string& path, base::Time set_aside, base::Duration keep) {
  const base::Time now = ports_.clock.now();
  const base::Duration elapsed = ports_.clock.elapsed();
  const Seen& seen = seen_.try_emplace(path, Seen{now, elapsed, {}}).first->second;
  const base::Duration watched = elapsed - seen.since;
  return elapsed >= seen.not_before && now - set_aside >= keep && seen.at - set_aside + watched >= keep &&
         watched >= std::min(keep, kWatched);
}

bool Asides::is_harmless(const std::string& path, const std::string& label, base::ClusterId cluster) {
  if (label == apply::kNothing) {
    const auto place = apply::look_at_place(ports_.host, path);
    const auto data = ports_.node.data_dir(path, "");
    return place && *place != apply::Place::More && data && model::holds_nothing(*data);
  }
  const auto text = ports_.host.read_file(model::marker_path(path));
  if (!text || !*text) return false;
  const auto marker = model::read_marker(**text, path);
  // Only what the cluster that runs now descends from; whatever else was set aside waits for people.
  return marker && marker->cluster == cluster && base::to_string(marker->member) == label;
}

base::Result<void> Asides::remove(const model::Member& me, const std::string& path, const std::string& label) {
  if (!me.wal_dir.empty() && label != apply::kNothing) {
    const std::string parent = base::parent_path(me.wal_dir);
    const auto names = ports_.host.list(parent);
    if (!names) return tl::unexpected(names.error());
    for (const std::string& name : names->value_or(std::vector<std::string>())) {
      const auto named = read_name(name, start_beside(me.wal_dir));
      if (!named || named->label != label) continue;  // a member ID is used once: whatever carries it is of that log
      if (auto gone = ports_.host.remove_tree(base::join_path(parent, name)); !gone) return gone;
    }
  }
  return ports_.host.remove_tree(path);
}

void Asides::note(model::JournalEntry& entry, model::JournalEvent event, const std::string& text) {
  entry.at = ports_.clock.now();
  entry.event = event;
  entry.text = text;
}

void Asides::tend(const model::Member& me, base::ClusterId cluster, base::Duration keep, model::JournalEntry entry) {
  if (me.data_dir.empty()) return;
  const std::string parent = base::parent_path(me.data_dir);
  const auto names = ports_.host.list(parent);
  if (!names || !*names) return;
  for (const std::string& name : **names) {
    const auto named = read_name(name, start_beside(me.data_dir));
    if (!named) continue;
    const std::string path = base::join_path(parent, name);
    if (!is_old(path, named->at, keep) || !is_harmless(path, named->label, cluster)) continue;
    entry.step = "delete/" + path;
    note(entry, model::JournalEvent::Intent, "SetAsideLongAgo: set aside longer ago than storage.keepOldData");
    auto gone = ports_.journal.append(entry);
    if (gone) {
      gone = remove(me, path, named->label);
      note(entry, gone ? model::JournalEvent::Done : model::JournalEvent::Failed, gone ? "" : gone.error().message);
      static_cast<void>(ports_.journal.append(entry));
    }
    ports_.events.say(gone ? ports::EventLevel::Info : ports::EventLevel::Warning,
                      gone ? "deleted " + path + ": set aside longer ago than storage.keepOldData"
                           : "could not delete " + path + ": " + gone.error().message);
    if (gone) {
      seen_.erase(path);
    } else {
      seen_[path].not_before = ports_.clock.elapsed() + kTriedAgain;
    }
  }
}

}  // namespace quorate::loop
