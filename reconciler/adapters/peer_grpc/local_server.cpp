// The agent's side of the local socket.
#include <chrono>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include "reconciler/adapters/peer_grpc/limits.h"
#include "reconciler/adapters/peer_grpc/local.grpc.pb.h"
#include "reconciler/adapters/peer_grpc/local.h"
#include "reconciler/adapters/peer_grpc/socket_place.h"
#include "reconciler/adapters/peer_grpc/tls.h"

namespace quorate::peer_grpc {
namespace {

namespace pb = ::quorate::local;

class Writer final : public Sink {
 public:
  Writer(grpc::ServerContext& context, grpc::ServerWriter<pb::Event>& writer) : context_(context), writer_(writer) {}
  bool send(const std::string& json) const override {
    if (json.size() > static_cast<std::size_t>(kLargestEvent)) {  // nobody would receive it: the call ends, openly
      context_.TryCancel();
      return false;
    }
    pb::Event event;
    event.set_json(json);
    return writer_.Write(event);
  }
  bool gone() const override { return context_.IsCancelled(); }

 private:
  grpc::ServerContext& context_;
  grpc::ServerWriter<pb::Event>& writer_;
};

class Service final : public pb::Local::Service {
 public:
  explicit Service(Answerer answer) : answer_(std::move(answer)) {}
  grpc::Status Call(grpc::ServerContext* context, const pb::Request* request,
                    grpc::ServerWriter<pb::Event>* writer) override {
    answer_(request->json(), Writer(*context, *writer));
    return grpc::Status::OK;
  }

 private:
  Answerer answer_;
};

class Server final : public LocalServer {
 public:
  Server(std::unique_ptr<SocketPlace> place, Answerer answer) : place_(std::move(place)), service_(std::move(answer)) {}
  ~Server() override {
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
  }
  base::Result<void> listen() {
    prepare_grpc();
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + place_->bound_at(), grpc::InsecureServerCredentials());
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostStreams);
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kLargestMetadata);
    builder.SetMaxReceiveMessageSize(kLargestRequest + kLargestQuestion);
    builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
    builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 2);
    grpc::ResourceQuota quota("local");
    quota.SetMaxThreads(kMostThreads);
    quota.Resize(kMostMemory);
    builder.SetResourceQuota(quota);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      return tl::unexpected(base::Error{base::ErrorKind::Transient, "the local socket cannot be opened",
                                        "see that its folder may be written to, and that file descriptors are left"});
    }
    return place_->publish();
  }

 private:
  std::unique_ptr<SocketPlace> place_;  // given back after the server has ended
  Service service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

base::Result<std::unique_ptr<LocalServer>> make_local_server(const SocketAddress& address, Answerer answer) {
  auto place = take_place(address.path, address.group);
  if (!place) return tl::unexpected(std::move(place.error()));
  auto server = std::make_unique<Server>(std::move(*place), std::move(answer));
  if (auto listening = server->listen(); !listening) return tl::unexpected(std::move(listening.error()));
  return server;
}

}  // namespace quorate::peer_grpc
