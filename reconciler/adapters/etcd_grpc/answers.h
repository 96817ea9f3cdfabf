// etcd's messages as our values.
#pragma once

#include <optional>
#include <vector>

#include "reconciler/adapters/etcd_grpc/changes.h"
#include "reconciler/adapters/etcd_grpc/rpc.pb.h"
#include "reconciler/model/observed.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::etcd_grpc {

ports::Answered answered(const etcdserverpb::ResponseHeader& header);
model::ListedMember member(const etcdserverpb::Member& member);
std::vector<model::ListedMember> members(const google::protobuf::RepeatedPtrField<etcdserverpb::Member>& list);
ports::StatusAnswer status_answer(const etcdserverpb::StatusResponse& response, base::Duration took);
std::vector<model::Alarm> alarm_list(const etcdserverpb::AlarmResponse& response);
std::optional<ports::KeyValue> first_of(const etcdserverpb::RangeResponse& response);
std::vector<ports::KeyValue> all_of(const etcdserverpb::RangeResponse& response);
PrefixAt prefix_at(const etcdserverpb::RangeResponse& response);

}  // namespace quorate::etcd_grpc
