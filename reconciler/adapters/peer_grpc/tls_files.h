// Where an agent's certificate, its key and the authority of all agents lie.
#pragma once

#include <string>

namespace quorate::peer_grpc {

// PEM; all three or none. None: plain text, on loopback only.
struct TlsFiles {
  std::string cert;  // with its chain
  std::string key;
  std::string ca;
  bool empty() const { return cert.empty() && key.empty() && ca.empty(); }
};

}  // namespace quorate::peer_grpc
