// Working out URLs. The ports of listeners are the ports of the URLs: a member listens where it says it is.
#include "reconciler/validate/bind_network.h"

#include <algorithm>
#include <optional>

#include "reconciler/validate/read.h"

namespace quorate::validate {
namespace {

using base::Url;
using model::Member;
using model::Node;

// The schema takes as many and reports more.
constexpr std::size_t kMostEntries = 16;

bool runs_in_pod(const model::Runtime& runtime) {
  return std::holds_alternative<model::StaticPodRuntime>(runtime) ||
         std::holds_alternative<model::KubernetesRuntime>(runtime);
}

std::uint16_t port_of(std::int64_t number) {
  return number >= 1 && number <= 65535 ? static_cast<std::uint16_t>(number) : std::uint16_t{0};
}

// Beside the peer port, so that clusters with ports of their own on one node do not meet here either.
std::int64_t pod_metrics_port(const Fields& fields) {
  const std::int64_t peer = fields.number_or_default("network.ports.peer");
  return peer < 65535 ? peer + 1 : peer - 2;
}

std::vector<Url> parsed(const Node& list) {
  std::vector<Url> urls;
  for (const std::string& text : texts(list, kMostEntries)) {
    base::UrlProblem problem;
    if (auto url = base::parse_url(text, problem)) urls.push_back(std::move(*url));
  }
  return urls;
}

struct Sockets {
  std::string scheme;
  std::vector<std::uint16_t> ports;
  const Member& member;
};

// The hosts that the words stand for; etcd binds to IP addresses only, so a DNS name gives none.
std::vector<std::string> hosts_of(const std::vector<std::string>& words, const Member& member) {
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (has("any")) return {base::is_ipv6(member.address) ? "::" : "0.0.0.0"};
  std::vector<std::string> hosts;
  for (const std::string& word : words) {
    std::string host = word;
    if (word == "node") {
      host = base::is_ip(member.address) ? member.address : "";
    } else if (word == "loopback") {
      // A member on a loopback address is reached there already.
      host = has("node") && base::is_loopback(member.address) ? "" : "127.0.0.1";
    }
    host = base::canonical_host(host);
    if (!host.empty() && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return hosts;
}

std::vector<Url> listeners(const std::vector<std::string>& words, const Sockets& sockets) {
  std::vector<Url> urls;
  for (const std::string& host : hosts_of(words, sockets.member)) {
    for (const std::uint16_t port : sockets.ports) urls.push_back({sockets.scheme, host, port});
  }
  return urls;
}

std::vector<std::uint16_t> ports_of(const std::vector<Url>& urls) {
  std::vector<std::uint16_t> ports;
  for (const Url& url : urls) {
    if (std::find(ports.begin(), ports.end(), url.port) == ports.end()) ports.push_back(url.port);
  }
  return ports;
}

// As far from the usual agent port as its peer port is from the usual peer port, so that members on one address need
// no third port in the file.
std::int64_t beside_its_peers(const Fields& fields, const Member& member) {
  const std::int64_t usual = fields.number_or_default("network.ports.agent");
  if (member.peer_urls.empty()) return usual;
  const std::int64_t port = usual + member.peer_urls.front().port - fields.number_or_default("network.ports.peer");
  return port_of(port) != 0 ? port : usual;
}

}  // namespace

void bind_agent_ports(const Fields& fields, Draft& draft) {
  auto& members = draft.desired.members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto shares = [&](const Member& other) {
      return &other != &members[i] && !other.address.empty() && other.address == members[i].address;
    };
    const bool shared = std::any_of(members.begin(), members.end(), shares);
    const Node* own = draft.places[i].value->get("agentPort");
    const auto given = own != nullptr ? integer(*own) : std::nullopt;
    std::int64_t port = fields.number_or_default("network.ports.agent");
    if (shared) port = beside_its_peers(fields, members[i]);
    members[i].agent_port = port_of(given.value_or(port));
  }
}

bool has_own_network(const model::Runtime& runtime) {
  const auto* pod = std::get_if<model::StaticPodRuntime>(&runtime);
  return std::holds_alternative<model::KubernetesRuntime>(runtime) || (pod != nullptr && !pod->host_network);
}

void bind_urls(const Fields& fields, const Node& value, const model::Desired& desired, Member& member) {
  const std::string scheme = desired.tls.mode == model::TlsMode::Off ? "http" : "https";
  const bool any = has_own_network(desired.runtime) || !base::is_ip(member.address);

  const auto advertised = [&](std::string_view key, std::string_view port) -> std::vector<Url> {
    if (const Node* own = value.get(key)) return parsed(*own);
    if (member.address.empty()) return {};
    return {{scheme, member.address, port_of(fields.number_or_default(port))}};
  };
  const auto words = [&](std::string_view key, std::vector<std::string> otherwise) {
    if (const Node* own = at(value, {"listen", key})) return texts(*own, kMostEntries);
    if (const Node* all = fields.node("network.listen." + std::string(key))) return texts(*all, kMostEntries);
    return any ? std::vector<std::string>{"any"} : otherwise;
  };

  member.peer_urls = advertised("peerURLs", "network.ports.peer");
  member.client_urls = advertised("clientURLs", "network.ports.client");
  std::sort(member.peer_urls.begin(), member.peer_urls.end());
  std::sort(member.client_urls.begin(), member.client_urls.end());
  member.listen_peer = listeners(words("peer", {"node"}), {scheme, ports_of(member.peer_urls), member});
  member.listen_client =
      listeners(words("client", {"node", "loopback"}), {scheme, ports_of(member.client_urls), member});

  std::optional<std::int64_t> metrics = fields.number("network.ports.metrics");
  if (!metrics && runs_in_pod(desired.runtime)) metrics = pod_metrics_port(fields);
  if (!metrics) return;
  std::vector<std::string> where = {has_own_network(desired.runtime) ? "any" : "loopback"};
  if (const Node* given = fields.node("network.listen.metrics")) where = texts(*given, kMostEntries);
  member.listen_metrics = listeners(where, {"http", {port_of(*metrics)}, member});
}

}  // namespace quorate::validate
