// Unknown before everything else: what could not be seen is neither in sync nor out of it.
#include "reconciler/model/health.h"

#include <algorithm>

namespace quorate::model {

Sync sync_of(const Gated& gated) {
  if (gated.plan.status == PlanStatus::NeedsObservation && gated.plan.stop != ExitCode::Ok) return Sync::Unknown;
  if (gated.whole && gated.whole->code == ExitCode::Unknown) return Sync::Unknown;
  if (gated.whole && gated.whole->code == ExitCode::Busy) return Sync::Paused;
  const auto& notices = gated.plan.notices;
  const bool differs = std::any_of(notices.begin(), notices.end(), counts_as_drift);
  if (!differs && gated.plan.stop != ExitCode::Ok) return Sync::Unknown;
  return differs ? Sync::OutOfSync : Sync::Synced;
}

Health health_of(const Observed& observed) {
  if (!observed.membership) return Health::Unknown;
  const Quorum quorum = quorum_of(observed);
  if (quorum.can_lose() < 0 || leader_of(observed).value == 0) return Health::NoQuorum;
  if (quorum.can_lose() == 0) return Health::AtRisk;
  return quorum.up < quorum.voters ? Health::Degraded : Health::Healthy;
}

std::string_view name_of(Sync sync) {
  switch (sync) {
    case Sync::Synced:
      return "Synced";
    case Sync::OutOfSync:
      return "OutOfSync";
    case Sync::Progressing:
      return "Progressing";
    case Sync::Paused:
      return "Paused";
    case Sync::Unknown:
      return "Unknown";
  }
  return "";
}

std::string_view name_of(Health health) {
  switch (health) {
    case Health::Healthy:
      return "Healthy";
    case Health::Degraded:
      return "Degraded";
    case Health::AtRisk:
      return "AtRisk";
    case Health::NoQuorum:
      return "NoQuorum";
    case Health::Unknown:
      return "Unknown";
  }
  return "";
}

bool counts_as_drift(const Notice& notice) {
  return notice.drift && notice.ignored.empty();
}

}  // namespace quorate::model
