// The order of the log alone, within the latest cluster: a revision may be of entries that nobody ever acknowledged.
#include "reconciler/plan/sources.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "reconciler/base/mebibytes.h"

namespace quorate::plan {
namespace {

const model::DataDir& data_of(const World& world, const std::string& name) {
  return *model::node_of(world.observed, name)->data;
}

Source source_of(const model::Restorable& backup) {
  return {"", &backup, backup.term, backup.index, backup.revision};
}

bool is_further(const Source& a, const Source& b) {
  return std::tie(a.term, a.index) > std::tie(b.term, b.index);
}

// Where nobody remembers a lineage the store tells it: what was backed up last came last.
std::vector<base::ClusterId> by_last_backup(const std::vector<const model::Restorable*>& all) {
  std::map<base::ClusterId, base::Time> last;
  for (const model::Restorable* each : all) {
    base::Time& at = last.emplace(each->cluster, each->at).first->second;
    at = std::max(at, each->at);
  }
  std::vector<base::ClusterId> clusters;
  for (const auto& [cluster, at] : last) clusters.push_back(cluster);
  std::stable_sort(clusters.begin(), clusters.end(),
                   [&](base::ClusterId a, base::ClusterId b) { return last.at(a) > last.at(b); });
  return clusters;
}

std::uint64_t highest_index(const World& world) {
  std::uint64_t highest = 0;
  for (const model::NodeFacts& node : world.observed.nodes) {
    if (node.standing) highest = std::max(highest, node.standing->index);
    if (node.data) highest = std::max(highest, node.data->last_index);
  }
  return highest;
}

std::string words_of_survivor(const World& world, const Source& source) {
  const std::uint64_t highest = highest_index(world);
  const std::uint64_t missing = highest - source.index;
  return "the data of " + source.survivor + " reach entry " + std::to_string(source.index) + " of term " +
         std::to_string(source.term) +
         (missing == 0 ? ", as far as anybody has seen: nothing is lost"
                       : "; entry " + std::to_string(highest) + " has been seen: up to " + std::to_string(missing) +
                             " entries would be lost");
}

std::string words_of_backup(const World& world, const Source& source) {
  const model::Restorable& backup = *source.backup;
  const std::int64_t missing = std::max<std::int64_t>(highest_revision(world) - source.revision, 0);
  std::string text = "backup " + backup.name + " holds revision " + std::to_string(source.revision);
  if (backup.at != base::Time{}) {
    text += " of " + base::to_string(backup.at) + ", " + base::age_text(world.observed.at - backup.at) + " ago";
  }
  if (backup.size >> 20 > 0) text += ", " + base::mebibytes(backup.size);
  if (!backup.raw && backup.damage.empty()) text += backup.verified ? ", verified" : ", never verified";
  if (!backup.damage.empty()) return text + ", and is not what was written: " + backup.damage;
  if (missing > 0) {
    return text + "; revision " + std::to_string(highest_revision(world)) + " has been seen: at least " +
           std::to_string(missing) + " revisions would be lost";
  }
  return text +
         (highest_revision(world) > 0 ? ", as far as anybody has seen" : ", whatever was written after it is lost");
}

constexpr std::size_t kMostShown = 5;

}  // namespace

std::vector<base::ClusterId> lineage(const World& world, const model::Voters* voters) {
  const auto& formed = world.observed.formed;
  std::vector<base::ClusterId> after;
  if (voters != nullptr) after.push_back(voters->cluster);
  if (voters == nullptr && formed) after.push_back(formed->cluster);
  if (formed && !after.empty() && formed->cluster == after.front()) {
    after.insert(after.end(), formed->after.begin(), formed->after.end());
  }
  return after;
}

std::vector<Source> survivors(const World& world, const std::vector<Answer>& answers) {
  std::vector<Source> sources;
  for (const Answer& each : answers) {
    if (each.says != Says::Whole && each.says != Says::Former) continue;
    const model::DataDir& data = data_of(world, each.name);
    sources.push_back({each.name, nullptr, data.last_term, data.last_index, data.revision});
  }
  std::stable_sort(sources.begin(), sources.end(), is_further);
  return sources;
}

namespace {

std::vector<const model::Restorable*> not_raw(const World& world) {
  std::vector<const model::Restorable*> all;
  if (!world.observed.restorable) return all;
  for (const model::Restorable& each : *world.observed.restorable) {
    if (!each.raw) all.push_back(&each);
  }
  return all;
}

std::vector<Source> of_clusters(const std::vector<const model::Restorable*>& all,
                                const std::vector<base::ClusterId>& clusters) {
  std::vector<Source> sources;
  for (const base::ClusterId cluster : clusters) {
    std::vector<Source> of_cluster;
    for (const model::Restorable* each : all) {
      if (each->cluster == cluster) of_cluster.push_back(source_of(*each));
    }
    std::stable_sort(of_cluster.begin(), of_cluster.end(), [](const Source& a, const Source& b) {
      if (is_further(a, b) || is_further(b, a)) return is_further(a, b);
      return std::tie(a.backup->at, a.revision) > std::tie(b.backup->at, b.revision);
    });
    sources.insert(sources.end(), of_cluster.begin(), of_cluster.end());
  }
  return sources;
}

}  // namespace

std::vector<Source> backups(const World& world, const model::Voters* voters) {
  const std::vector<base::ClusterId> known = lineage(world, voters);
  return known.empty() ? backups_of_anybody(world) : of_clusters(not_raw(world), known);
}

std::vector<Source> backups_of_anybody(const World& world) {
  const auto all = not_raw(world);
  return of_clusters(all, by_last_backup(all));
}

const model::Restorable* named_backup(const World& world, const std::vector<Source>& stored, const std::string& name) {
  if (!world.observed.restorable) return nullptr;
  if (name == "latest") return stored.empty() ? nullptr : stored.front().backup;
  const model::Restorable* found = nullptr;
  for (const model::Restorable& each : *world.observed.restorable) {
    if (each.name == name) return &each;
    if (each.name.compare(0, name.size(), name) != 0) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

// Of data and backups of one cluster. What does not say how far its log reaches is measured by what is known to be
// committed.
Further reaches_further(const World& world, const Source& backup, const Source& survivor) {
  if (backup.backup->cluster != data_of(world, survivor.survivor).cluster) return Further::No;
  if (backup.term != 0) return is_further(backup, survivor) ? Further::Yes : Further::No;
  return backup.revision <= survivor.revision ? Further::No : Further::Unknown;
}

std::string name_of(const World& world, const Source& source) {
  const std::string who =
      source.backup != nullptr ? source.backup->name : base::to_string(data_of(world, source.survivor).member);
  return who + "@" + std::to_string(source.term) + "." + std::to_string(source.index);
}

std::int64_t highest_revision(const World& world) {
  std::int64_t highest = 0;
  for (const model::NodeFacts& node : world.observed.nodes) {
    if (node.standing) highest = std::max(highest, node.standing->revision);
    if (node.data) highest = std::max(highest, node.data->revision);
  }
  return highest;
}

void show_sources(const World& world, const std::vector<Source>& sources, const Source& chosen,
                  std::vector<model::Notice>& notices) {
  std::size_t shown = 0;
  for (const Source& each : sources) {
    const bool is_chosen = each.survivor == chosen.survivor && each.backup == chosen.backup;
    if (!is_chosen && ++shown > kMostShown) continue;
    const std::string text = each.backup == nullptr ? words_of_survivor(world, each) : words_of_backup(world, each);
    tell(notices, model::Notice::Level::Info, "RecoverySource", text + (is_chosen ? "; chosen" : ""), "");
  }
}

}  // namespace quorate::plan
