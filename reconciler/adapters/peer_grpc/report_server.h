// Answers the other agents: what this one sees of its own node, and that it has changed.
#pragma once

#include <memory>
#include <string>

#include "reconciler/adapters/peer_grpc/tls_files.h"
#include "reconciler/base/result.h"
#include "reconciler/ports/peers.h"

namespace quorate::peer_grpc {

struct ServerOptions {
  std::string address;  // to listen at: an IP address or a name of this machine
  int port = 0;         // 0: any that is free
  TlsFiles tls;         // of this member: others believe a report over a certificate with its address or name only
};

class ReportServer {
 public:
  ReportServer() = default;
  ReportServer(const ReportServer&) = delete;
  ReportServer& operator=(const ReportServer&) = delete;
  virtual ~ReportServer() = default;  // waits for a report that is being made

  virtual int port() const = 0;
  // A report would now say something else: whoever watches is told. From any thread, as often as you like.
  virtual void changed() = 0;
};

// Listens when it returns. Invalid: the files, or no TLS anywhere but on loopback. The reporter outlives it.
base::Result<std::unique_ptr<ReportServer>> make_report_server(const ServerOptions& options, ports::Reporter& reporter);

}  // namespace quorate::peer_grpc
