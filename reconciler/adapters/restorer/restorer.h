// Data directories from snapshots and snapshots from data directories, with etcd's own programs on copies.
#pragma once

#include <memory>
#include <string>

#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/host.h"
#include "reconciler/ports/node.h"
#include "reconciler/ports/restorer.h"

namespace quorate::adapters::restorer {

struct Parts {
  ports::Host& host;
  ports::Node& node;
  ports::EtcdAdmin& etcd;    // asks http:// addresses, and logs in to none of them
  std::string etcd_program;  // of the members here: etcdutl is looked for beside it; empty: "etcd"
  std::string etcdutl;       // empty: beside the etcd program, then along PATH
};

// What the parts refer to must outlive it. Every call keeps its thread until nothing of it runs any more.
std::unique_ptr<ports::Restorer> make_restorer(Parts parts);

}  // namespace quorate::adapters::restorer
