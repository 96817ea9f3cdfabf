// The command line and the agent of this machine, over a unix socket: one request, any number of events, an end.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::peer_grpc {

struct SocketAddress {
  std::string path;   // absolute
  std::string group;  // whose members may use it, too; empty, or one that this machine does not know: the folder's
};

// Where the answers to one request go.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  virtual bool send(const std::string& json) const = 0;  // false: whoever asked has gone
  virtual bool gone() const = 0;
};

// On a thread of its own per request; returns soon after the one who asked has gone.
using Answerer = std::function<void(const std::string& request, const Sink& sink)>;

class LocalServer {
 public:
  LocalServer() = default;
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;
  virtual ~LocalServer() = default;  // waits for requests under way, which see that those who asked are gone
};

// Listens when it returns, at a socket of mode 0660 that belongs to the group of its place; makes the folder where
// there is none. A socket that a dead agent left is replaced; where one lives: Refused.
base::Result<std::unique_ptr<LocalServer>> make_local_server(const SocketAddress& address, Answerer answer);

struct LocalCall {
  std::string path;
  std::string request;
  base::Duration within{};                                // 0: as long as it takes
  std::function<bool(const std::string& json)> on_event;  // false: enough
  std::function<bool()> stop;  // asked ten times a second, if given; true: gives up, as if it had been enough
};

// Returns when the agent has said all. Transient: nothing was asked, no agent is there. Ambiguous: the agent went away,
// or was silent for too long, and may do what was asked. Refused: this user may not use the socket.
base::Result<void> call_local(const LocalCall& call);

}  // namespace quorate::peer_grpc
