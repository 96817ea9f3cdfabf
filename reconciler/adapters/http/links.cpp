// One libcurl handle per question: nothing is kept between two of them, and no proxy, redirect or other scheme is
// followed.
#include "reconciler/adapters/http/links.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <curl/curl.h>

#include "reconciler/adapters/http/metrics.h"
#include "reconciler/base/net.h"

namespace quorate::http {
namespace {

constexpr std::size_t kAnswer = std::size_t{4} << 20;

struct FreeHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

struct Answer {
  std::string text;
  bool too_long = false;
};

std::size_t take(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto* answer = static_cast<Answer*>(to);
  const std::size_t length = size * count;
  answer->too_long = length > kAnswer - answer->text.size();
  if (answer->too_long) return 0;
  answer->text.append(bytes, length);
  return length;
}

std::string in_url(const std::string& host) {
  return base::is_ipv6(host) ? "[" + host + "]" : host;
}

base::Error why_not(CURLcode code, const std::string& asking, const std::string& detail, const Answer& answer) {
  using base::ErrorKind;
  if (answer.too_long) {
    return {ErrorKind::Invalid, asking + ": it sent more than 4 MiB", "check that the address is an etcd's"};
  }
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {ErrorKind::Transient, asking + ": no answer in time", ""};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {ErrorKind::Invalid, asking + ": the server's certificate is not accepted (" + detail + ")",
              "check the CA file, the address and the date of the certificate"};
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
      return {ErrorKind::Invalid, asking + ": our certificate, its key or the CA file cannot be used (" + detail + ")",
              "name PEM files that belong together and that we may read"};
    default:
      return {ErrorKind::Transient, asking + ": " + detail, ""};
  }
}

base::Error why_status(long status, const std::string& asking) {
  using base::ErrorKind;
  const std::string message = asking + ": the answer is HTTP status " + std::to_string(status);
  if (status == 401 || status == 403) return {ErrorKind::Refused, message, "use a certificate that etcd lets in"};
  if (status >= 500) return {ErrorKind::Transient, message, ""};
  return {ErrorKind::Invalid, message, "check that the address is a client or metrics URL of etcd"};
}

class HttpLinks final : public ports::Links {
 public:
  explicit HttpLinks(Access access) : access_(std::move(access)) {}

  base::Result<std::vector<base::MemberId>> active_peers(const std::string& endpoint, base::Duration within) override {
    base::UrlProblem problem;
    const auto url = base::parse_url(endpoint, problem);
    if (!url) return base::invalid("the endpoint " + endpoint + " " + problem.what, "write it as https://host:port");
    const std::string asking = "asking " + endpoint + " for its metrics";
    if (within <= base::Duration{0}) {
      return tl::unexpected(base::Error{base::ErrorKind::Transient, asking + ": no time is left", ""});
    }
    const std::unique_ptr<CURL, FreeHandle> handle(curl_easy_init());
    if (handle == nullptr) return tl::unexpected(base::Error{base::ErrorKind::Transient, asking + ": no memory", ""});
    CURL* const curl = handle.get();
    Answer answer;
    std::array<char, CURL_ERROR_SIZE> detail{};
    const std::unique_ptr<curl_slist, FreeList> route = address(curl, *url);
    limit(curl, within);
    identify(curl);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, detail.data());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK) {
      const std::string text = detail.front() == '\0' ? curl_easy_strerror(code) : detail.data();
      return tl::unexpected(why_not(code, asking, text, answer));
    }
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) return tl::unexpected(why_status(status, asking));
    auto peers = active_peers_in(answer.text);
    if (!peers) peers.error().message = asking + ": " + peers.error().message;
    return peers;
  }

 private:
  // Another name to check the certificate for is the host of the URL then, and the connection goes where it always
  // went.
  std::unique_ptr<curl_slist, FreeList> address(CURL* curl, const base::Url& url) const {
    const std::string port = std::to_string(url.port);
    const bool renamed = url.scheme == "https" && !access_.server_name.empty();
    const std::string host = in_url(renamed ? access_.server_name : url.host);
    curl_easy_setopt(curl, CURLOPT_URL, (url.scheme + "://" + host + ":" + port + "/metrics").c_str());
    if (!renamed) return nullptr;
    std::unique_ptr<curl_slist, FreeList> route(
        curl_slist_append(nullptr, (host + ":" + port + ":" + in_url(url.host) + ":" + port).c_str()));
    curl_easy_setopt(curl, CURLOPT_CONNECT_TO, route.get());
    return route;
  }

  static void limit(CURL* curl, base::Duration within) {
    constexpr base::Duration kLongest = std::chrono::hours{1};
    const auto milliseconds = static_cast<long>(std::min(within, kLongest).count());
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  }

  void identify(CURL* curl) const {
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!access_.ca.empty()) {
      curl_easy_setopt(curl, CURLOPT_CAINFO, access_.ca.c_str());
      curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
    }
    if (!access_.cert.empty()) curl_easy_setopt(curl, CURLOPT_SSLCERT, access_.cert.c_str());
    if (!access_.key.empty()) curl_easy_setopt(curl, CURLOPT_SSLKEY, access_.key.c_str());
  }

  Access access_;
};

}  // namespace

std::unique_ptr<ports::Links> make_links(Access access) {
  static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);  // once in the life of the process
  static_cast<void>(kReady);
  return std::make_unique<HttpLinks>(std::move(access));
}

}  // namespace quorate::http
