// Our values as etcd's messages, where that takes more than a line.
#pragma once

#include <string_view>

#include "reconciler/adapters/etcd_grpc/rpc.pb.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::etcd_grpc {

// All keys that start with `prefix`, sorted.
etcdserverpb::RangeRequest range_of(std::string_view prefix, ports::Consistency consistency);
etcdserverpb::RangeRequest count_of_all(std::int64_t revision);  // from the asked member's own memory
etcdserverpb::TxnRequest txn_request(const ports::Txn& txn);
// In whole seconds, never less than asked for.
etcdserverpb::LeaseGrantRequest grant_request(base::Duration ttl);

}  // namespace quorate::etcd_grpc
