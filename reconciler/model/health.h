// Two words about a cluster that are never mixed: does it match its file, and does etcd work.
#pragma once

#include <string_view>

#include "reconciler/model/observed.h"
#include "reconciler/model/verdict.h"

namespace quorate::model {

enum class Sync {
  Synced,
  OutOfSync,
  Progressing,  // it differs because it is just being changed by us
  Paused,
  Unknown,
};

enum class Health {
  Healthy,
  Degraded,  // a voter is down, and one more may go
  AtRisk,    // none may go
  NoQuorum,
  Unknown,
};

Sync sync_of(const Gated& gated);
Health health_of(const Observed& observed);

std::string_view name_of(Sync sync);
std::string_view name_of(Health health);

// A difference between the file and the world that somebody has to care about: not ignored.
bool counts_as_drift(const Notice& notice);

}  // namespace quorate::model
