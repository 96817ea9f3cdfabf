// Three protocols that end alike: keys, a token and when they end.
#include "reconciler/adapters/s3/issuers.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <curl/curl.h>
#include <nlohmann/json.hpp>

#include "reconciler/adapters/s3/answers.h"
#include "reconciler/adapters/s3/secrets.h"
#include "reconciler/adapters/s3/sigv4.h"
#include "reconciler/base/net.h"

namespace quorate::s3 {
namespace {

using base::Error;
using base::ErrorKind;

constexpr std::uint64_t kAnswer = 262144;
constexpr base::Duration kStsWithin = std::chrono::seconds{10};
constexpr base::Duration kAgentWithin = std::chrono::seconds{2};
constexpr base::Duration kMachineWithin = std::chrono::seconds{1};

bool is_busy(long status) {
  return status == 429 || status >= 500;
}

enum class Silence { AskAgain, TakeForAnAnswer };

tl::expected<Answer, Broken> fetch(Transport& transport, const Call& call, Silence silence = Silence::AskAgain) {
  constexpr int kTries = 3;
  constexpr base::Duration kPause{150};
  Stop nobody;
  for (int tried = 1;; ++tried) {
    auto answer = transport.exchange(call);
    const bool again = answer ? is_busy(answer->status) : silence == Silence::AskAgain && tried == 1;
    if (!again || tried == kTries) return answer;
    nobody.wait(kPause * tried);
  }
}

Error broken_off(const std::string& doing, const Broken& broken) {
  const bool untrusted = broken.how == Break::Untrusted;
  return {untrusted ? ErrorKind::Invalid : ErrorKind::Transient, doing + ": " + broken.detail,
          untrusted ? "check the CA file and the address" : "check the way there"};
}

Error refused(const std::string& doing, long status, const std::string& what) {
  const std::string message = doing + ": HTTP status " + std::to_string(status) + (what.empty() ? "" : ", " + what);
  if (is_busy(status)) return {ErrorKind::Transient, message, ""};
  return {ErrorKind::Refused, message, "check the role, and who may take it on"};
}

base::Result<Keys> checked(const std::string& doing, Keys keys, const std::string& ends) {
  keys.expires = base::parse_time(ends);
  const bool good = is_key(keys.access) && is_key(keys.secret) && (keys.token.empty() || is_key(keys.token));
  if (good && (ends.empty() || keys.expires)) return keys;
  return base::invalid(doing + ": the answer holds no keys");
}

base::Result<Keys> ask_sts(Transport& transport, const std::string& doing, const Call& call,
                           const std::string& secret) {
  const auto answer = fetch(transport, call);
  if (!answer) return tl::unexpected(broken_off(doing, answer.error()));
  if (answer->status == 200) {
    Issued issued = read_issued(answer->body);
    return checked(doing, {issued.access, issued.secret, issued.token, {}}, issued.ends);
  }
  const Trouble trouble = read_trouble(answer->body);
  const std::string what = trouble.code + (trouble.message.empty() ? "" : ": " + trouble.message);
  Error error = refused(doing, answer->status, without(what, secret));
  if (trouble.code == "IDPCommunicationError") error.kind = ErrorKind::Transient;
  return tl::unexpected(std::move(error));
}

Pairs form_of(const std::string& action, const Role& role) {
  Pairs form = {
      {"Action", action}, {"RoleArn", role.arn}, {"RoleSessionName", role.session}, {"Version", "2011-06-15"}};
  if (!role.seconds.empty()) form.emplace_back("DurationSeconds", role.seconds);
  if (!role.external_id.empty()) form.emplace_back("ExternalId", role.external_id);
  return form;
}

Call sts_call(const Sts& sts, const std::string& body) {
  Call call{"POST", sts.endpoint + "/", {{"content-type", "application/x-www-form-urlencoded"}}, body, kAnswer};
  call.within = kStsWithin;
  return call;
}

// The agent of a container and the metadata service write alike.
base::Result<Keys> read_json(const std::string& doing, const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return base::invalid(doing + ": the answer is no JSON");
  const auto text = [&json](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const std::string code = text("Code");
  if (!code.empty() && code != "Success") {
    const std::string printable = is_key(code) && code.size() < 100 ? code : "an error";
    return tl::unexpected(Error{ErrorKind::Refused, doing + ": it says " + printable, "check the role of the machine"});
  }
  return checked(doing, {text("AccessKeyId"), text("SecretAccessKey"), text("Token"), {}}, text("Expiration"));
}

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

Call agent_call(const std::string& method, const std::string& url, Pairs headers, base::Duration within) {
  Call call{method, url, std::move(headers), "", kAnswer};
  call.within = within;
  return call;
}

}  // namespace

base::Result<Keys> keys_of_web_identity(Transport& transport, const Sts& sts, const Role& role,
                                        const std::string& token) {
  Pairs form = form_of("AssumeRoleWithWebIdentity", role);
  form.emplace_back("WebIdentityToken", token);
  const std::string body = encoded_query(form);
  return ask_sts(transport, "taking on the role " + role.arn + " at " + sts.endpoint, sts_call(sts, body), token);
}

base::Result<Keys> keys_of_role(Transport& transport, const Sts& sts, const Role& role, const Keys& signer,
                                base::Time now) {
  const std::string body = encoded_query(form_of("AssumeRole", role));
  Call call = sts_call(sts, body);
  const std::string host = sts.endpoint.substr(std::min(sts.endpoint.find("://") + 3, sts.endpoint.size()));
  Request request{"POST", "/", {}, call.headers, sha256_hex(body)};
  request.headers.emplace_back("host", host);
  const Pairs added = sign(request, {signer.access, signer.secret, signer.token, sts.region, "sts"}, now);
  call.headers.insert(call.headers.end(), added.begin(), added.end());
  return ask_sts(transport, "taking on the role " + role.arn + " at " + sts.endpoint, call, signer.secret);
}

base::Result<void> check_container_url(const std::string& url) {
  const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
  const bool good = parsed != nullptr && curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) == CURLUE_OK;
  const std::string scheme = good ? part_of(parsed.get(), CURLUPART_SCHEME) : "";
  std::string host = good ? part_of(parsed.get(), CURLUPART_HOST) : "";
  if (!host.empty() && host.front() == '[') host = host.substr(1, host.size() - 2);
  constexpr const char* kOfAws[] = {"169.254.170.2", "169.254.170.23", "fd00:ec2::23"};
  const bool allowed =
      scheme == "https" ||
      (scheme == "http" && (base::is_loopback(host) || std::find(std::begin(kOfAws), std::end(kOfAws),
                                                                 base::canonical_host(host)) != std::end(kOfAws)));
  if (allowed) return {};
  return base::invalid("keys are not asked for at the address in AWS_CONTAINER_CREDENTIALS_FULL_URI",
                       "it may have https, or be an address of this machine or of AWS's agents");
}

base::Result<Keys> keys_of_container(Transport& transport, const std::string& url, const std::string& authorization) {
  const std::string doing = "asking the agent of the container for keys";
  Pairs headers;
  if (!authorization.empty()) headers.emplace_back("authorization", authorization);
  const auto answer = fetch(transport, agent_call("GET", url, std::move(headers), kAgentWithin));
  if (!answer) return tl::unexpected(broken_off(doing, answer.error()));
  if (answer->status != 200) return tl::unexpected(refused(doing, answer->status, ""));
  return read_json(doing, answer->body);
}

base::Result<Machine> keys_of_machine(Transport& transport, const std::string& endpoint) {
  const std::string doing = "asking the metadata service of the machine at " + endpoint;
  // A token does not come further than the hops that the machine allows, so that a container may wait for it in vain.
  const auto token = fetch(transport,
                           agent_call("PUT", endpoint + "/latest/api/token",
                                      {{"x-aws-ec2-metadata-token-ttl-seconds", "21600"}}, kMachineWithin),
                           Silence::TakeForAnAnswer);
  if (!token) return Machine{std::nullopt, endpoint + " does not answer: " + token.error().detail, true};
  if (token->status != 200 || !is_key(trimmed(token->body))) {
    return Machine{std::nullopt, endpoint + " gives no token: HTTP status " + std::to_string(token->status)};
  }
  const Pairs headers = {{"x-aws-ec2-metadata-token", trimmed(token->body)}};
  const std::string roles = endpoint + "/latest/meta-data/iam/security-credentials/";
  const auto listed = fetch(transport, agent_call("GET", roles, headers, kMachineWithin));
  if (!listed) return tl::unexpected(broken_off(doing, listed.error()));
  if (listed->status == 404) return Machine{std::nullopt, "the machine has no role"};
  const std::string role = trimmed(listed->body.substr(0, listed->body.find('\n')));
  if (listed->status != 200 || !is_key(role)) return tl::unexpected(refused(doing, listed->status, ""));
  const auto keys = fetch(transport, agent_call("GET", roles + encoded(role), headers, kMachineWithin));
  if (!keys) return tl::unexpected(broken_off(doing, keys.error()));
  if (keys->status != 200) return tl::unexpected(refused(doing, keys->status, ""));
  auto read = read_json(doing, keys->body);
  if (!read) return tl::unexpected(std::move(read.error()));
  return Machine{std::move(*read), ""};
}

}  // namespace quorate::s3
