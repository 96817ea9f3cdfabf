// The agents of the other members, over the network: asked for their reports, and followed for changes of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reconciler/adapters/peer_grpc/tls_files.h"
#include "reconciler/base/result.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/peers.h"

namespace quorate::peer_grpc {

struct PeersOptions {
  TlsFiles tls;                                            // our own certificate; none: peers on loopback only
  std::function<void(const std::string& member)> changed;  // from threads of ours; must return soon, and not call us
};

// Thread-safe.
class AgentPeers : public ports::Peers {
 public:
  // From now on `changed` is called when one of these says that its report has changed, when it can be reached (again),
  // and when its connection breaks. Replaces those that were followed before. Costs nothing while nothing happens.
  virtual void follow(const std::vector<ports::Peer>& peers) = 0;
};

// Fails when the files cannot be used. Clock and entropy outlive it.
base::Result<std::unique_ptr<AgentPeers>> make_peers(PeersOptions options, ports::Clock& clock,
                                                     ports::Entropy& entropy);

}  // namespace quorate::peer_grpc
