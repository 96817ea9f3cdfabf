// An agent that sees the agents of other machines over the network, and is seen by them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reconciler/cli/member_agent.h"

namespace quorate::cli {

struct NetLinkOptions {
  std::string member;
  std::string folder;             // of the member: where it listened last is kept there
  std::function<void()> changed;  // another agent reports something new
};

// Listens at the member's address and port of the file, under the certificates that tls.agent names there; once the
// file has dropped the member, where it listened last, since that is where the others still ask. Moves with the file;
// where it cannot yet, it stays where it is, says so, and tries again with each pass.
base::Result<std::unique_ptr<PeerLink>> make_net_link(NetLinkOptions options, const loop::Followed& followed,
                                                      ports::Reporter& reporter, const Shared& shared);

}  // namespace quorate::cli
