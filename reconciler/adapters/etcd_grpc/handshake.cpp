// One TLS handshake over a socket of our own, with a deadline; its failure is read from OpenSSL and from the alerts.
#include "reconciler/adapters/etcd_grpc/handshake.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reconciler/adapters/etcd_grpc/pems.h"

namespace quorate::etcd_grpc {
namespace {

using base::ErrorKind;
using TimePoint = std::chrono::steady_clock::time_point;

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using Connection = std::unique_ptr<SSL, Free<SSL_free>>;
using Cert = std::unique_ptr<X509, Free<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;

Bio reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int no_passphrase(char*, int, int, void*) {
  return 0;  // nobody is asked for one
}

Cert first_certificate(const std::string& pem) {
  return Cert(PEM_read_bio_X509(reader(pem).get(), nullptr, no_passphrase, nullptr));
}

// Every certificate of the text is trusted.
void trust(SSL_CTX* context, const std::string& pem) {
  if (pem.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return;
  }
  const Bio bio = reader(pem);
  while (const Cert certificate{PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr)}) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get());
  }
}

void show(SSL_CTX* context, const Pems& pems) {
  if (pems.cert.empty()) return;
  const Bio bio = reader(pems.cert);
  bool first = true;
  while (Cert certificate{PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr)}) {
    if (first) {
      SSL_CTX_use_certificate(context, certificate.get());
    } else {
      SSL_CTX_add1_chain_cert(context, certificate.get());
    }
    first = false;
  }
  const Key key(PEM_read_bio_PrivateKey(reader(pems.key).get(), nullptr, no_passphrase, nullptr));
  if (key) SSL_CTX_use_PrivateKey(context, key.get());
}

// A socket that never blocks for longer than until a moment.
class Socket {
 public:
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  explicit Socket(TimePoint until) : until_(until) {}
  ~Socket() {
    if (handle_ >= 0) ::close(handle_);
  }

  bool connect(const std::string& address, std::uint16_t port) {
    sockaddr_in6 six{};
    sockaddr_in four{};
    six.sin6_family = AF_INET6;
    four.sin_family = AF_INET;
    six.sin6_port = four.sin_port = htons(port);
    const bool is_six = ::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1;
    if (!is_six && ::inet_pton(AF_INET, address.c_str(), &four.sin_addr) != 1) return false;
    handle_ = ::socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (handle_ < 0) return false;
    const auto* name = is_six ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
    if (::connect(handle_, name, is_six ? sizeof six : sizeof four) == 0) return true;
    int error = 0;
    socklen_t size = sizeof error;
    return errno == EINPROGRESS && ready(POLLOUT) && ::getsockopt(handle_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 &&
           error == 0;
  }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      if (!ready(POLLOUT)) return false;
      const auto sent = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Some bytes; empty at the end of the stream, when it broke, or when the time was up (late() tells).
  std::string receive() {
    std::array<char, 16384> buffer{};
    if (!ready(POLLIN)) return {};
    const auto count = ::recv(handle_, buffer.data(), buffer.size(), 0);
    return count <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(count));
  }

  bool late() const { return std::chrono::steady_clock::now() >= until_; }

 private:
  bool ready(short event) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - std::chrono::steady_clock::now()).count();
    pollfd one{handle_, event, 0};
    return left > 0 && ::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000))) == 1;
  }

  int handle_ = -1;
  TimePoint until_;
};

// How far a handshake came.
struct Outcome {
  bool answered = false;   // the server sent anything at all
  bool spoke_tls = false;  // what it sent was TLS
  bool done = false;       // the handshake ended well, and no alert came after it
  bool late = false;
  int reason = 0;  // OpenSSL's, of the failure
  long verify = X509_V_OK;
  std::string expired;  // the end of the certificate that is out of its time
};

// Keeps the end of the certificate that was found wanting: after a failed handshake OpenSSL does not have it any more.
int note_certificate(int good, X509_STORE_CTX* store) {
  if (good == 0) {
    auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto* outcome = static_cast<Outcome*>(SSL_get_app_data(ssl));
    const X509* certificate = X509_STORE_CTX_get_current_cert(store);
    const Bio text(BIO_new(BIO_s_mem()));
    if (outcome != nullptr && certificate != nullptr && text &&
        ASN1_TIME_print(text.get(), X509_get0_notAfter(certificate)) == 1) {
      char* start = nullptr;
      const long size = BIO_get_mem_data(text.get(), &start);
      outcome->expired.assign(start, static_cast<std::size_t>(size));
    }
  }
  return good;
}

// Through memory: OpenSSL's own sockets know no deadline and can raise SIGPIPE. After the handshake a client of HTTP/2
// greets; a server that did not like our certificate answers that with an alert.
Outcome shake_hands(SSL* ssl, Socket& socket) {
  Outcome outcome;
  SSL_set_app_data(ssl, &outcome);
  constexpr std::string_view kGreeting("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
  bool greeted = false;
  for (int round = 0; round < 100; ++round) {
    ERR_clear_error();
    char byte = 0;
    int result = greeted ? SSL_read(ssl, &byte, 1) : SSL_connect(ssl);
    if (!greeted && result == 1) {
      outcome.spoke_tls = true;
      greeted = SSL_write(ssl, kGreeting.data(), static_cast<int>(kGreeting.size())) > 0;
    } else if (greeted && result == 1) {
      outcome.done = true;
      break;
    }
    const int wants = result == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, result);
    char* start = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(ssl), &start);
    const bool sent = size <= 0 || socket.send(std::string_view(start, static_cast<std::size_t>(size)));
    (void)BIO_reset(SSL_get_wbio(ssl));
    if (wants == SSL_ERROR_SSL) {
      outcome.reason = ERR_GET_REASON(ERR_peek_error());
      break;
    }
    if (wants != SSL_ERROR_NONE && wants != SSL_ERROR_WANT_READ) break;
    if (wants == SSL_ERROR_NONE) continue;
    const std::string bytes = sent ? socket.receive() : std::string();
    if (bytes.empty()) break;
    if (!outcome.answered) outcome.spoke_tls = bytes.front() == 0x15 || bytes.front() == 0x16;  // alert, handshake
    outcome.answered = true;
    BIO_write(SSL_get_rbio(ssl), bytes.data(), static_cast<int>(bytes.size()));
  }
  outcome.verify = SSL_get_verify_result(ssl);
  outcome.late = socket.late();
  SSL_set_app_data(ssl, nullptr);
  return outcome;
}

base::Error invalid(const Call& call, const std::string& sentence, std::string help) {
  return {ErrorKind::Invalid, call.doing + " at " + call.endpoint + ": " + sentence, std::move(help)};
}

// Our judgement of the server's certificate.
std::optional<base::Error> about_the_server(const Call& call, const Attempt& attempt, const Outcome& outcome) {
  switch (outcome.verify) {
    case X509_V_OK:
      return std::nullopt;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return invalid(call, "the server's certificate expired on " + outcome.expired,
                     "renew the member's certificate; etcd takes up a new file without a restart");
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return invalid(call, "the server's certificate is not valid yet",
                     "compare the clocks of this machine and of the one that issued it");
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return invalid(call, "the server's certificate is not for " + attempt.expected,
                     "use an endpoint that the certificate names, set the server name, or issue it for this address");
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return invalid(call, "the server's certificate is signed by an authority that we do not trust",
                     "name the CA file of this cluster");
    default:
      return invalid(
          call,
          std::string("the server's certificate is not accepted: ") + X509_verify_cert_error_string(outcome.verify),
          "check the certificate with openssl verify");
  }
}

// The server's judgement of us, by the alert it sent.
std::optional<base::Error> about_us(const Call& call, const Outcome& outcome, bool have_certificate) {
  switch (outcome.reason) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_NO_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      if (!have_certificate) {
        return invalid(call, "the server wants a client certificate", "name a client certificate and its key");
      }
      return invalid(call, "the server does not accept our client certificate",
                     "use one that the cluster's client CA signed, with the extended key usage clientAuth");
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return invalid(call, "the server does not trust the authority that signed our client certificate",
                     "use a certificate that the cluster's client CA signed");
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return invalid(call, "our client certificate has expired", "renew it; the files are read again by themselves");
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
      return invalid(call, "our client certificate is revoked", "use another one");
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_UNSUPPORTED_PROTOCOL:
      return invalid(call, "client and server have no version of TLS in common", "let the server speak TLS 1.2 or 1.3");
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<base::Error> problem_of(const Pems& pems, const PemPaths& paths) {
  const auto bad = [](std::string message, std::string help) {
    return base::Error{ErrorKind::Invalid, std::move(message), std::move(help)};
  };
  const char* advice = "name a file with PEM text: it has a line -----BEGIN ...-----";
  if (!pems.ca.empty() && !first_certificate(pems.ca)) {
    return bad("the CA file " + paths.ca + " holds no certificate", advice);
  }
  if (paths.cert.empty()) return std::nullopt;
  const Cert certificate = first_certificate(pems.cert);
  if (!certificate) return bad("the client certificate " + paths.cert + " holds no certificate", advice);
  const Key key(PEM_read_bio_PrivateKey(reader(pems.key).get(), nullptr, no_passphrase, nullptr));
  if (!key) return bad("the client key " + paths.key + " holds no key that can be used without a passphrase", advice);
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return bad("the client key " + paths.key + " does not belong to the certificate " + paths.cert,
               "name the two files of one pair");
  }
  return std::nullopt;
}

std::optional<base::Error> diagnose(const Call& call, const Attempt& attempt, const Pems& pems) {
  Socket socket(attempt.until);
  if (!socket.connect(attempt.address, attempt.url.port)) return std::nullopt;
  const Context context(SSL_CTX_new(TLS_client_method()));
  if (!context) return std::nullopt;
  const bool secure = attempt.url.scheme == "https";
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  if (secure) {
    trust(context.get(), pems.ca);
    show(context.get(), pems);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, note_certificate);
  }
  const Connection ssl(SSL_new(context.get()));
  if (!ssl) return std::nullopt;
  constexpr std::string_view kHttp2("\2h2");
  SSL_set_alpn_protos(ssl.get(), reinterpret_cast<const unsigned char*>(kHttp2.data()), kHttp2.size());
  if (base::is_ip(attempt.expected)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), attempt.expected.c_str());
  } else {
    SSL_set1_host(ssl.get(), attempt.expected.c_str());
    std::string name = attempt.expected;  // OpenSSL's macro for this has a cast of the old kind
    SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data());
  }
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  const Outcome outcome = shake_hands(ssl.get(), socket);
  ERR_clear_error();

  if (!secure) {
    if (!outcome.spoke_tls) return std::nullopt;
    return invalid(call, "the server speaks TLS, and this address says http", "write https:// in the endpoint");
  }
  if (outcome.done || outcome.late) return std::nullopt;
  if (auto problem = about_the_server(call, attempt, outcome)) return problem;
  if (auto problem = about_us(call, outcome, !pems.cert.empty())) return problem;
  if (outcome.spoke_tls) return std::nullopt;
  if (outcome.answered) {
    return invalid(call, "the server does not speak TLS, and this address says https",
                   "write http:// in the endpoint, or give the member its certificates");
  }
  return base::Error{ErrorKind::Transient,
                     call.doing + " at " + call.endpoint + ": the server hung up when asked for TLS",
                     "if the member has no certificates, write http:// in the endpoint"};
}

std::string address_in(std::string_view what_grpc_says) {
  for (const auto& [mark, end] : {std::pair<std::string_view, std::string_view>("ipv4:", ":"), {"ipv6:%5B", "%5D"}}) {
    const auto at = what_grpc_says.rfind(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = what_grpc_says.substr(at + mark.size());
    const std::string found(rest.substr(0, rest.find(end)));
    if (base::is_ip(found)) return found;
  }
  return {};
}

}  // namespace quorate::etcd_grpc
