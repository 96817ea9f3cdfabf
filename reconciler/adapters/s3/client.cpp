// The loop of tries, and the table of what stores say when they refuse.
#include "reconciler/adapters/s3/client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "reconciler/adapters/s3/secrets.h"

namespace quorate::s3 {
namespace {

using base::Error;
using base::ErrorKind;

bool is_one_of(std::string_view code, std::initializer_list<std::string_view> codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool changes(const std::string& method) {
  return method != "GET" && method != "HEAD";
}

std::string status_of(const Said& said) {
  std::string text = "HTTP status " + std::to_string(said.answer.status);
  if (!said.trouble.code.empty()) text += ", " + said.trouble.code;
  if (!said.trouble.message.empty()) text += ": " + said.trouble.message;
  return text;
}

Error of_clock(const std::string& doing, const Said& said, base::Time now) {
  std::string theirs = said.trouble.server_time.empty() ? said.answer.header("date") : said.trouble.server_time;
  theirs = theirs.substr(0, 40);
  if (theirs.empty()) theirs = "not said";
  return {ErrorKind::Refused,
          doing + ": the clocks differ too much: here it is " + base::to_string(now) + ", at the store " + theirs,
          "set the clock of this machine, or of the store"};
}

Error of_region(const std::string& doing, const std::string& region, const std::string& ours) {
  return {ErrorKind::Invalid, doing + ": the bucket is in the region " + region + ", and not in " + ours,
          "set the region to " + region};
}

Error of_right(const std::string& doing, const Said& said) {
  const std::string& code = said.trouble.code;
  const std::string message = doing + ": the store does not allow it (" + status_of(said) + ")";
  if (code == "SignatureDoesNotMatch") return {ErrorKind::Refused, message, "check the secret key"};
  if (code == "InvalidAccessKeyId") return {ErrorKind::Refused, message, "check the access key"};
  if (is_one_of(code, {"ExpiredToken", "InvalidToken", "TokenRefreshRequired"})) {
    return {ErrorKind::Refused, message, "check where the session's keys come from: the store takes these no more"};
  }
  return {ErrorKind::Refused, message,
          "give these keys the right to list the bucket and to get, put and delete objects below the base"};
}

bool is_right(const Said& said) {
  return said.answer.status == 401 || said.answer.status == 403 ||
         is_one_of(said.trouble.code, {"AccessDenied", "ExpiredToken", "InvalidToken", "TokenRefreshRequired",
                                       "SignatureDoesNotMatch", "InvalidAccessKeyId"});
}

}  // namespace

Client::Client(const Settings& settings, Place place, Credentials& credentials, ports::Clock& clock,
               ports::Entropy& entropy)
    : settings_(settings),
      place_(std::move(place)),
      credentials_(credentials),
      clock_(clock),
      entropy_(entropy),
      transport_({settings.ca, settings.patience.connect, settings.patience.stall}) {}

// Over TLS nobody changes a body on its way, and hashing it costs more than sending it.
std::string Client::hash_of(std::string_view body) const {
  constexpr std::size_t kSmall = 65536;
  if (place_.tls() && body.size() > kSmall) return std::string(kUnsignedPayload);
  return sha256_hex(body);
}

base::Result<Call> Client::signed_call(const Ask& ask, Keys& keys) {
  auto got = credentials_.keys();
  if (!got) return tl::unexpected(std::move(got.error()));
  keys = std::move(*got);
  Request request{ask.method, place_.path(ask.key), ask.query, ask.headers, hash_of(ask.body)};
  request.headers.emplace_back("host", place_.host());
  request.headers.emplace_back("x-amz-content-sha256", request.payload_hash);
  const Scope scope{keys.access, keys.secret, keys.token, settings_.region, "s3"};
  const Pairs added = sign(request, scope, clock_.now());
  Call call{ask.method, place_.origin() + encoded_path(request.path), std::move(request.headers), ask.body, ask.most};
  if (!ask.query.empty()) call.url += "?" + encoded_query(ask.query);
  call.headers.insert(call.headers.end(), added.begin(), added.end());
  return call;
}

Next Client::judge(const Said& said) const {
  const long status = said.answer.status;
  const std::string& code = said.trouble.code;
  if (is_one_of(code, {"ExpiredToken", "TokenRefreshRequired"})) return Next::FreshKeys;
  constexpr std::array<long, 6> kPassing = {408, 429, 500, 502, 503, 504};
  if (std::find(kPassing.begin(), kPassing.end(), status) != kPassing.end()) return Next::Again;
  if (is_one_of(code, {"RequestTimeout", "SlowDown", "InternalError", "ServiceUnavailable", "Throttling",
                       "OperationAborted", "ConditionalRequestConflict"})) {
    return Next::Again;
  }
  if (said.ok() || status == 404 || status == 409 || status == 412 || status == 416 || status == 501) {
    return Next::Settled;
  }
  return Next::Failed;
}

Client::Pauses Client::pauses(bool midway) const {
  const Patience& patience = settings_.patience;
  if (midway) return {patience.tries_midway, patience.longest_pause_midway};
  return {patience.tries, patience.longest_pause};
}

void Client::pause(int tried, bool midway, const std::string& wanted, Stop* stop) {
  const base::Duration longest = pauses(midway).longest;
  auto most = settings_.patience.first_pause;
  for (int doubled = 0; doubled < tried && most < longest; ++doubled) most *= 2;
  most = std::max(std::min(most, longest), base::Duration{1});
  base::Duration pause(static_cast<long>(entropy_.below(static_cast<std::uint64_t>(most.count()) + 1)));
  constexpr int kMostSeconds = 3600;
  int seconds = 0;
  const auto read = std::from_chars(wanted.data(), wanted.data() + wanted.size(), seconds);
  if (read.ec == std::errc() && seconds > 0) {
    pause = std::max(pause, std::min<base::Duration>(std::chrono::seconds{std::min(seconds, kMostSeconds)}, longest));
  }
  Stop nobody;
  (stop == nullptr ? nobody : *stop).wait(pause);
}

base::Result<Said> Client::ask(const Ask& ask, Stop* stop) {
  bool maybe_done = false;
  bool refreshed = false;
  Error last;
  std::string wanted;  // as a pause, by the store
  for (int tried = 0; tried < pauses(ask.midway).tries; ++tried) {
    if (tried > 0) pause(tried - 1, ask.midway, std::exchange(wanted, {}), stop);
    Keys keys;
    const auto call = signed_call(ask, keys);
    if (!call) return tl::unexpected(call.error());
    auto answer = transport_.exchange(*call, stop);
    if (!answer) {
      last = unreached(ask, answer.error());
      const Break how = answer.error().how;
      maybe_done = maybe_done || (changes(ask.method) && how != Break::Unreachable && how != Break::Untrusted);
      if (how == Break::Untrusted || how == Break::TooLong || how == Break::Stopped) break;
      continue;
    }
    Said said{std::move(*answer), {}, maybe_done};
    if (!said.ok()) said.trouble = read_trouble(said.answer.body);
    said.trouble.message = without(without(std::move(said.trouble.message), keys.secret), keys.token);
    const Next next = judge(said);
    const bool mute = ask.method == "HEAD" && (said.answer.status == 400 || said.answer.status == 403);
    if (next == Next::Settled || mute) return said;
    last = refusal(ask, said);
    wanted = said.answer.header("retry-after");
    if (next == Next::FreshKeys && !refreshed) {
      refreshed = true;
      credentials_.expired(keys);
      continue;
    }
    if (next != Next::Again) break;
    // A store that failed inside may have carried it out.
    maybe_done = maybe_done || (changes(ask.method) && said.answer.status >= 500 && said.answer.status != 503);
  }
  if (maybe_done && last.kind == ErrorKind::Transient) last.kind = ErrorKind::Ambiguous;
  return tl::unexpected(std::move(last));
}

base::Result<Said> Client::ask_well(const Ask& ask, Stop* stop) {
  auto said = this->ask(ask, stop);
  if (said && !said->ok()) return tl::unexpected(refusal(ask, *said));
  return said;
}

base::Result<bool> Client::missing(const Ask& ask, const Said& said) const {
  if (said.answer.status == 404 && said.trouble.code == "NoSuchKey") return true;
  return tl::unexpected(refusal(ask, said));
}

base::Error Client::unreached(const Ask& ask, const Broken& broken) const {
  const std::string message = ask.doing + ": " + place_.origin() + ": " + broken.detail;
  switch (broken.how) {
    case Break::Untrusted:
      return {ErrorKind::Invalid, message, "check the CA file, the address and the date of the store's certificate"};
    case Break::TooLong:
      return {ErrorKind::Invalid, message, ""};
    case Break::Unreachable:
      return {ErrorKind::Transient, message, "check the endpoint and the way there"};
    default:
      return {ErrorKind::Transient, message, ""};
  }
}

base::Error Client::refusal(const Ask& ask, const Said& said) const {
  const std::string& code = said.trouble.code;
  const long status = said.answer.status;
  const std::string elsewhere =
      said.trouble.region.empty() ? said.answer.header("x-amz-bucket-region") : said.trouble.region;
  if (is_one_of(code, {"RequestTimeTooSkewed", "RequestExpired"})) return of_clock(ask.doing, said, clock_.now());
  if (code == "NoSuchBucket") {
    return {ErrorKind::Invalid, ask.doing + ": there is no bucket " + settings_.bucket, "make it, or name another"};
  }
  if (!said.ok() && !elsewhere.empty() && elsewhere.size() <= 64 && elsewhere != settings_.region) {
    return of_region(ask.doing, elsewhere, settings_.region);
  }
  if (status >= 300 && status < 400) {
    return {ErrorKind::Invalid,
            ask.doing + ": the store sends us to another address, and keys go to no other than the one that was named",
            "name the endpoint and the region of the bucket itself"};
  }
  if (is_right(said)) return of_right(ask.doing, said);
  const std::string message = ask.doing + ": " + status_of(said);
  if (judge(said) == Next::Again) return {ErrorKind::Transient, message, ""};
  if (status == 507 || code == "XMinioStorageFull") return {ErrorKind::Transient, message, "free space in the store"};
  return {ErrorKind::Invalid, message, code.empty() ? "check the endpoint: is it the address of the S3 service?" : ""};
}

}  // namespace quorate::s3
