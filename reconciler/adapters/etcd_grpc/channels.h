// One gRPC channel per endpoint, connected before anything is sent, so that what was never sent is known for certain.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "reconciler/adapters/etcd_grpc/errors.h"
#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/etcd_grpc/pems.h"
#include "reconciler/base/net.h"
#include "reconciler/base/result.h"

namespace quorate::etcd_grpc {

using TimePoint = std::chrono::steady_clock::time_point;
using ChannelPtr = std::shared_ptr<grpc::Channel>;

// On the clock that nobody sets.
gpr_timespec grpc_time(TimePoint time);

class Channels {
 public:
  Channels(const Access& access, PemFiles files, Pems pems);

  // A channel that is connected, or that has just failed and says so when it is used.
  base::Result<ChannelPtr> connected(const Call& call, TimePoint until);
  // The next call starts from nothing: no pause after a failure, no connection to a machine that is gone.
  void forget(const std::string& endpoint, const ChannelPtr& channel);
  // Why no connection came up, by what gRPC says and, where that is too little, by a handshake of our own.
  base::Error why_not(const Call& call, std::string_view what_grpc_says, TimePoint until);

 private:
  base::Result<ChannelPtr> channel_to(const Call& call);
  base::Result<ChannelPtr> wait_for(const Call& call, ChannelPtr channel, TimePoint until);
  ChannelPtr make(const base::Url& url) const;
  ChannelPtr secured(const base::Url& url, const Pems& pems, const std::string& server_name) const;
  grpc::ChannelArguments usual_arguments() const;
  // With a pass, where there is one; in the ordinary way again where that was shown in vain.
  ChannelPtr make_other(const Call& call, const ChannelPtr& failed);

  std::string server_name_;
  std::vector<std::string> fences_;
  base::Duration ping_after_;
  base::Duration ping_within_;
  std::mutex mutex_;
  PemFiles files_;
  Pems pems_;
  struct Kept {
    ChannelPtr channel;
    TimePoint made;
    bool with_pass = false;
  };
  static bool is_fresh(const Kept& kept);
  Kept begin(const base::Url& url, const std::optional<Pems>& pass) const;

  std::map<std::string, Kept> channels_;
};

}  // namespace quorate::etcd_grpc
