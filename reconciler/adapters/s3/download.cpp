// One transfer of libcurl at a time, paused while nobody reads; after a break the next one asks for the rest of the
// same bytes (Range, If-Match).
#include "reconciler/adapters/s3/download.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace quorate::s3 {
namespace {

using base::ErrorKind;

constexpr std::size_t kBuffer = std::size_t{2} << 20;
constexpr std::uint64_t kProgress = 65536;
constexpr int kStep = 200;  // milliseconds between two looks at the time

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Download::Download(Client& client, Ask ask) : client_(client), ask_(std::move(ask)), multi_(curl_multi_init()) {}

Download::~Download() {
  close();
  if (multi_ != nullptr) curl_multi_cleanup(multi_);
}

base::Result<std::unique_ptr<ports::ObjectReader>> Download::begin(Client& client, Ask ask) {
  std::unique_ptr<Download> download(new Download(client, std::move(ask)));
  const auto head = download->open_at_offset();
  if (!head) return tl::unexpected(head.error());
  if (*head == Head::Missing) return nullptr;
  return download;
}

std::size_t Download::take(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto* self = static_cast<Download*>(to);
  const std::size_t length = size * count;
  if (self->arrived_.size() - self->given_ >= kBuffer) {
    self->paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  if (self->given_ > 0) {
    self->arrived_.erase(0, self->given_);
    self->given_ = 0;
  }
  self->arrived_.append(bytes, length);
  return length;
}

void Download::close() {
  if (handle_ != nullptr && multi_ != nullptr) curl_multi_remove_handle(multi_, handle_.get());
  handle_.reset();
}

// Until there is a transfer whose bytes are the next ones.
base::Result<Download::Head> Download::open_at_offset() {
  bool refreshed = false;
  for (; broken_ < client_.pauses(known_).tries; ++broken_) {
    if (broken_ > 0) client_.pause(broken_ - 1, known_, std::exchange(wanted_, {}), nullptr);
    auto head = connect(refreshed);
    if (!head || *head != Head::Again) return head;
  }
  return tl::unexpected(last_);
}

base::Result<Download::Head> Download::connect(bool& refreshed) {
  Ask ask = ask_;
  if (known_) {
    ask.headers.emplace_back("range", "bytes=" + std::to_string(done_) + "-");
    if (!etag_.empty()) ask.headers.emplace_back("if-match", etag_);
  }
  Keys keys;
  const auto call = client_.signed_call(ask, keys);
  if (!call) return tl::unexpected(call.error());
  close();
  handle_.reset(curl_easy_init());
  if (handle_ == nullptr || multi_ == nullptr) {
    return tl::unexpected(base::Error{ErrorKind::Transient, ask_.doing + ": no memory", ""});
  }
  transfer_ = Transfer();
  arrived_.clear();
  given_ = 0;
  paused_ = over_ = false;
  prepare(handle_.get(), *call, client_.limits(), transfer_);
  curl_easy_setopt(handle_.get(), CURLOPT_NOPROGRESS, 1L);  // silence is measured here, where it is known who waits
  curl_easy_setopt(handle_.get(), CURLOPT_BUFFERSIZE, 256L * 1024);
  curl_easy_setopt(handle_.get(), CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(handle_.get(), CURLOPT_WRITEDATA, this);
  curl_multi_add_handle(multi_, handle_.get());
  while (!over_ && arrived_.empty()) {
    if (!wait_for_more()) break;
  }
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &transfer_.answer.status);
  return check_head(keys, refreshed);
}

base::Result<Download::Head> Download::check_head(const Keys& keys, bool& refreshed) {
  if (over_ && arrived_.empty() && (result_ != CURLE_OK || !transfer_.headed)) {
    if (result_ == CURLE_OK) result_ = CURLE_PARTIAL_FILE;
    const Broken broken = why_broken(result_, transfer_);
    last_ = client_.unreached(ask_, broken);
    if (broken.how == Break::Untrusted) return tl::unexpected(last_);
    return Head::Again;
  }
  Said said{transfer_.answer, {}, false};
  if (said.ok()) return check_size();
  // The body of an error is short; it may not be here yet.
  while (!over_ && arrived_.size() < 65536 && wait_for_more()) continue;
  said.trouble = read_trouble(arrived_);
  if (said.answer.status == 412 || (known_ && said.answer.status == 404)) {
    return tl::unexpected(
        base::Error{ErrorKind::Conflict, ask_.doing + ": it was replaced while it was read", "read it again"});
  }
  const Next next = client_.judge(said);
  if (next == Next::Settled) {
    auto gone = client_.missing(ask_, said);
    if (!gone) return tl::unexpected(std::move(gone.error()));
    return Head::Missing;
  }
  last_ = client_.refusal(ask_, said);
  wanted_ = said.answer.header("retry-after");
  if (next == Next::FreshKeys && !refreshed) {
    refreshed = true;
    client_.expired(keys);
    return Head::Again;
  }
  if (next != Next::Again) return tl::unexpected(last_);
  return Head::Again;
}

base::Result<Download::Head> Download::check_size() {
  const Answer& answer = transfer_.answer;
  const auto length = number(answer.header("content-length"));
  if (!known_) {
    if (!length || answer.status != 200) {
      return base::invalid(ask_.doing + ": the store does not say how long it is",
                           "check the endpoint: is it the address of the S3 service?");
    }
    known_ = true;
    size_ = *length;
    etag_ = answer.header("etag");
    return Head::Good;
  }
  const std::string wanted =
      "bytes " + std::to_string(done_) + "-" + std::to_string(size_ - 1) + "/" + std::to_string(size_);
  if (answer.status != 206 || answer.header("content-range") != wanted) {
    return base::invalid(ask_.doing + ": it broke off, and the store does not give the rest of the same bytes",
                         "read it again");
  }
  return Head::Good;
}

void Download::step() {
  int running = 0;
  curl_multi_perform(multi_, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    over_ = true;
    result_ = message->data.result;
  }
}

bool Download::wait_for_more() {
  const std::size_t before = arrived_.size();
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    step();
    if (arrived_.size() != before) return true;
    if (over_) return false;
    if (std::chrono::steady_clock::now() - began > client_.limits().stall) {
      over_ = true;
      result_ = CURLE_ABORTED_BY_CALLBACK;
      return false;
    }
    curl_multi_poll(multi_, nullptr, 0, kStep, nullptr);
  }
}

base::Result<std::size_t> Download::read(char* into, std::size_t most) {
  most = static_cast<std::size_t>(std::min<std::uint64_t>(most, size_ - done_));
  if (most == 0) return std::size_t{0};
  for (;;) {
    const std::size_t here = std::min(most, arrived_.size() - given_);
    if (here > 0) {
      std::copy_n(arrived_.data() + given_, here, into);
      given_ += here;
      done_ += here;
      if (given_ == arrived_.size()) {
        arrived_.clear();
        given_ = 0;
      }
      if (done_ - good_until_ >= kProgress) {
        broken_ = 0;
        good_until_ = done_;
      }
      return here;
    }
    if (paused_) {
      paused_ = false;
      curl_easy_pause(handle_.get(), CURLPAUSE_CONT);
      if (!arrived_.empty()) continue;
    }
    if (!over_ && wait_for_more()) continue;
    last_ = client_.unreached(ask_, why_broken(result_ == CURLE_OK ? CURLE_PARTIAL_FILE : result_, transfer_));
    ++broken_;
    const auto head = open_at_offset();
    if (!head) return tl::unexpected(head.error());
  }
}

}  // namespace quorate::s3
