// What etcd and gRPC say when they refuse, translated once: into the five kinds, our sentence, and what to do next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::etcd_grpc {

// gRPC's status codes, as far as they are told apart.
enum class Code {
  Cancelled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  DeadlineExceeded = 4,
  NotFound = 5,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  OutOfRange = 11,
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
  DataLoss = 15,
  Unauthenticated = 16,
};

// What was asked, for the message.
struct Call {
  std::string endpoint;
  std::string doing;     // "adding a learner"
  bool changes = false;  // the cluster, so that an answer that never came leaves it open what happened
  base::Duration within{};
};

// One row of the table. `says` is looked for in etcd's text without its prefix ("etcdserver: ", "auth: ").
struct Saying {
  std::string_view says;
  base::ErrorKind kind;            // of a call that only reads
  base::ErrorKind kind_of_change;  // of a call that changes the cluster
  std::string_view sentence;
  std::string_view help;
};
const std::vector<Saying>& sayings();

// The call was sent, and ended with this code and text.
base::Error explain(const Call& call, Code code, std::string_view text);
// The call was provably never sent.
base::Error not_connected(const Call& call, std::string_view reason);
// No connection came up in time: nothing was sent.
base::Error connects_too_slowly(const Call& call);
// Of a stream: its sender lives and sends nothing; or whoever it is for wants no more.
base::Error nothing_comes(const Call& call, base::Duration since);
base::Error receiver_stopped(const Call& call);

// gRPC gave up before it had a connection to send anything on.
bool was_never_sent(Code code, std::string_view text);
// The token is missing, too old or unknown to this member; a new one may do. Nothing has happened yet.
bool wants_a_new_token(Code code, std::string_view text);
// Nobody has to log in at this cluster.
bool needs_no_token(std::string_view text);

// What etcd says of a lease that has run out or was revoked.
inline constexpr std::string_view kNoLease = "etcdserver: requested lease not found";
bool is_no_lease(std::string_view text);
// As etcdctl prints it: hexadecimal.
std::string lease_text(std::int64_t lease);

}  // namespace quorate::etcd_grpc
