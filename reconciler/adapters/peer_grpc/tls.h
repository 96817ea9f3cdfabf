// The agents' own TLS: both sides show a certificate, and a server's has to name the one who was asked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "reconciler/adapters/peer_grpc/tls_files.h"
#include "reconciler/base/result.h"

namespace quorate::peer_grpc {

// Whether the three files can be read and belong together, and where they may be left out.
std::optional<base::Error> problem_of(const TlsFiles& files);

// Credentials that follow the files: a renewed certificate is used from the next connection on.
class Credentials {
 public:
  explicit Credentials(const TlsFiles& files);

  std::shared_ptr<grpc::ServerCredentials> of_server() const;
  // For a server whose certificate carries one of these as a SAN; a name may be an IP address.
  std::shared_ptr<grpc::ChannelCredentials> for_one_of(std::vector<std::string> names) const;

 private:
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider_;  // none: plain text
};

// How it begins when a certificate names somebody else.
inline constexpr const char* kWrongName = "its certificate is not for ";

// 10.0.0.1:7380, [fd00::1]:7380
std::string address_text(const std::string& host, int port);
// Before anything else of gRPC: its log stays off, because what went wrong is in our errors, and it stays up until the
// process ends, because taking it down with the last object of it waits for up to 10 s.
void prepare_grpc();

}  // namespace quorate::peer_grpc
