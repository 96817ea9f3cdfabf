// What an agent works through, and what it is told when it begins.
#pragma once

#include <string>

#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/events.h"
#include "reconciler/ports/host.h"
#include "reconciler/ports/journal.h"
#include "reconciler/ports/links.h"
#include "reconciler/ports/node.h"
#include "reconciler/ports/notary.h"
#include "reconciler/ports/parallel.h"
#include "reconciler/ports/peers.h"
#include "reconciler/ports/restorer.h"
#include "reconciler/ports/runtime.h"
#include "reconciler/ports/spool.h"
#include "reconciler/ports/stores.h"

namespace quorate::loop {

struct AgentPorts {
  ports::EtcdAdmin& etcd;
  ports::Node& node;
  ports::Host& host;
  ports::Runtime& runtime;
  ports::Peers& peers;
  ports::Links& links;
  ports::Journal& journal;
  ports::Clock& clock;
  ports::Parallel& parallel;
  ports::Entropy& entropy;
  ports::Events& events;
  ports::Restorer* restorer = nullptr;  // null: nothing is restored here
  ports::Stores* stores = nullptr;      // null: nobody makes backups here
  ports::Spool* spool = nullptr;        // null: nothing is fetched from a store
  ports::Notary* notary = nullptr;      // null: nobody is kept out here
  ports::Stores* aside = nullptr;       // for snapshots that wait for no store; null: none are taken
};

struct AgentSettings {
  std::string member;
  std::string state_dir;
  bool create = false;             // quorate up --create: one cluster may be formed, whatever the file says
  base::Duration within{1000};     // for each answer of etcd
  base::Duration of_agents{1000};  // for each answer of an agent
};

}  // namespace quorate::loop
