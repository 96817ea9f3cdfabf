// Carries out one step of a plan. What it returns is what is known: Ambiguous means that it may have happened.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/apply/lock.h"
#include "reconciler/base/result.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/memory.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/step.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/host.h"
#include "reconciler/ports/node.h"
#include "reconciler/ports/restorer.h"
#include "reconciler/ports/runtime.h"
#include "reconciler/ports/stores.h"

namespace quorate::apply {

struct Ports {
  ports::EtcdAdmin& etcd;
  ports::Host& host;
  ports::Runtime& runtime;
  ports::Clock& clock;
  ports::Restorer* restorer = nullptr;  // null: nothing is restored here
  ports::Stores* stores = nullptr;      // null: nothing is restored from a store
  ports::Node* node = nullptr;          // null: what was seen before is all that is known
};

// Where the step is carried out, and what was seen right before it.
struct Scene {
  const model::Desired& desired;
  const model::Member& me;  // the member whose agent acts
  std::string state_dir;
  const model::Observed& observed;
  model::Memory& memory;       // of this agent; what changes in it is on disk before it is acted on
  std::string endpoint;        // of a member that answers; our own where it does
  std::optional<Fence> fence;  // with quorum: the lock that is held
  base::Duration within{2000};
};

base::Result<void> carry_out(const Ports& ports, const Scene& scene, const model::Step& step);

// What was restored here has been started by something else: there is no way back from it, as from our own start, and
// the next one is behind the fence.
base::Result<void> take_up_seed(const Ports& ports, const Scene& scene);

// The cluster of the decision that this node keeps to is there, and its member votes in it: what stood here before is
// set aside.
base::Result<void> finish_decision(const Ports& ports, const Scene& scene);

base::Result<void> remember(ports::Host& host, const std::string& state_dir, const model::Memory& memory);

// Starts etcd from the files that stand there; one that runs already is left alone.
base::Result<void> start_member(const Ports& ports, const Scene& scene);

}  // namespace quorate::apply
