// gRPC's credentials out of files, with a check of names that accepts the address or the member's name.
#include "reconciler/adapters/peer_grpc/tls.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "reconciler/base/net.h"

namespace quorate::peer_grpc {
namespace {

namespace tls = grpc::experimental;

constexpr unsigned kSecondsBetweenLooks = 5;  // at the files

void say_nothing(gpr_log_func_args*) {}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// "*.example.org" is for every name with one label more.
bool is_for(const std::string& pattern, const std::string& name) {
  if (pattern == name) return true;
  if (pattern.rfind("*.", 0) != 0) return false;
  const std::size_t dot = name.find('.');
  return dot != std::string::npos && dot > 0 && name.compare(dot, std::string::npos, pattern, 1) == 0;
}

class Names final : public tls::ExternalCertificateVerifier {
 public:
  explicit Names(std::vector<std::string> wanted) : wanted_(std::move(wanted)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)> /*callback*/,
              grpc::Status* status) override {
    const auto text = [](const grpc::string_ref& name) { return std::string(name.data(), name.size()); };
    for (const std::string& name : wanted_) {
      if (base::is_ip(name)) {
        for (const auto& ip : request->ip_names()) {
          if (base::canonical_host(text(ip)) == base::canonical_host(name)) return true;
        }
        continue;
      }
      for (const auto& dns : request->dns_names()) {
        if (is_for(lower(text(dns)), lower(name))) return true;
      }
    }
    std::string all;
    for (const std::string& name : wanted_) all += (all.empty() ? "" : " or ") + name;
    *status = grpc::Status(grpc::StatusCode::UNAUTHENTICATED, kWrongName + all);
    return true;
  }
  void Cancel(tls::TlsCustomVerificationCheckRequest* /*request*/) override {}

 private:
  std::vector<std::string> wanted_;
};

std::optional<base::Error> unreadable(const std::string& path, const std::string& what) {
  std::ifstream file(path, std::ios::binary);
  if (file && file.peek() != std::ifstream::traits_type::eof()) return std::nullopt;
  return base::Error{base::ErrorKind::Invalid, what + " " + path + " cannot be read, or is empty",
                     "check the path, and that this user may read the file"};
}

}  // namespace

std::optional<base::Error> problem_of(const TlsFiles& files) {
  if (files.empty()) return std::nullopt;
  if (files.cert.empty() || files.key.empty() || files.ca.empty()) {
    return base::Error{base::ErrorKind::Invalid, "the agents' TLS needs a certificate, its key and an authority",
                       "name all three files, or none where every member is on loopback"};
  }
  if (auto problem = unreadable(files.cert, "the agent's certificate")) return problem;
  if (auto problem = unreadable(files.key, "the agent's key")) return problem;
  if (auto problem = unreadable(files.ca, "the agents' authority")) return problem;
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_method()), &SSL_CTX_free);
  std::optional<base::Error> problem;
  if (!context) {
    problem = base::Error{base::ErrorKind::Transient, "OpenSSL cannot be used", "see whether memory is short"};
  } else if (SSL_CTX_use_certificate_chain_file(context.get(), files.cert.c_str()) != 1) {
    problem = base::Error{base::ErrorKind::Invalid, "the agent's certificate " + files.cert + " is none",
                          "name the file that holds the PEM text"};
  } else if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
             SSL_CTX_check_private_key(context.get()) != 1) {
    problem =
        base::Error{base::ErrorKind::Invalid, "the agent's key " + files.key + " is none, or not that of " + files.cert,
                    "name the key that the certificate was made for"};
  } else if (SSL_CTX_load_verify_locations(context.get(), files.ca.c_str(), nullptr) != 1) {
    problem = base::Error{base::ErrorKind::Invalid, "the agents' authority " + files.ca + " holds no certificate",
                          "name the file that holds the PEM text"};
  }
  ERR_clear_error();
  return problem;
}

Credentials::Credentials(const TlsFiles& files) {
  prepare_grpc();
  if (files.empty()) return;
  provider_ =
      std::make_shared<tls::FileWatcherCertificateProvider>(files.key, files.cert, files.ca, kSecondsBetweenLooks);
}

std::shared_ptr<grpc::ServerCredentials> Credentials::of_server() const {
  if (!provider_) return grpc::InsecureServerCredentials();
  tls::TlsServerCredentialsOptions options(provider_);
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return tls::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> Credentials::for_one_of(std::vector<std::string> names) const {
  if (!provider_) return grpc::InsecureChannelCredentials();
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(provider_);
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_verify_server_certs(true);
  options.set_check_call_host(false);  // the names below are checked instead, once per connection
  options.set_certificate_verifier(tls::ExternalCertificateVerifier::Create<Names>(std::move(names)));
  return tls::TlsCredentials(options);
}

std::string address_text(const std::string& host, int port) {
  return (base::is_ipv6(host) ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

void prepare_grpc() {
  gpr_set_log_function(say_nothing);
  static std::once_flag once;
  std::call_once(once, grpc_init);
}

}  // namespace quorate::peer_grpc
