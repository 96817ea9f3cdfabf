// Agents of one process see each other: asked directly, without a network, and with the same rules for what is
// believed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/peers.h"

namespace quorate::local_peers {

using Changed = std::function<void(const std::string& member)>;

// One agent's place: it asks the others through it, and is asked as long as it lives.
class Seat : public ports::Peers {
 public:
  // What this agent reports is another thing now: each other one's `changed` is called before this returns.
  virtual void changed() = 0;
};

// Thread-safe. Each agent has a thread that makes its reports, so that one that hangs costs the others their deadline
// and no more. A seat may outlive the board; it goes before its reporter, and waits for a report that is under way.
class Board {
 public:
  Board(ports::Clock& clock, ports::Entropy& entropy);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // `changed` is called from other agents' threads, and must neither ask nor leave. Conflict: the member has an agent
  // already.
  base::Result<std::unique_ptr<Seat>> join(const std::string& cluster, const std::string& member,
                                           ports::Reporter& reporter, Changed changed);

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace quorate::local_peers
