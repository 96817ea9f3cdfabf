// A connection to another agent, with nothing left to gRPC's surroundings.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <grpcpp/grpcpp.h>

#include "reconciler/adapters/peer_grpc/tls.h"
#include "reconciler/base/units.h"
#include "reconciler/ports/peers.h"

namespace quorate::peer_grpc {

// Why this one is not asked at all; nothing when it may be.
std::optional<base::Error> problem_of(const ports::Peer& peer, bool plain);

// Connects when it is first used.
std::shared_ptr<grpc::Channel> make_channel(const ports::Peer& peer, const Credentials& credentials);

// On the clock that nobody sets.
gpr_timespec deadline_in(base::Duration within);

// What a failed question means.
base::Error explain(const ports::Peer& peer, const grpc::Status& status, base::Duration within);

}  // namespace quorate::peer_grpc
