// Signed requests to one bucket: tried again where that may help, and what the store says as errors of ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reconciler/adapters/s3/answers.h"
#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/adapters/s3/place.h"
#include "reconciler/adapters/s3/s3.h"
#include "reconciler/adapters/s3/transport.h"
#include "reconciler/base/result.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"

namespace quorate::s3 {

struct Ask {
  std::string doing;  // "putting backup/x", for people
  std::string method;
  std::string key;  // empty: the bucket
  Pairs query;
  Pairs headers;
  std::string_view body;
  std::uint64_t most = std::uint64_t{8} << 20;
  bool midway = false;  // in the middle of an object
};

// What the asker decides about: any success, and 404, 409, 412, 416 and 501; of a HEAD, whose answer has no body that
// says why, 400 and 403 too.
struct Said {
  Answer answer;
  Trouble trouble;          // of an answer that is no success
  bool maybe_done = false;  // an earlier try may have been carried out

  bool ok() const { return answer.status >= 200 && answer.status < 300; }
};

// Why and what for: what a retry starts from.
enum class Next { Settled, Again, FreshKeys, Failed };

// What was read of an answer; its error says what was asked.
template <class T>
base::Result<T> read_for(const Ask& ask, base::Result<T> read) {
  if (!read) read.error().message = ask.doing + ": " + read.error().message;
  return read;
}

class Client {
 public:
  Client(const Settings& settings, Place place, Credentials& credentials, ports::Clock& clock, ports::Entropy& entropy);

  base::Result<Said> ask(const Ask& ask, Stop* stop = nullptr);

  // The same where nothing but success is an answer.
  base::Result<Said> ask_well(const Ask& ask, Stop* stop = nullptr);

  // The store answered 404: true, there is no such object; an error when that is not what it says.
  base::Result<bool> missing(const Ask& ask, const Said& said) const;
  base::Error refusal(const Ask& ask, const Said& said) const;

  // Pieces for those who move bodies themselves.
  base::Result<Call> signed_call(const Ask& ask, Keys& keys);
  Next judge(const Said& said) const;
  base::Error unreached(const Ask& ask, const Broken& broken) const;
  struct Pauses {
    int tries = 0;
    base::Duration longest{};
  };
  Pauses pauses(bool midway) const;
  // `wanted`: what the store asked for, in seconds; it gets no more than the longest.
  void pause(int tried, bool midway, const std::string& wanted, Stop* stop);
  void expired(const Keys& keys) { credentials_.expired(keys); }

  const Settings& settings() const { return settings_; }
  const Place& place() const { return place_; }
  const Limits& limits() const { return transport_.limits(); }

 private:
  std::string hash_of(std::string_view body) const;

  const Settings& settings_;
  Place place_;
  Credentials& credentials_;
  ports::Clock& clock_;
  ports::Entropy& entropy_;
  Transport transport_;
};

}  // namespace quorate::s3
