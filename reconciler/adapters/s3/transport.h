// One HTTP request and its answer over libcurl. Nothing is followed or tried again here.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "reconciler/adapters/s3/sigv4.h"
#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::s3 {

struct FreeHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Handle = std::unique_ptr<CURL, FreeHandle>;

// Ends waiting early, for good.
class Stop {
 public:
  void raise();
  bool raised() const { return raised_; }
  void wait(base::Duration duration);

 private:
  std::atomic<bool> raised_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

struct Call {
  std::string method;
  std::string url;
  Pairs headers;
  std::string_view body;                        // lives as long as the call
  std::uint64_t most = std::uint64_t{8} << 20;  // of the answer's body
  base::Duration within{};                      // of the whole; zero: as long as its bytes may take
};

struct Answer {
  long status = 0;
  std::map<std::string, std::string> headers;  // names in small letters
  std::string body;

  std::string header(const std::string& name) const;
};

enum class Break {
  Unreachable,  // no connection, so nothing was sent
  Untrusted,    // the certificate, or the file of authorities
  Lost,         // the connection broke, or fell silent
  TooLong,
  Stopped,
};
struct Broken {
  Break how{};
  std::string detail;
};

struct Limits {
  std::string ca;
  base::Duration connect{};
  base::Duration stall{};
};

// What a handle needs while it works; lives longer than the transfer.
struct Transfer {
  Answer answer;
  std::uint64_t most = 0;
  bool too_long = false;
  bool headed = false;  // all headers of the answer are here
  Stop* stop = nullptr;
  base::Duration stall{};
  curl_off_t moved = 0;
  std::chrono::steady_clock::time_point last{};
  std::unique_ptr<curl_slist, FreeList> headers;
  char detail[CURL_ERROR_SIZE] = {};
};

// Everything but where the body goes to.
void prepare(CURL* handle, const Call& call, const Limits& limits, Transfer& transfer);
Broken why_broken(CURLcode code, const Transfer& transfer);

class Transport {
 public:
  explicit Transport(Limits limits);

  tl::expected<Answer, Broken> exchange(const Call& call, Stop* stop = nullptr);
  const Limits& limits() const { return limits_; }

 private:
  Handle take();
  void give_back(Handle handle);

  Limits limits_;
  std::mutex mutex_;
  std::vector<Handle> idle_;
};

}  // namespace quorate::s3
