// Who is reached from here, and which ports of this machine are taken by somebody else.
#include <functional>
#include <map>
#include <set>

#include "reconciler/adapters/system/node.h"
#include "reconciler/adapters/system/probes.h"
#include "reconciler/cli/examine.h"

namespace quorate::cli {
namespace {

using adapters::system::Port;
using model::Member;
using report::Examined;
using report::Finds;

constexpr std::size_t kThreads = 16;

bool has_agents(const model::Desired& desired) {
  return !std::holds_alternative<model::KubernetesRuntime>(desired.runtime);
}

Examined examine_client_url(const std::string& member, const std::string& url, const model::Observed& observed) {
  for (const model::EndpointAnswer& each : observed.endpoints) {
    if (each.endpoint != url) continue;
    if (each.cluster) {
      return {Finds::Ok, member, "etcd answers at " + url + ", of cluster " + base::to_string(*each.cluster), ""};
    }
    return {Finds::Fail, member, "etcd does not answer at " + url + ": " + each.cluster.why(),
            "see whether it runs there, and whether a firewall or a certificate is in the way"};
  }
  return {Finds::Warn, member, "nobody asked at " + url, "leave --endpoints out to ask every member of the file"};
}

Examined examine_peer(const std::string& member, const base::Url& url, base::Duration within) {
  const auto reached = adapters::system::reach(url.host, url.port, within);
  const std::string where = base::to_string(url);
  if (reached) return {Finds::Ok, member, "the peer port is reached: " + where, ""};
  return {Finds::Fail, member, "the peer port is not reached: " + where + ": " + reached.error().message,
          "members need it to vote; see whether etcd runs there, then firewalls"};
}

Examined examine_agent(const Member& member, base::Duration within) {
  const auto reached = adapters::system::reach(member.address, member.agent_port, within);
  const std::string where = member.address + " port " + std::to_string(member.agent_port);
  if (reached) return {Finds::Ok, member.name, "its agent is reached: " + where, ""};
  return {Finds::Warn, member.name, "its agent is not reached: " + where + ": " + reached.error().message,
          "other agents count it as silent and act on what is left; start the agent there, or open the port"};
}

// One cluster has one ID; two mean that somebody's data or somebody's file is wrong.
void examine_identity(const model::Observed& observed, Examination& examination) {
  std::map<std::string, std::string> first;
  for (const model::EndpointAnswer& each : observed.endpoints) {
    if (each.cluster) first.emplace(base::to_string(*each.cluster), each.endpoint);
  }
  if (first.size() < 2) return;
  std::string text = "these addresses belong to more than one cluster:";
  for (const auto& [id, endpoint] : first) text += " " + id + " at " + endpoint;
  examination.push_back({Finds::Fail, "cluster", text, "stop every change until it is known which one is yours"});
}

struct Listener {
  std::string address;
  std::uint16_t port = 0;
  std::string what;
  bool ours = false;  // etcd itself holds it while it runs
};

std::vector<Listener> listeners_of(const model::Desired& desired, const Member& member) {
  std::vector<Listener> listeners;
  const auto add = [&](const std::vector<base::Url>& urls, const std::string& what) {
    for (const base::Url& url : urls) listeners.push_back({url.host, url.port, what, true});
  };
  add(member.listen_peer, "peers");
  add(member.listen_client, "clients");
  add(member.listen_metrics, "metrics");
  if (has_agents(desired)) {
    const std::string address = base::is_ip(member.address) ? member.address : "0.0.0.0";
    listeners.push_back({address, member.agent_port, "its agent", false});
  }
  return listeners;
}

Examined examine_listener(const Listener& listener, const std::string& member, bool runs) {
  const std::string where = listener.address + " port " + std::to_string(listener.port) + ", for " + listener.what;
  const auto port = adapters::system::look_at_port(listener.address, listener.port);
  if (!port) return {Finds::Warn, member, where + ": " + port.error().message, port.error().help};
  switch (*port) {
    case Port::Free:
      if (!listener.ours || !runs) return {Finds::Ok, member, where + ": free", ""};
      return {Finds::Warn, member, where + ": nothing listens, though etcd runs",
              "it runs with another configuration than the file asks for; see quorate plan"};
    case Port::Taken:
      if (listener.ours && !runs) {
        return {Finds::Fail, member, where + ": taken, and not by this member, which does not run",
                "ss -ltnp shows by whom; etcd would end at start"};
      }
      return {Finds::Ok, member, where + (listener.ours ? ": held by the running etcd" : ": held, as by its agent"),
              ""};
    case Port::NotOurs:
      return {Finds::Fail, member, where + ": the address is none of this machine",
              "see the member's address in the file, and ip address here"};
    case Port::Forbidden:
      return {Finds::Warn, member, where + ": this user may not listen there", "run doctor as the user of the agent"};
  }
  return {};
}

}  // namespace

void examine_network(const model::Desired& desired, const model::Observed& observed, base::Duration within,
                     Examination& examination) {
  std::vector<std::vector<Examined>> found(desired.members.size());
  std::vector<std::function<void()>> jobs;
  for (std::size_t i = 0; i < desired.members.size(); ++i) {
    const Member& member = desired.members[i];
    std::vector<Examined>& own = found[i];
    jobs.emplace_back([&desired, &observed, &member, &own, within] {
      for (const base::Url& url : member.client_urls) {
        own.push_back(examine_client_url(member.name, base::to_string(url), observed));
      }
      for (const base::Url& url : member.peer_urls) own.push_back(examine_peer(member.name, url, within));
      if (has_agents(desired) && member.managed && !member.address.empty()) {
        own.push_back(examine_agent(member, within));
      }
    });
  }
  adapters::system::make_parallel(kThreads)->run(std::move(jobs));
  examine_identity(observed, examination);
  for (const std::vector<Examined>& own : found) examination.insert(examination.end(), own.begin(), own.end());
}

void examine_ports(const model::Desired& desired, const Member& member, ports::Node& node, Examination& examination) {
  const auto process = node.process_of(member);
  if (!process) {
    examination.push_back({Finds::Warn, member.name, "whether etcd runs cannot be told: " + process.error().message,
                           "run doctor as root"});
    return;
  }
  for (const Listener& listener : listeners_of(desired, member)) {
    examination.push_back(examine_listener(listener, member.name, process->running));
  }
}

}  // namespace quorate::cli
