// Asks etcd and this machine what is there: everything at once, each answer with its time, each silence with its
// reason.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/node.h"
#include "reconciler/ports/parallel.h"
#include "renderers/renderer.h"

namespace quorate::observe {

struct Ports {
  ports::EtcdAdmin& etcd;
  ports::Node& node;
  ports::Parallel& parallel;
  ports::Clock& clock;
  // For addresses that nobody but an answer has told of: the same client, which logs in nowhere. Null: `etcd`.
  ports::EtcdAdmin* as_nobody = nullptr;
};

struct Question {
  std::vector<std::string> endpoints;  // where to begin; members found there are asked too
  // Of those: they did not answer last. They are asked one thing first, and waited for no longer than this.
  std::map<std::string, base::Duration> silent;
  const model::Desired* desired = nullptr;           // null: only etcd is asked
  std::map<std::string, renderers::Bundle> bundles;  // what each managed member's node should hold
  base::Duration within{2000};                       // for each call; a dead endpoint costs one of these in total
  std::optional<base::Duration> in_all;              // for all calls together; nothing: each has its own time
  std::string by;                                    // who looks
};

model::Observed observe(const Ports& ports, const Question& question);

}  // namespace quorate::observe
