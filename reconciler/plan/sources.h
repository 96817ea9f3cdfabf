// What a cluster could be brought back from: data that survived, and backups in the store, the furthest first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/plan/asked.h"
#include "reconciler/plan/world.h"

namespace quorate::plan {

struct Source {
  std::string survivor;                       // whose data; empty: it is a backup
  const model::Restorable* backup = nullptr;  // null: it is the data of a survivor
  std::uint64_t term = 0;                     // of its last entry; 0: it does not say
  std::uint64_t index = 0;
  std::int64_t revision = 0;
};

// The clusters that this one was before, the latest first; empty: nobody remembers one.
std::vector<base::ClusterId> lineage(const World& world, const model::Voters* voters);

std::vector<Source> survivors(const World& world, const std::vector<Answer>& answers);
// Those of the lineage; where nobody remembers any, all that are there. A damaged one is among them.
std::vector<Source> backups(const World& world, const model::Voters* voters);
// Of whatever cluster, the one that was backed up last before the others.
std::vector<Source> backups_of_anybody(const World& world);
// By its name, the beginning of it where only one begins so, of whatever cluster or tool; or "latest", which is the
// first of these. Null: none or several.
const model::Restorable* named_backup(const World& world, const std::vector<Source>& stored, const std::string& name);

// Whether the backup holds what these data do not.
enum class Further { No, Yes, Unknown };
Further reaches_further(const World& world, const Source& backup, const Source& survivor);

std::string name_of(const World& world, const Source& source);  // as a decision names it
std::int64_t highest_revision(const World& world);              // that anybody has seen
// One line for each, the chosen one marked, and what would be lost with it.
void show_sources(const World& world, const std::vector<Source>& sources, const Source& chosen,
                  std::vector<model::Notice>& notices);

}  // namespace quorate::plan
