// Reports on gRPC's own threads, and a stream per watcher that costs nothing while nothing changes.
#include "reconciler/adapters/peer_grpc/report_server.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include "reconciler/adapters/peer_grpc/agent.grpc.pb.h"
#include "reconciler/adapters/peer_grpc/limits.h"
#include "reconciler/adapters/peer_grpc/tls.h"
#include "reconciler/base/net.h"

namespace quorate::peer_grpc {
namespace {

namespace pb = ::quorate::agent;

bool is_nonce(const std::string& text) {
  return !text.empty() && text.size() <= kLongestNonce && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

class Stream;

// All who watch.
class Watchers {
 public:
  bool add(Stream* stream);
  void remove(Stream* stream) {
    const std::lock_guard lock(mutex_);
    streams_.erase(stream);
  }
  void tell();

 private:
  std::mutex mutex_;
  std::set<Stream*> streams_;
  std::uint64_t sequence_ = 0;
};

// One who watches. At most one message is under way; what changes meanwhile is one more message after it.
class Stream final : public grpc::ServerWriteReactor<pb::Changed> {
 public:
  explicit Stream(Watchers& watchers) : watchers_(watchers) {
    if (!watchers_.add(this)) end(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many watch already"));
  }

  void tell(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    sequence_ = sequence;
    if (!ended_ && !writing_)
      write();
    else
      more_ = true;
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return end(grpc::Status::CANCELLED);
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ended_ && more_) write();
  }
  void OnCancel() override { end(grpc::Status::CANCELLED); }
  void OnDone() override {
    watchers_.remove(this);
    delete this;
  }

 private:
  void write() {
    writing_ = true;
    more_ = false;
    message_.set_sequence(sequence_);
    StartWrite(&message_);
  }
  void end(const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    Finish(status);
  }

  Watchers& watchers_;
  std::mutex mutex_;
  pb::Changed message_;
  std::uint64_t sequence_ = 0;
  bool writing_ = false;
  bool more_ = false;
  bool ended_ = false;
};

bool Watchers::add(Stream* stream) {
  const std::lock_guard lock(mutex_);
  if (streams_.size() >= kMostWatchers) return false;
  streams_.insert(stream);
  stream->tell(sequence_);
  return true;
}

void Watchers::tell() {
  const std::lock_guard lock(mutex_);
  ++sequence_;
  for (Stream* stream : streams_) stream->tell(sequence_);
}

class Service final : public pb::Agent::WithCallbackMethod_Watch<pb::Agent::Service> {
 public:
  Service(ports::Reporter& reporter, Watchers& watchers) : reporter_(reporter), watchers_(watchers) {}

  grpc::Status Report(grpc::ServerContext* /*context*/, const pb::Ask* ask, pb::Answer* answer) override {
    if (!is_nonce(ask->nonce())) {
      return {grpc::StatusCode::INVALID_ARGUMENT, "a nonce is 1 to 64 letters, digits and hyphens"};
    }
    std::string text = model::to_json(reporter_.report(ask->nonce()));
    if (text.size() > static_cast<std::size_t>(kLargestReport)) {
      return {grpc::StatusCode::RESOURCE_EXHAUSTED, "the report is too large to be sent"};
    }
    answer->set_json(std::move(text));
    return grpc::Status::OK;
  }
  grpc::ServerWriteReactor<pb::Changed>* Watch(grpc::CallbackServerContext* /*context*/,
                                               const pb::WatchRequest* /*request*/) override {
    return new Stream(watchers_);  // ends itself
  }

 private:
  ports::Reporter& reporter_;
  Watchers& watchers_;
};

class Server final : public ReportServer {
 public:
  explicit Server(ports::Reporter& reporter) : service_(reporter, watchers_) {}
  ~Server() override {
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
  }

  bool listen(const ServerOptions& options) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_text(options.address, options.port), Credentials(options.tls).of_server(), &port_);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two agents never share a port
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostStreams);
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kLargestMetadata);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPongMs);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kPingMs / 2);
    builder.SetMaxReceiveMessageSize(kLargestQuestion);
    builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
    builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 2);
    grpc::ResourceQuota quota("agent");
    quota.SetMaxThreads(kMostThreads);
    quota.Resize(kMostMemory);
    builder.SetResourceQuota(quota);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    return server_ != nullptr && port_ > 0;
  }
  int port() const override { return port_; }
  void changed() override { watchers_.tell(); }

 private:
  Watchers watchers_;
  Service service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace

base::Result<std::unique_ptr<ReportServer>> make_report_server(const ServerOptions& options,
                                                               ports::Reporter& reporter) {
  if (options.tls.empty() && !base::is_loopback(options.address)) {
    return base::invalid("without certificates agents speak on loopback only, and " + options.address + " is not",
                         "name tls.agent, or another tls that agents can use");
  }
  if (auto problem = problem_of(options.tls)) return tl::unexpected(std::move(*problem));
  auto server = std::make_unique<Server>(reporter);
  if (!server->listen(options)) {
    return tl::unexpected(base::Error{
        base::ErrorKind::Transient, "the agent cannot listen at " + address_text(options.address, options.port),
        "see who has this port (another agent?), and that the address is this machine's"});
  }
  return server;
}

}  // namespace quorate::peer_grpc
