// Targets, arguments, and gRPC's words as ours.
#include "reconciler/adapters/peer_grpc/channel.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <grpc/support/time.h>

#include "reconciler/adapters/peer_grpc/limits.h"
#include "reconciler/base/net.h"
#include "reconciler/base/utf8.h"

namespace quorate::peer_grpc {
namespace {

using base::ErrorKind;

constexpr std::size_t kLongestQuote = 200;
constexpr int kFirstPauseMs = 100;
constexpr int kLongestPauseMs = 2000;
constexpr int kConnectMs = 3000;

std::string target_of(const ports::Peer& peer) {
  const std::string address = address_text(peer.address, peer.port);
  if (base::is_ipv6(peer.address)) return "ipv6:" + address;
  return (base::is_ip(peer.address) ? "ipv4:" : "dns:///") + address;
}

// Words from outside: one line, not too long, valid UTF-8.
std::string quoted(std::string_view text) {
  std::string line(text.substr(0, kLongestQuote));
  if (const auto bad = base::first_invalid_utf8(line)) line.resize(*bad);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f' || c == '"'; }, ' ');
  return "\"" + line + (text.size() > kLongestQuote ? "...\"" : "\"");
}

}  // namespace

std::optional<base::Error> problem_of(const ports::Peer& peer, bool plain) {
  if (!base::is_host(peer.address) && !base::is_loopback(peer.address)) {
    return base::Error{ErrorKind::Invalid, "the address of " + peer.member + " is neither a DNS name nor an IP address",
                       "correct members." + peer.member + ".address"};
  }
  if (peer.port < 1 || peer.port > 65535) {
    return base::Error{ErrorKind::Invalid, "the agent of " + peer.member + " has no port",
                       "set network.ports.agent or the member's agentPort"};
  }
  if (plain && !base::is_loopback(peer.address)) {
    return base::Error{ErrorKind::Invalid,
                       "the agent of " + peer.member + " at " + peer.address + " cannot be asked without certificates",
                       "name tls.agent, or another tls that agents can use"};
  }
  return std::nullopt;
}

std::shared_ptr<grpc::Channel> make_channel(const ports::Peer& peer, const Credentials& credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);                  // http_proxy is not meant for agents
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);                     // a nonce is asked for once
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);  // DNS gives addresses, not settings
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);          // a new channel is a new connection
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstPauseMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestPauseMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectMs);  // as long as one attempt may take
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPongMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_MAX_METADATA_SIZE, kLargestMetadata);
  arguments.SetMaxReceiveMessageSize(kLargestReport + kLargestQuestion);
  return grpc::CreateCustomChannel(target_of(peer), credentials.for_one_of({peer.address, peer.member}), arguments);
}

gpr_timespec deadline_in(base::Duration within) {
  const auto left = std::clamp(within, base::Duration(0), base::Duration(std::chrono::hours(1)));
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(left.count(), GPR_TIMESPAN));
}

base::Error explain(const ports::Peer& peer, const grpc::Status& status, base::Duration within) {
  const std::string text = status.error_message();
  const std::string start = "the agent of " + peer.member + " at " + address_text(peer.address, peer.port);
  if (const std::size_t at = text.find(kWrongName); at != std::string::npos) {
    return {ErrorKind::Invalid, start + " is not believed: " + kWrongName + peer.address + " or " + peer.member,
            "give it a certificate with its address or its name as subject alternative name"};
  }
  switch (status.error_code()) {
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {ErrorKind::Transient, start + " does not answer within " + base::to_string(within),
              "see whether it runs, and the network between; it is asked again next time"};
    case grpc::StatusCode::UNAVAILABLE:
      if (text.find("Connection refused") != std::string::npos) {
        return {ErrorKind::Transient, start + " does not run: connection refused",
                "start it, or correct its address and port"};
      }
      if (text.find("certificate verify failed") != std::string::npos) {
        return {ErrorKind::Invalid, start + " is not believed: its certificate is of another authority, or out of date",
                "compare tls.agent on both machines, and the certificate's dates"};
      }
      return {ErrorKind::Transient, start + ": no connection (" + quoted(text) + ")",
              "see that both use certificates of one authority, and the network between"};
    case grpc::StatusCode::UNIMPLEMENTED:
      return {ErrorKind::Invalid, start + ": what answers there is no agent (" + quoted(text) + ")",
              "check the port of the agents"};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return {ErrorKind::Transient,
              start + ": its answer is too large, or it has too much to do (" + quoted(text) + ")", "look at its log"};
    default:
      return {ErrorKind::Transient, start + ": an answer that makes no sense (" + quoted(text) + ")",
              "see that both agents are of releases that know each other"};
  }
}

}  // namespace quorate::peer_grpc
