// What the command line asks the agents of this machine, and how they answer: small JSON documents over the socket.
#pragma once

#include <string>

#include "reconciler/adapters/peer_grpc/local.h"
#include "reconciler/cli/crew.h"

namespace quorate::cli {

// {"ask": "observation"}, {"ask": "file"}, {"ask": "passes"}, {"ask": "said", ...}, {"say": "allow", ...},
// {"say": "pause", ...},
// {"say": "resume"}
void answer_request(Crew& crew, const std::string& request, const peer_grpc::Sink& sink);

}  // namespace quorate::cli
