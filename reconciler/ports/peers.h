// The agents of the other members: each is asked about its own node, and nobody takes orders.
#pragma once

#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/model/agent_report.h"

namespace quorate::ports {

struct Peer {
  std::string member;
  std::string address;  // as the desired file says; what its certificate must name
  int port = 0;
};

struct PeerAnswer {
  std::string member;
  base::Result<model::AgentReport> report = base::invalid("nobody asked");
};

class Peers {
 public:
  Peers() = default;
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  virtual ~Peers() = default;

  // Asks all of them at once, each with a fresh nonce, and believes only an answer that carries it, that speaks for the
  // member that was asked, and that came over a connection whose certificate names it. One answer per peer, in order;
  // one that is silent costs `within` in total.
  virtual std::vector<PeerAnswer> ask(const std::string& cluster, const std::vector<Peer>& peers,
                                      base::Duration within) = 0;
};

// Our own side: answers whoever asks, each time with a fresh look.
class Reporter {
 public:
  Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  virtual ~Reporter() = default;

  virtual model::AgentReport report(const std::string& nonce) = 0;  // from any thread
};

}  // namespace quorate::ports
