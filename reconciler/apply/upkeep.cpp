// What brings a full database back: compact, defragment, disarm.
#include <algorithm>

#include "reconciler/apply/steps.h"
#include "reconciler/model/project.h"

namespace quorate::apply {

base::Result<void> compact(const Ports& ports, const Scene& scene) {
  std::int64_t revision = 0;
  for (const model::ObservedMember& member : scene.observed.membership->members) {
    if (member.status) revision = std::max(revision, member.status->revision);
  }
  revision -= model::kCompactionMargin;
  if (revision <= 0) {
    return tl::unexpected(
        base::Error{base::ErrorKind::Refused, "there is no history that could be compacted away", "raise etcd.quota"});
  }
  return ports.etcd.compact(scene.endpoint, revision, scene.within);
}

base::Result<void> defragment(const Ports& ports, const Scene& scene, const model::Defragment& action) {
  const model::ObservedMember* member = model::member_of(scene.observed, action.id);
  if (member == nullptr || member->listed.client_urls.empty()) {
    return tl::unexpected(base::Error{base::ErrorKind::Conflict, action.member + " is not in the member list", ""});
  }
  // As long as its database is large; nothing else waits for it.
  return ports.etcd.defragment(member->listed.client_urls.front(), std::chrono::minutes{2});
}

base::Result<void> disarm(const Ports& ports, const Scene& scene, const model::DisarmAlarm& action) {
  return ports.etcd.disarm(scene.endpoint, action.alarm, scene.within);
}

}  // namespace quorate::apply
