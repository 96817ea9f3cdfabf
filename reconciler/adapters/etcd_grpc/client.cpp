// Each call of the port as one RPC: connect, log in where wanted, ask, translate.
#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "reconciler/adapters/etcd_grpc/answers.h"
#include "reconciler/adapters/etcd_grpc/changes.h"
#include "reconciler/adapters/etcd_grpc/channels.h"
#include "reconciler/adapters/etcd_grpc/errors.h"
#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/etcd_grpc/read_ahead.h"
#include "reconciler/adapters/etcd_grpc/requests.h"
#include "reconciler/adapters/etcd_grpc/rpc.grpc.pb.h"

namespace quorate::etcd_grpc {
namespace {

namespace pb = ::etcdserverpb;
using base::Duration;
using base::ErrorKind;
using base::Result;
using ports::Consistency;

constexpr std::size_t kLongestToken = 16384;  // JWTs are some hundred bytes

Code code_of(const grpc::Status& status) {
  return static_cast<Code>(status.error_code());
}

TimePoint deadline_of(Duration within) {
  return std::chrono::steady_clock::now() + std::clamp(within, Duration(0), Duration(std::chrono::hours(24)));
}

class Client final : public ports::EtcdAdmin {
 public:
  Client(Access access, PemFiles files, Pems pems)
      : channels_(access, std::move(files), std::move(pems)),
        user_(std::move(access.user)),
        password_(std::move(access.password)),
        log_in_over_tls_only_(access.log_in_over_tls_only),
        never_log_in_(access.never_log_in),
        stall_(access.stall) {}

  Result<ports::MemberList> member_list(const std::string& endpoint, Consistency consistency,
                                        Duration within) override {
    pb::MemberListRequest request;
    request.set_linearizable(consistency == Consistency::Linearizable);
    return ask({endpoint, "listing the members", false, within}, request, &pb::Cluster::Stub::MemberList)
        .map([](const pb::MemberListResponse& r) {
          return ports::MemberList{answered(r.header()), members(r.members())};
        });
  }

  Result<ports::StatusAnswer> status(const std::string& endpoint, Duration within) override {
    Duration took{};
    return ask({endpoint, "asking for the status", false, within}, pb::StatusRequest(), &pb::Maintenance::Stub::Status,
               &took)
        .map([&](const pb::StatusResponse& r) { return status_answer(r, took); });
  }

  Result<std::vector<model::Alarm>> alarms(const std::string& endpoint, Duration within) override {
    return ask({endpoint, "asking for alarms", false, within}, pb::AlarmRequest(), &pb::Maintenance::Stub::Alarm)
        .map([](const pb::AlarmResponse& r) { return alarm_list(r); });
  }

  Result<ports::Hash> hash_kv(const std::string& endpoint, std::int64_t revision, Duration within) override {
    pb::HashKVRequest request;
    request.set_revision(revision);
    return ask({endpoint, "hashing the keys", false, within}, request, &pb::Maintenance::Stub::HashKV)
        .map([](const pb::HashKVResponse& r) {
          return ports::Hash{answered(r.header()), r.hash(), r.compact_revision()};
        });
  }

  Result<std::optional<ports::KeyValue>> get(const std::string& endpoint, std::string_view key, Consistency consistency,
                                             Duration within) override {
    pb::RangeRequest request;
    request.set_key(std::string(key));
    request.set_serializable(consistency == Consistency::Serializable);
    return ask({endpoint, "reading a key", false, within}, request, &pb::KV::Stub::Range)
        .map([](const pb::RangeResponse& r) { return first_of(r); });
  }

  Result<std::int64_t> put(const std::string& endpoint, std::string_view key, std::string_view value,
                           Duration within) override {
    pb::PutRequest request;
    request.set_key(std::string(key));
    request.set_value(std::string(value));
    return ask({endpoint, "writing a key", true, within}, request, &pb::KV::Stub::Put)
        .map([](const pb::PutResponse& r) { return r.header().revision(); });
  }

  Result<std::vector<ports::KeyValue>> get_all(const std::string& endpoint, std::string_view prefix,
                                               Consistency consistency, Duration within) override {
    return ask({endpoint, "reading keys", false, within}, range_of(prefix, consistency), &pb::KV::Stub::Range)
        .map([](const pb::RangeResponse& r) { return all_of(r); });
  }

  Result<bool> changed_since(const std::string& endpoint, std::int64_t revision, std::string_view except,
                             Duration within) override {
    pb::RangeRequest request = range_of(except, Consistency::Linearizable);
    request.set_keys_only(true);
    return changed_elsewhere(revision, [&](std::int64_t at) {
      request.set_revision(at);
      return ask({endpoint, "reading keys", false, within}, request, &pb::KV::Stub::Range).map(&prefix_at);
    });
  }

  Result<std::int64_t> count(const std::string& endpoint, std::int64_t revision, Duration within) override {
    return ask({endpoint, "counting the keys", false, within}, count_of_all(revision), &pb::KV::Stub::Range)
        .map([](const pb::RangeResponse& r) { return std::int64_t{r.count()}; });
  }

  Result<ports::TxnAnswer> transact(const std::string& endpoint, const ports::Txn& txn, Duration within) override {
    return ask({endpoint, "a transaction", true, within}, txn_request(txn), &pb::KV::Stub::Txn)
        .map([](const pb::TxnResponse& r) {
          return ports::TxnAnswer{r.succeeded(), r.header().revision()};
        });
  }

  Result<std::int64_t> grant_lease(const std::string& endpoint, Duration ttl, Duration within) override;
  Result<void> keep_lease_alive(const std::string& endpoint, std::int64_t lease, Duration within) override;
  Result<void> revoke_lease(const std::string& endpoint, std::int64_t lease, Duration within) override;

  Result<ports::Added> add_learner(const std::string& endpoint, const std::vector<std::string>& peer_urls,
                                   Duration within) override {
    pb::MemberAddRequest request;
    request.set_islearner(true);
    for (const std::string& url : peer_urls) request.add_peerurls(url);
    return ask({endpoint, "adding a learner", true, within}, request, &pb::Cluster::Stub::MemberAdd)
        .map([](const pb::MemberAddResponse& r) {
          return ports::Added{member(r.member()), members(r.members())};
        });
  }

  Result<void> promote(const std::string& endpoint, base::MemberId id, Duration within) override {
    pb::MemberPromoteRequest request;
    request.set_id(id.value);
    return done(
        ask({endpoint, "promoting " + base::to_string(id), true, within}, request, &pb::Cluster::Stub::MemberPromote));
  }

  Result<void> remove(const std::string& endpoint, base::MemberId id, Duration within) override {
    pb::MemberRemoveRequest request;
    request.set_id(id.value);
    return done(
        ask({endpoint, "removing " + base::to_string(id), true, within}, request, &pb::Cluster::Stub::MemberRemove));
  }

  Result<void> update_peer_urls(const std::string& endpoint, base::MemberId id,
                                const std::vector<std::string>& peer_urls, Duration within) override {
    pb::MemberUpdateRequest request;
    request.set_id(id.value);
    for (const std::string& url : peer_urls) request.add_peerurls(url);
    return done(ask({endpoint, "changing the peer URLs of " + base::to_string(id), true, within}, request,
                    &pb::Cluster::Stub::MemberUpdate));
  }

  Result<void> move_leader(const std::string& endpoint, base::MemberId to, Duration within) override {
    pb::MoveLeaderRequest request;
    request.set_targetid(to.value);
    return done(ask({endpoint, "moving leadership to " + base::to_string(to), true, within}, request,
                    &pb::Maintenance::Stub::MoveLeader));
  }

  Result<void> compact(const std::string& endpoint, std::int64_t revision, Duration within) override {
    pb::CompactionRequest request;
    request.set_revision(revision);
    request.set_physical(true);  // so that a defragmentation right after it frees the space
    return done(ask({endpoint, "compacting to revision " + std::to_string(revision), true, within}, request,
                    &pb::KV::Stub::Compact));
  }

  Result<void> defragment(const std::string& endpoint, Duration within) override {
    return done(
        ask({endpoint, "defragmenting", true, within}, pb::DefragmentRequest(), &pb::Maintenance::Stub::Defragment));
  }

  Result<void> disarm(const std::string& endpoint, model::Alarm alarm, Duration within) override {
    pb::AlarmRequest request;
    request.set_action(pb::AlarmRequest::DEACTIVATE);
    request.set_memberid(alarm.member.value);
    request.set_alarm(alarm.kind == model::AlarmKind::Corrupt ? pb::CORRUPT : pb::NOSPACE);
    return done(ask({endpoint, "disarming an alarm", true, within}, request, &pb::Maintenance::Stub::Alarm));
  }

  Result<ports::Answered> snapshot(const std::string& endpoint, const Sink& sink, Duration within) override;

 private:
  // Why user and password do not go to this endpoint; empty: they may.
  std::string withheld_from(const std::string& endpoint) const;
  // A token of this endpoint; empty when nobody has to log in.
  Result<std::string> token(const Call& call, const ChannelPtr& channel, TimePoint until);
  // What a failed call means; a connection that may be dead is given up.
  base::Error failed(const Call& call, const ChannelPtr& channel, const grpc::Status& status, TimePoint until);
  // Connects, logs in, and has `send` make the call; once more when the token was too old.
  template <class Send>
  Result<void> over_channel(const Call& call, TimePoint until, const Send& send);
  template <class Service, class Request, class Response>
  Result<Response> ask(const Call& call, const Request& request,
                       grpc::Status (Service::*method)(grpc::ClientContext*, const Request&, Response*),
                       Duration* took = nullptr);
  template <class Response>
  static Result<void> done(const Result<Response>& result) {
    if (!result) return tl::unexpected(result.error());
    return {};
  }

  Channels channels_;
  std::string user_;
  std::string password_;
  bool log_in_over_tls_only_;
  bool never_log_in_;
  Duration stall_;
  std::mutex mutex_;
  std::map<std::string, std::string> tokens_;  // by endpoint: a member that lags does not know another's
};

std::string Client::withheld_from(const std::string& endpoint) const {
  if (user_.empty()) return {};
  if (never_log_in_) return "the password was not sent: only a member list that no majority stands behind names it";
  if (log_in_over_tls_only_ && endpoint.compare(0, 8, "https://") != 0) {
    return "the password was not sent: this address is plain text, and others have TLS";
  }
  return {};
}

Result<std::string> Client::token(const Call& call, const ChannelPtr& channel, TimePoint until) {
  if (user_.empty() || !withheld_from(call.endpoint).empty()) return std::string();
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = tokens_.find(call.endpoint); known != tokens_.end()) return known->second;
  }
  pb::AuthenticateRequest request;
  request.set_name(user_);
  request.set_password(password_);
  pb::AuthenticateResponse response;
  grpc::ClientContext context;
  context.set_deadline(grpc_time(until));
  const Call login{call.endpoint, "logging in as " + user_, false, call.within};
  const grpc::Status status = pb::Auth::Stub(channel).Authenticate(&context, request, &response);
  if (!status.ok() && !needs_no_token(status.error_message())) {
    return tl::unexpected(failed(login, channel, status, until));
  }
  const std::string& token = response.token();
  // gRPC ends the process over a header that cannot be sent.
  if (token.size() > kLongestToken ||
      std::any_of(token.begin(), token.end(), [](char c) { return c < '!' || c > '~'; })) {
    return tl::unexpected(explain(login, Code::Internal, "a token that cannot be sent back"));
  }
  const std::lock_guard lock(mutex_);
  return tokens_[call.endpoint] = token;
}

base::Error Client::failed(const Call& call, const ChannelPtr& channel, const grpc::Status& status, TimePoint until) {
  const Code code = code_of(status);
  if (code == Code::Unavailable || code == Code::DeadlineExceeded) channels_.forget(call.endpoint, channel);
  if (was_never_sent(code, status.error_message())) return channels_.why_not(call, status.error_message(), until);
  base::Error error = explain(call, code, status.error_message());
  const std::string withheld = wants_a_new_token(code, status.error_message()) || error.kind == ErrorKind::Refused
                                   ? withheld_from(call.endpoint)
                                   : std::string();
  if (!withheld.empty()) error.message += "; " + withheld;
  return error;
}

template <class Send>
Result<void> Client::over_channel(const Call& call, TimePoint until, const Send& send) {
  for (bool again = false;; again = true) {
    const auto channel = channels_.connected(call, until);
    if (!channel) return tl::unexpected(channel.error());
    const auto word = token(call, *channel, until);
    if (!word) return tl::unexpected(word.error());
    grpc::ClientContext context;
    context.set_deadline(grpc_time(until));
    if (!word->empty()) context.AddMetadata("token", *word);
    const grpc::Status status = send(*channel, context);
    if (status.ok()) return {};
    const bool may_log_in = !user_.empty() && withheld_from(call.endpoint).empty();
    if (again || !may_log_in || !wants_a_new_token(code_of(status), status.error_message())) {
      return tl::unexpected(failed(call, *channel, status, until));
    }
    const std::lock_guard lock(mutex_);
    tokens_.erase(call.endpoint);
  }
}

template <class Service, class Request, class Response>
Result<Response> Client::ask(const Call& call, const Request& request,
                             grpc::Status (Service::*method)(grpc::ClientContext*, const Request&, Response*),
                             Duration* took) {
  Response response;
  const auto result =
      over_channel(call, deadline_of(call.within), [&](const ChannelPtr& channel, grpc::ClientContext& context) {
        const auto start = std::chrono::steady_clock::now();
        Service stub(channel);
        const grpc::Status status = (stub.*method)(&context, request, &response);
        if (took != nullptr) *took = std::chrono::round<Duration>(std::chrono::steady_clock::now() - start);
        return status;
      });
  if (!result) return tl::unexpected(result.error());
  return response;
}

Result<std::int64_t> Client::grant_lease(const std::string& endpoint, Duration ttl, Duration within) {
  const Call call{endpoint, "granting a lease", true, within};
  const auto answer = ask(call, grant_request(ttl), &pb::Lease::Stub::LeaseGrant);
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->error().empty()) return tl::unexpected(explain(call, Code::FailedPrecondition, answer->error()));
  return answer->id();
}

Result<void> Client::keep_lease_alive(const std::string& endpoint, std::int64_t lease, Duration within) {
  const Call call{endpoint, "keeping lease " + lease_text(lease) + " alive", true, within};
  std::optional<std::int64_t> seconds;
  const auto result =
      over_channel(call, deadline_of(within), [&](const ChannelPtr& channel, grpc::ClientContext& context) {
        pb::Lease::Stub stub(channel);
        const auto stream = stub.LeaseKeepAlive(&context);
        pb::LeaseKeepAliveRequest request;
        request.set_id(lease);
        pb::LeaseKeepAliveResponse response;
        if (stream->Write(request) && stream->Read(&response)) seconds = response.ttl();
        if (!seconds) return stream->Finish();
        context.TryCancel();  // one answer is all that was wanted
        (void)stream->Finish();
        return grpc::Status::OK;
      });
  if (!result) return tl::unexpected(result.error());
  if (!seconds) return tl::unexpected(explain(call, Code::Unavailable, "the stream ended before its answer"));
  if (*seconds <= 0) return tl::unexpected(explain(call, Code::NotFound, kNoLease));
  return {};
}

Result<void> Client::revoke_lease(const std::string& endpoint, std::int64_t lease, Duration within) {
  pb::LeaseRevokeRequest request;
  request.set_id(lease);
  const Call call{endpoint, "revoking lease " + lease_text(lease), true, within};
  const auto result =
      over_channel(call, deadline_of(within), [&](const ChannelPtr& channel, grpc::ClientContext& context) {
        pb::LeaseRevokeResponse response;
        const grpc::Status status = pb::Lease::Stub(channel).LeaseRevoke(&context, request, &response);
        return is_no_lease(status.error_message()) ? grpc::Status::OK : status;
      });
  if (!result) return tl::unexpected(result.error());
  return {};
}

Result<ports::Answered> Client::snapshot(const std::string& endpoint, const Sink& sink, Duration within) {
  const Call call{endpoint, "taking a snapshot", false, within};
  const TimePoint until = deadline_of(within);
  // The pieces do not say who sent them; the status does, and its revision is at most the snapshot's.
  const auto who = status(endpoint, within);
  if (!who) return tl::unexpected(who.error());

  ReadAhead::End end = ReadAhead::End::All;
  bool whole = false;
  const auto result = over_channel(call, until, [&](const ChannelPtr& channel, grpc::ClientContext& context) {
    pb::Maintenance::Stub stub(channel);
    const auto pieces = stub.Snapshot(&context, pb::SnapshotRequest());
    pb::SnapshotResponse answer;
    const auto read = [&](std::string& piece) {
      if (!pieces->Read(&answer)) return false;
      whole = answer.remaining_bytes() == 0;
      piece = std::move(*answer.mutable_blob());
      return true;
    };
    end = ReadAhead::run(
        read, sink, [&] { context.TryCancel(); }, stall_);
    return pieces->Finish();
  });
  if (end == ReadAhead::End::Stalled) return tl::unexpected(nothing_comes(call, stall_));
  if (end == ReadAhead::End::Refused) return tl::unexpected(receiver_stopped(call));
  if (!result) return tl::unexpected(result.error());
  if (!whole) return tl::unexpected(explain(call, Code::Unavailable, "the stream ended before its last piece"));
  return who->from;
}

}  // namespace

Result<std::unique_ptr<ports::EtcdAdmin>> connect(Access access) {
  if (!access.server_name.empty() && !base::is_host(access.server_name)) {
    return base::invalid("the server name " + access.server_name + " is neither a DNS name nor an IP address",
                         "name the host that the servers' certificates carry");
  }
  if (access.user.empty() && !access.password.empty()) {
    return base::invalid("there is a password but no user", "name the user as well");
  }
  PemFiles files(access);
  auto pems = files.read();
  if (!pems) return tl::unexpected(std::move(pems.error()));
  return std::make_unique<Client>(std::move(access), std::move(files), std::move(*pems));
}

}  // namespace quorate::etcd_grpc
