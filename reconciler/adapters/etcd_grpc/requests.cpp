// Ranges, transactions and leases as etcd wants them.
#include "reconciler/adapters/etcd_grpc/requests.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace quorate::etcd_grpc {

namespace pb = ::etcdserverpb;

pb::RangeRequest range_of(std::string_view prefix, ports::Consistency consistency) {
  pb::RangeRequest request;
  request.set_key(std::string(prefix));
  // The first key after all of them; "\0" is etcd's word for "no end".
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) {
    end = std::string(1, '\0');
  } else {
    end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  }
  request.set_range_end(end);
  request.set_sort_target(pb::RangeRequest::KEY);
  request.set_sort_order(pb::RangeRequest::ASCEND);
  request.set_serializable(consistency == ports::Consistency::Serializable);
  return request;
}

pb::RangeRequest count_of_all(std::int64_t revision) {
  pb::RangeRequest request;
  const std::string first(1, '\0');
  request.set_key(first);
  request.set_range_end(first);
  request.set_revision(revision);
  request.set_count_only(true);
  request.set_serializable(true);
  return request;
}

pb::TxnRequest txn_request(const ports::Txn& txn) {
  pb::TxnRequest request;
  for (const ports::Compare& each : txn.when) {
    pb::Compare& compare = *request.add_compare();
    compare.set_key(each.key);
    compare.set_result(pb::Compare::EQUAL);
    if (each.what == ports::Compare::What::CreateRevision) {
      compare.set_target(pb::Compare::CREATE);
      compare.set_create_revision(each.equals);
    } else {
      compare.set_target(pb::Compare::MOD);
      compare.set_mod_revision(each.equals);
    }
  }
  for (const ports::Write& write : txn.then) {
    pb::RequestOp& operation = *request.add_success();
    if (!write.value) {
      operation.mutable_request_delete_range()->set_key(write.key);
      continue;
    }
    operation.mutable_request_put()->set_key(write.key);
    operation.mutable_request_put()->set_value(*write.value);
    operation.mutable_request_put()->set_lease(write.lease);
  }
  return request;
}

pb::LeaseGrantRequest grant_request(base::Duration ttl) {
  pb::LeaseGrantRequest request;
  request.set_ttl(std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(ttl).count(), 1));
  return request;
}

}  // namespace quorate::etcd_grpc
