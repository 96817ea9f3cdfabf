// An agent that sees the agents of other machines over the network, and is seen by them.
#pragma once

#include <functional>
#include <memory>

#include "reconciler/cli/member_agent.h"

namespace quorate::cli {

// Listens at the member's address and port of the file, under the certificates that tls.agent names there.
base::Result<std::unique_ptr<PeerLink>> make_net_link(const loop::Followed& followed, const std::string& member,
                                                      ports::Reporter& reporter, std::function<void()> changed,
                                                      ports::Clock& clock, ports::Entropy& entropy);

}  // namespace quorate::cli
