// The command line's side of the local socket.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "reconciler/adapters/peer_grpc/channel.h"
#include "reconciler/adapters/peer_grpc/limits.h"
#include "reconciler/adapters/peer_grpc/local.grpc.pb.h"
#include "reconciler/adapters/peer_grpc/local.h"
#include "reconciler/adapters/peer_grpc/socket_place.h"

namespace quorate::peer_grpc {
namespace {

namespace pb = ::quorate::local;
using base::Error;
using base::ErrorKind;

constexpr std::chrono::milliseconds kLook{100};

// Asks `stop` now and then, and cancels the call when it says so.
class Stopper {
 public:
  Stopper(const std::function<bool()>& stop, grpc::ClientContext& context) {
    if (!stop) return;
    thread_ = std::thread([this, &stop, &context] {
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, kLook, [&] { return over_; })) {
        if (!stop()) continue;
        stopped_ = true;
        return context.TryCancel();
      }
    });
  }
  ~Stopper() { (void)end(); }
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;
  bool end() {  // whether it has stopped the call
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
    return stopped_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

Error explain_end(const LocalCall& call, const grpc::Status& status) {
  const std::string start = "the agent at " + call.path;
  const std::string look = "it may do what was asked: look with quorate status before asking again";
  switch (status.error_code()) {
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {ErrorKind::Ambiguous, start + " was not done within " + base::to_string(call.within), look};
    case grpc::StatusCode::UNIMPLEMENTED:
      return {ErrorKind::Invalid, start + " does not know this request", "use the release of quorate that it runs"};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return {ErrorKind::Transient, start + " has too much to do, or the request is too large", "try again"};
    default:
      return {ErrorKind::Ambiguous, start + " went away before it had answered", look};
  }
}

}  // namespace

base::Result<void> call_local(const LocalCall& call) {
  if (call.request.size() > static_cast<std::size_t>(kLargestRequest)) {
    return base::invalid("the request is too large for the agent", "ask for less at once");
  }
  if (auto listener = look_for_listener(call.path); !listener) return listener;
  prepare_grpc();
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(kLargestEvent + kLargestQuestion);
  const auto channel = grpc::CreateCustomChannel("unix:" + call.path, grpc::InsecureChannelCredentials(), arguments);
  pb::Local::Stub stub(channel);
  grpc::ClientContext context;
  if (call.within.count() > 0) context.set_deadline(deadline_in(call.within));
  pb::Request request;
  request.set_json(call.request);
  const auto reader = stub.Call(&context, request);
  Stopper stopper(call.stop, context);
  bool enough = false;
  pb::Event event;
  while (!enough && reader->Read(&event)) enough = call.on_event && !call.on_event(event.json());
  if (enough) context.TryCancel();
  const grpc::Status status = reader->Finish();
  if (stopper.end() || enough || status.ok()) return {};
  return tl::unexpected(explain_end(call, status));
}

}  // namespace quorate::peer_grpc
