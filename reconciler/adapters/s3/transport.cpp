// Handles of libcurl are kept between requests, so that connections are.
#include "reconciler/adapters/s3/transport.h"

#include <algorithm>
#include <utility>

namespace quorate::s3 {
namespace {

constexpr std::size_t kIdle = 8;
constexpr std::size_t kHeaders = 200;
constexpr std::size_t kHeaderLength = 16384;
constexpr curl_off_t kSlowest = 8192;  // bytes a second that a body gets at least

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto* transfer = static_cast<Transfer*>(to);
  const std::size_t length = size * count;
  std::string& body = transfer->answer.body;
  transfer->too_long = length > transfer->most - std::min<std::uint64_t>(transfer->most, body.size());
  if (transfer->too_long) return 0;
  body.append(bytes, length);
  return length;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto* transfer = static_cast<Transfer*>(to);
  auto& headers = transfer->answer.headers;
  const std::size_t length = size * count;
  const std::string_view line(bytes, length);
  if (line == "\r\n" || line == "\n") transfer->headed = true;
  if (line.substr(0, 5) == "HTTP/") {  // after "100 Continue" comes the real one
    headers.clear();
    transfer->headed = false;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || length > kHeaderLength || headers.size() >= kHeaders) return length;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::string_view value = line.substr(colon + 1);
  const std::size_t first = value.find_first_not_of(" \t");
  value = first == std::string_view::npos ? "" : value.substr(first, value.find_last_not_of(" \t\r\n") + 1 - first);
  headers[std::move(name)] = std::string(value);
  return length;
}

// Asked about once a second.
int watch(void* with, curl_off_t, curl_off_t down, curl_off_t, curl_off_t up) {
  auto* transfer = static_cast<Transfer*>(with);
  if (transfer->stop != nullptr && transfer->stop->raised()) return 1;
  const auto now = std::chrono::steady_clock::now();
  if (down + up != transfer->moved) {
    transfer->moved = down + up;
    transfer->last = now;
  }
  return now - transfer->last > transfer->stall ? 1 : 0;
}

}  // namespace

void Stop::raise() {
  const std::lock_guard lock(mutex_);
  raised_ = true;
  changed_.notify_all();
}

void Stop::wait(base::Duration duration) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [this] { return raised_.load(); });
}

std::string Answer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

void prepare(CURL* handle, const Call& call, const Limits& limits, Transfer& transfer) {
  transfer.most = call.most;
  transfer.stall = limits.stall;
  transfer.last = std::chrono::steady_clock::now();
  curl_slist* list = nullptr;
  for (const auto& [name, value] : call.headers) {
    if (name != "host") list = curl_slist_append(list, (name + ": " + value).c_str());
  }
  for (const char* const unwanted : {"Expect:", "Accept:", "Content-Type:"}) list = curl_slist_append(list, unwanted);
  transfer.headers.reset(list);

  curl_easy_setopt(handle, CURLOPT_URL, call.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, transfer.headers.get());
  if (call.method == "HEAD") {
    curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  } else if (call.method == "PUT" || call.method == "POST") {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, call.body.empty() ? "" : call.body.data());
    curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, 512L * 1024);
  }
  if (call.method != "HEAD" && call.method != "GET") {
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, call.method.c_str());
  }
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!limits.ca.empty()) {
    curl_easy_setopt(handle, CURLOPT_CAINFO, limits.ca.c_str());
    curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
  }
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer.detail);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, watch);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
}

Broken why_broken(CURLcode code, const Transfer& transfer) {
  const std::string detail = transfer.detail[0] == '\0' ? curl_easy_strerror(code) : transfer.detail;
  if (transfer.stop != nullptr && transfer.stop->raised()) return {Break::Stopped, "it was given up"};
  if (transfer.too_long) return {Break::TooLong, "the answer is longer than it may be"};
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      return {Break::Unreachable, detail};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return {Break::Untrusted, detail};
    case CURLE_ABORTED_BY_CALLBACK:
      return {Break::Lost, "nothing came any more"};
    default:
      return {Break::Lost, detail};
  }
}

Transport::Transport(Limits limits) : limits_(std::move(limits)) {
  static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);  // once in the life of the process
  static_cast<void>(kReady);
}

Handle Transport::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return Handle(curl_easy_init());
  Handle handle = std::move(idle_.back());
  idle_.pop_back();
  return handle;
}

void Transport::give_back(Handle handle) {
  curl_easy_reset(handle.get());
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kIdle) idle_.push_back(std::move(handle));
}

tl::expected<Answer, Broken> Transport::exchange(const Call& call, Stop* stop) {
  Handle handle = take();
  if (handle == nullptr) return tl::unexpected(Broken{Break::Unreachable, "no memory"});
  Transfer transfer;
  transfer.stop = stop;
  prepare(handle.get(), call, limits_, transfer);
  const auto bytes = static_cast<curl_off_t>(std::max<std::uint64_t>(call.body.size(), call.most));
  const base::Duration enough = std::chrono::seconds{300 + bytes / kSlowest};
  const base::Duration within = call.within > base::Duration{0} ? call.within : enough;
  curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(within.count()));
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &transfer);
  const CURLcode code = curl_easy_perform(handle.get());
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &transfer.answer.status);
  give_back(std::move(handle));
  if (code != CURLE_OK) return tl::unexpected(why_broken(code, transfer));
  if (!transfer.headed) return tl::unexpected(Broken{Break::Lost, "the answer broke off"});
  return std::move(transfer.answer);
}

}  // namespace quorate::s3
