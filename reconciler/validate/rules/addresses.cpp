// Where members are: no two at one place, nothing that cannot be listened on, schemes that fit the TLS mode.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reconciler/base/net.h"
#include "reconciler/validate/bind_network.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/rules/rules.h"

namespace quorate::validate {
namespace {

using base::Url;
using model::Code;
using model::Finding;
using model::Member;
using model::Node;

const Node& place_of(const MemberPlace& place) {
  return place.address != nullptr ? *place.address : *place.name;
}

bool has_own_urls(const Context& context, std::size_t member) {
  const Node& value = *context.draft.places[member].value;
  return value.get("peerURLs") != nullptr && value.get("clientURLs") != nullptr;
}

void check_doubled_addresses(const Context& context) {
  const auto& members = context.desired().members;
  // In the order of the text, so that the later one is the mistake.
  std::vector<std::tuple<int, int, std::size_t>> by_place;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& at = context.draft.places[i].name->span.at;
    by_place.emplace_back(at.line, at.column, i);
  }
  std::sort(by_place.begin(), by_place.end());
  std::map<std::string, std::size_t> first;
  for (const auto& [line, column, i] : by_place) {
    const Member& member = members[i];
    if (member.address.empty()) continue;
    const auto [seen, added] = first.emplace(member.address, i);
    if (added || (has_own_urls(context, i) && has_own_urls(context, seen->second))) continue;
    Finding& finding =
        context.findings.add(Code::E103, place_of(context.draft.places[i]),
                             members[seen->second].name + " and " + member.name + " have the same address",
                             "expected an address no other member uses", "members." + member.name + ".address");
    context.findings.relate(finding, place_of(context.draft.places[seen->second]), "first used here");
  }
}

// The item of a member's own list that says this URL, else the member's address.
const Node& url_place(const Context& context, std::size_t member, std::string_view key, const Url& url) {
  const MemberPlace& place = context.draft.places[member];
  if (const Node* list = place.value->get(key)) {
    for (const Node* item : list->items) {
      base::UrlProblem problem;
      const auto parsed = base::parse_url(item->text, problem);
      if (parsed && *parsed == url) return *item;
    }
  }
  return place_of(place);
}

struct Told {
  std::size_t member = 0;
  std::string_view key;  // peerURLs or clientURLs
};

void report_doubled_url(const Context& context, const Told& first, const Told& second, const Url& url) {
  const auto& members = context.desired().members;
  const std::string& name = members[second.member].name;
  const bool own = first.member == second.member;
  Finding& finding = context.findings.add(
      Code::E103, url_place(context, second.member, second.key, url),
      (own ? name + " has the URL " : members[first.member].name + " and " + name + " have the URL ") +
          base::to_string(url) + (own ? " twice" : " in common"),
      "expected a URL no other member uses", "members." + name + "." + std::string(second.key));
  if (!own) context.findings.relate(finding, url_place(context, first.member, first.key, url), "first used here");
}

void check_doubled_urls(const Context& context) {
  const auto& members = context.desired().members;
  std::map<std::pair<std::string, std::uint16_t>, Told> first;
  const auto look = [&](const Told& told, const std::vector<Url>& urls) {
    for (const Url& url : urls) {
      const auto [seen, added] = first.emplace(std::make_pair(url.host, url.port), told);
      const Told& other = seen->second;
      if (added) continue;
      const std::size_t i = told.member;
      // One port for peers and clients of one member is a matter of listeners; one address of two members without URLs
      // of their own is already reported.
      if (other.member == i ? other.key != told.key
                            : members[other.member].address == members[i].address &&
                                  !(has_own_urls(context, i) && has_own_urls(context, other.member))) {
        continue;
      }
      report_doubled_url(context, other, told, url);
    }
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    look({i, "peerURLs"}, members[i].peer_urls);
    look({i, "clientURLs"}, members[i].client_urls);
  }
}

void check_scheme(const Context& context, std::size_t member, std::string_view key) {
  const Node* list = context.draft.places[member].value->get(key);
  if (list == nullptr) return;
  const bool off = context.desired().tls.mode == model::TlsMode::Off;
  for (const Node* item : list->items) {
    base::UrlProblem problem;
    const auto url = base::parse_url(item->text, problem);
    if (!url || (url->scheme == "http") == off) continue;
    context.findings.add(
        Code::E112, *item,
        "the URL is " + url->scheme + ", but tls.mode is " + context.fields.text_or_default("tls.mode"),
        std::string("expected ") + (off ? "http" : "https") + "://...",
        "members." + context.desired().members[member].name + "." + std::string(key));
  }
}

bool has_own_ports(const Node& value) {
  return value.get("peerURLs") != nullptr || value.get("clientURLs") != nullptr;
}

struct Socket {
  Url url;
  std::size_t member = 0;
  std::string_view what;
};

constexpr std::string_view kAgents = "agents";

std::vector<Socket> sockets_of(const Context& context, std::size_t i) {
  const Member& member = context.desired().members[i];
  std::vector<Socket> sockets;
  if (!member.managed) return sockets;  // where it listens is not for this file to say
  for (const Url& url : member.listen_peer) sockets.push_back({url, i, "peers"});
  for (const Url& url : member.listen_client) sockets.push_back({url, i, "clients"});
  for (const Url& url : member.listen_metrics) sockets.push_back({url, i, "metrics"});
  return sockets;
}

// Agents listen on the address of their member, outside of any pod.
std::vector<Socket> agent_socket_of(const Context& context, std::size_t i) {
  const Member& member = context.desired().members[i];
  const bool kubernetes = std::holds_alternative<model::KubernetesRuntime>(context.desired().runtime);
  if (!member.managed || kubernetes || member.address.empty()) return {};
  return {{{"https", base::is_ip(member.address) ? member.address : "0.0.0.0", member.agent_port}, i, kAgents}};
}

bool collide(const Url& a, const Url& b) {
  return a.port == b.port && a.port != 0 &&
         (a.host == b.host || base::is_unspecified(a.host) || base::is_unspecified(b.host));
}

void report_between(const Context& context, const Socket& first, const Socket& second) {
  const auto& members = context.desired().members;
  Finding& finding =
      context.findings.add(Code::E113, place_of(context.draft.places[second.member]),
                           members[first.member].name + " and " + members[second.member].name +
                               " would both listen on port " + std::to_string(second.url.port) + " of one node",
                           "expected another port or another listen address", "members." + members[second.member].name);
  context.findings.relate(finding, place_of(context.draft.places[first.member]), "listens there, too");
}

// Of one member: the ports stand in network.ports for all members, or in the URLs of this one.
void report_within(const Context& context, const Socket& first, const Socket& second) {
  const Member& member = context.desired().members[second.member];
  const Node& value = *context.draft.places[second.member].value;
  const bool agent = second.what == kAgents;
  const bool own = has_own_ports(value) || (agent && value.get("agentPort") != nullptr);
  const bool said = agent && context.fields.node("network.ports.agent") != nullptr;
  const Node& place = own ? place_of(context.draft.places[second.member])
                          : context.nearest(said ? "network.ports.agent" : "network.ports.client");
  context.findings.add(Code::E113, place,
                       (own ? member.name : std::string("every member")) + " would listen on port " +
                           std::to_string(second.url.port) + " for " + std::string(first.what) + " and for " +
                           std::string(second.what),
                       "expected different ports", own ? "members." + member.name : "network.ports");
}

// Do they tell others one URL, or one address without URLs of their own? That has a finding of its own.
bool have_url_in_common(const Context& context, std::size_t a, std::size_t b, std::uint16_t port) {
  const auto& members = context.desired().members;
  if (members[a].address != members[b].address) return false;
  if (!has_own_urls(context, a) || !has_own_urls(context, b)) return true;
  const auto tells = [&](std::size_t i) {
    const auto is_it = [&](const Url& url) { return url.port == port; };
    const Member& member = members[i];
    return std::any_of(member.peer_urls.begin(), member.peer_urls.end(), is_it) ||
           std::any_of(member.client_urls.begin(), member.client_urls.end(), is_it);
  };
  return tells(a) && tells(b);
}

void check_collisions(const Context& context) {
  const auto& members = context.desired().members;
  std::map<std::string, std::vector<Socket>> by_node;
  std::set<std::pair<std::size_t, std::size_t>> reported;
  bool within_all = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool own = has_own_ports(*context.draft.places[i].value);
    const auto look = [&](const std::string& key, const std::vector<Socket>& sockets) {
      auto& taken = by_node[key];
      for (const Socket& socket : sockets) {
        for (const Socket& other : taken) {
          if (!collide(other.url, socket.url)) continue;
          const bool within = other.member == i;
          // The port of an agent follows that of its member's peers.
          const bool follows = socket.what == kAgents && !members[i].peer_urls.empty();
          const std::uint16_t port = follows ? members[i].peer_urls.front().port : socket.url.port;
          if (!within && have_url_in_common(context, i, other.member, port)) continue;
          if (within && !own && std::exchange(within_all, true)) continue;
          if (!reported.emplace(other.member, i).second) continue;
          (within ? report_within : report_between)(context, other, socket);
        }
        taken.push_back(socket);
      }
    };
    look(node_key(context, i), sockets_of(context, i));
    look("machine " + std::to_string(machine_of(context, i)), agent_socket_of(context, i));
  }
}

void check_loopback(const Context& context) {
  const auto& members = context.desired().members;
  std::optional<std::size_t> on_loopback;
  std::optional<std::size_t> elsewhere;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const Url& url : members[i].peer_urls) {
      auto& kind = base::is_loopback(url.host) ? on_loopback : elsewhere;
      if (!kind) kind = i;
    }
  }
  if (!on_loopback || !elsewhere) return;
  Finding& finding = context.findings.add(
      Code::E117, place_of(context.draft.places[*on_loopback]),
      members[*on_loopback].name + " is on a loopback address, which " + members[*elsewhere].name + " cannot reach",
      "expected an address that all members reach", "members." + members[*on_loopback].name + ".address");
  context.findings.relate(finding, place_of(context.draft.places[*elsewhere]), "this one is elsewhere");
}

// Why a word of a listen list does not work for this member; empty: it does.
std::string objection(const Context& context, const Member& member, const std::string& word) {
  if (has_own_network(context.desired().runtime)) {
    if (word == "any" || base::is_unspecified(word)) return {};
    return "a pod with a network of its own does not know its address, and nobody reaches its loopback";
  }
  if (word != "node" || base::is_ip(member.address)) return {};
  return "etcd cannot listen on " + member.address + ": it binds to IP addresses only";
}

// Words that all members share are judged once, by the first member that they do not fit.
void check_listen(const Context& context, std::size_t i, std::string_view key, std::set<const Node*>& judged) {
  const Member& member = context.desired().members[i];
  const Node* own = at(*context.draft.places[i].value, {"listen", key});
  const Node* words = own != nullptr ? own : context.fields.node("network.listen." + std::string(key));
  if (words == nullptr || member.address.empty() || !member.managed) return;
  const std::string path = "members." + member.name + ".listen." + std::string(key);
  for (const Node* word : words->items) {
    const std::string why = objection(context, member, word->text);
    if (why.empty() || !judged.insert(word).second) continue;
    context.findings.add(Code::E119, *word, why, "expected any, or an IP address", path);
  }
  const auto is_local = [](const Url& url) { return base::is_loopback(url.host); };
  const bool heard = key != "peer" || !std::all_of(member.listen_peer.begin(), member.listen_peer.end(), is_local);
  const bool local = std::any_of(member.peer_urls.begin(), member.peer_urls.end(), is_local);
  if (heard || local || member.listen_peer.empty() || !judged.insert(words).second) return;
  context.findings.add(Code::E119, *words, "other members cannot reach " + member.name + " on loopback",
                       "expected node or any", path);
}

void check_plain(const Context& context) {
  if (context.desired().tls.mode != model::TlsMode::Off) return;
  for (const Member& member : context.desired().members) {
    for (const auto* urls : {&member.listen_client, &member.listen_peer}) {
      for (const Url& url : *urls) {
        if (base::is_loopback(url.host)) continue;
        const auto& told = urls == &member.listen_client ? member.client_urls : member.peer_urls;
        context.findings.add(Code::W203, context.nearest("tls.mode"),
                             "without TLS, whoever reaches " + base::to_string(told.empty() ? url : told.front()) +
                                 " can read and change everything",
                             "expected mutual", "tls.mode");
        return;
      }
    }
  }
}

}  // namespace

std::size_t machine_of(const Context& context, std::size_t i) {
  const auto& members = context.desired().members;
  for (std::size_t j = 0; j < i; ++j) {
    const bool local = base::is_loopback(members[i].address) && base::is_loopback(members[j].address);
    if (local || members[i].node == members[j].node || members[i].address == members[j].address) {
      return machine_of(context, j);
    }
  }
  return i;
}

std::string node_key(const Context& context, std::size_t i) {
  if (has_own_network(context.desired().runtime)) return "pod " + std::to_string(i);
  return "machine " + std::to_string(machine_of(context, i));
}

void check_addresses(const Context& context) {
  check_doubled_addresses(context);
  check_doubled_urls(context);
  std::set<const Node*> judged;
  for (std::size_t i = 0; i < context.draft.places.size(); ++i) {
    for (const std::string_view key : {"peerURLs", "clientURLs"}) check_scheme(context, i, key);
    for (const std::string_view key : {"peer", "client", "metrics"}) check_listen(context, i, key, judged);
  }
  check_collisions(context);
  check_loopback(context);
  check_plain(context);
}

}  // namespace quorate::validate
