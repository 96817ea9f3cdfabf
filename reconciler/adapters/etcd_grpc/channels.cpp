// Making channels with nothing left to gRPC's surroundings, and waiting for them to connect.
#include "reconciler/adapters/etcd_grpc/channels.h"

#include <algorithm>
#include <utility>

#include <grpc/support/log.h>
#include <grpc/support/time.h>

#include "reconciler/adapters/etcd_grpc/handshake.h"

namespace quorate::etcd_grpc {
namespace {

constexpr int kLargestAnswer = 16 << 20;  // etcd's own limit for a request is 1.5 MiB
constexpr int kAhead = 8 << 20;           // of a snapshot, on its way to us while we are busy with what came before
constexpr std::chrono::seconds kDiagnosis{2};
constexpr std::chrono::milliseconds kLook{1};
// Several questions are asked at once: what has just failed for one of them has failed for all.
constexpr std::chrono::milliseconds kJustNow{50};

void say_nothing(gpr_log_func_args*) {}

// Members have no names of their own behind a fence: who is behind one is what its authority says.
constexpr const char* kFenceName = "quorate-fence";

// A name may need brackets around it, and must not be looked up as anything but a host.
std::string target_of(const base::Url& url) {
  const std::string port = ":" + std::to_string(url.port);
  if (base::is_ipv6(url.host)) return "ipv6:[" + url.host + "]" + port;
  if (base::is_ip(url.host)) return "ipv4:" + url.host + port;
  return "dns:///" + url.host + port;
}

}  // namespace

gpr_timespec grpc_time(TimePoint time) {
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(time - std::chrono::steady_clock::now());
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(left.count(), GPR_TIMESPAN));
}

Channels::Channels(const Access& access, PemFiles files, Pems pems)
    : server_name_(access.server_name),
      fences_(access.fences),
      ping_after_(access.ping_after),
      ping_within_(access.ping_within),
      files_(std::move(files)),
      pems_(std::move(pems)) {
  gpr_set_log_function(say_nothing);  // what went wrong is in our errors
}

grpc::ChannelArguments Channels::usual_arguments() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);                  // http_proxy is not meant for etcd
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);                     // who retries has to look first
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);  // DNS gives addresses, not settings
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);          // a new channel is a new connection
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetMaxReceiveMessageSize(kLargestAnswer);
  // Left to itself gRPC takes as much as the network can deliver, and keeps it in memory while a disk is slower.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kAhead);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(ping_after_.count()));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(ping_within_.count()));
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // whoever receives a snapshot sends nothing for hours
  return arguments;
}

ChannelPtr Channels::secured(const base::Url& url, const Pems& pems, const std::string& server_name) const {
  grpc::ChannelArguments arguments = usual_arguments();
  if (!server_name.empty()) arguments.SetSslTargetNameOverride(server_name);
  grpc::SslCredentialsOptions options;  // TLS 1.2 and 1.3 by default
  options.pem_root_certs = pems.ca;
  options.pem_private_key = pems.key;
  options.pem_cert_chain = pems.cert;
  return grpc::CreateCustomChannel(target_of(url), grpc::SslCredentials(options), arguments);
}

ChannelPtr Channels::make(const base::Url& url) const {
  if (url.scheme == "https") return secured(url, pems_, server_name_);
  return grpc::CreateCustomChannel(target_of(url), grpc::InsecureChannelCredentials(), usual_arguments());
}

Channels::Kept Channels::begin(const base::Url& url, const std::optional<Pems>& pass) const {
  return {pass ? secured(url, *pass, kFenceName) : make(url), std::chrono::steady_clock::now(), pass.has_value()};
}

bool Channels::is_fresh(const Kept& kept) {
  return std::chrono::steady_clock::now() - kept.made < kJustNow;
}

base::Result<ChannelPtr> Channels::channel_to(const Call& call) {
  base::UrlProblem problem;
  const auto url = base::parse_url(call.endpoint, problem);
  if (!url) return base::invalid("the endpoint " + call.endpoint + " " + problem.what, "write it as https://host:port");
  const std::lock_guard lock(mutex_);
  if (auto renewed = files_.reread()) {
    if (!(*renewed == pems_)) channels_.clear();  // calls under way keep theirs
    pems_ = std::move(*renewed);
  }
  Kept& kept = channels_[call.endpoint];
  // One that failed pauses before it tries again; a server may have come back meanwhile.
  if (!kept.channel || (kept.channel->GetState(false) == GRPC_CHANNEL_TRANSIENT_FAILURE && !is_fresh(kept))) {
    kept = begin(*url, kept.with_pass ? read_pass(fences_) : std::nullopt);
  }
  return kept.channel;
}

ChannelPtr Channels::make_other(const Call& call, const ChannelPtr& failed) {
  base::UrlProblem problem;
  const auto url = base::parse_url(call.endpoint, problem);
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(call.endpoint);
  if (fences_.empty() || !url || found == channels_.end()) return nullptr;
  Kept& kept = found->second;
  if (kept.channel != failed) return kept.channel;  // somebody else was faster
  const auto pass = kept.with_pass ? std::nullopt : read_pass(fences_);
  if (!kept.with_pass && !pass) return nullptr;
  kept = begin(*url, pass);
  return kept.channel;
}

base::Result<ChannelPtr> Channels::connected(const Call& call, TimePoint until) {
  auto channel = channel_to(call);
  if (channel) channel = wait_for(call, *std::move(channel), until);
  if (!channel || (*channel)->GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE) return channel;
  const ChannelPtr other = make_other(call, *channel);
  if (other == nullptr) return channel;
  auto tried = wait_for(call, other, until);
  return tried && (*tried)->GetState(false) == GRPC_CHANNEL_READY ? tried : channel;
}

base::Result<ChannelPtr> Channels::wait_for(const Call& call, ChannelPtr channel, TimePoint until) {
  bool looked = false;
  while (true) {
    const grpc_connectivity_state state = channel->GetState(true);
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) return channel;
    if (state == GRPC_CHANNEL_READY) {
      // Nobody reads from a connection while no call is under way: let gRPC see an end that came meanwhile.
      if (looked || !channel->WaitForStateChange(state, grpc_time(std::chrono::steady_clock::now() + kLook))) {
        return channel;
      }
      looked = true;
    } else if (!channel->WaitForStateChange(state, grpc_time(until))) {
      forget(call.endpoint, channel);
      return tl::unexpected(connects_too_slowly(call));
    } else {
      looked = true;  // it is fresh
    }
  }
}

void Channels::forget(const std::string& endpoint, const ChannelPtr& channel) {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(endpoint);
  if (found == channels_.end() || found->second.channel != channel || is_fresh(found->second)) return;
  channels_.erase(found);
}

base::Error Channels::why_not(const Call& call, std::string_view what_grpc_says, TimePoint until) {
  base::UrlProblem problem;
  const auto url = base::parse_url(call.endpoint, problem);
  const bool no_one_there = what_grpc_says.find("Connection refused") != std::string_view::npos ||
                            what_grpc_says.find("DNS resolution") != std::string_view::npos;
  if (url && !no_one_there) {
    Pems pems;
    {
      const std::lock_guard lock(mutex_);
      pems = pems_;
    }
    const std::string address = base::is_ip(url->host) ? url->host : address_in(what_grpc_says);
    const Attempt attempt{*url, address, server_name_.empty() ? url->host : server_name_,
                          std::min(until, std::chrono::steady_clock::now() + kDiagnosis)};
    if (auto found = diagnose(call, attempt, pems)) return std::move(*found);
  }
  return not_connected(call, what_grpc_says);
}

}  // namespace quorate::etcd_grpc
