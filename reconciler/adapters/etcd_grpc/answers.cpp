// Field by field from etcd's messages; lists get an order.
#include "reconciler/adapters/etcd_grpc/answers.h"

#include <algorithm>

namespace quorate::etcd_grpc {

namespace pb = ::etcdserverpb;
namespace {

ports::KeyValue key_value(const mvccpb::KeyValue& found) {
  return {found.key(), found.value(), found.mod_revision(), found.create_revision(), found.lease()};
}

}  // namespace

ports::Answered answered(const pb::ResponseHeader& header) {
  return {{header.cluster_id()}, {header.member_id()}, header.revision(), header.raft_term()};
}

model::ListedMember member(const pb::Member& member) {
  return {{member.id()},
          member.name(),
          {member.peerurls().begin(), member.peerurls().end()},
          {member.clienturls().begin(), member.clienturls().end()},
          member.islearner()};
}

std::vector<model::ListedMember> members(const google::protobuf::RepeatedPtrField<pb::Member>& list) {
  std::vector<model::ListedMember> result;
  for (const pb::Member& one : list) result.push_back(member(one));
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return result;
}

ports::StatusAnswer status_answer(const pb::StatusResponse& response, base::Duration took) {
  ports::StatusAnswer answer;
  answer.from = answered(response.header());
  answer.learner = response.islearner();
  answer.status = {response.version(),
                   {response.leader()},
                   response.raftterm(),
                   response.raftindex(),
                   response.raftappliedindex(),
                   response.header().revision(),
                   response.dbsize(),
                   response.dbsizeinuse(),
                   {response.errors().begin(), response.errors().end()},
                   took};
  return answer;
}

std::vector<model::Alarm> alarm_list(const pb::AlarmResponse& response) {
  std::vector<model::Alarm> result;
  for (const pb::AlarmMember& alarm : response.alarms()) {
    if (alarm.alarm() == pb::NOSPACE) result.push_back({{alarm.memberid()}, model::AlarmKind::NoSpace});
    if (alarm.alarm() == pb::CORRUPT) result.push_back({{alarm.memberid()}, model::AlarmKind::Corrupt});
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::optional<ports::KeyValue> first_of(const pb::RangeResponse& response) {
  if (response.kvs().empty()) return std::nullopt;
  return key_value(response.kvs(0));
}

std::vector<ports::KeyValue> all_of(const pb::RangeResponse& response) {
  std::vector<ports::KeyValue> result;
  for (const mvccpb::KeyValue& one : response.kvs()) result.push_back(key_value(one));
  return result;
}

PrefixAt prefix_at(const pb::RangeResponse& response) {
  PrefixAt at;
  at.now = response.header().revision();
  for (const auto& each : response.kvs()) at.keys[each.key()] = each.mod_revision();
  return at;
}

}  // namespace quorate::etcd_grpc
