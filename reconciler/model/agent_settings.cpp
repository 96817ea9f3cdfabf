// A short, fixed list of overrides: whatever is added here is also shown.
#include "reconciler/model/agent_settings.h"

#include "reconciler/base/path.h"

namespace quorate::model {

std::vector<Override> apply_overrides(const AgentSettings& settings, const std::string& node, Desired& desired) {
  std::vector<Override> overrides;
  if (settings.storage_dir.empty()) return overrides;
  for (Member& member : desired.members) {
    if (member.node != node || !member.managed) continue;
    std::string here = base::join_path(settings.storage_dir, member.name);
    if (here == member.data_dir) continue;
    overrides.push_back({"members." + member.name + ".storage.dir", member.data_dir, here});
    member.data_dir = std::move(here);
  }
  return overrides;
}

}  // namespace quorate::model
