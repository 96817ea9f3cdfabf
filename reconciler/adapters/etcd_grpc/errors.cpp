// The table of etcd's refusals, and the few rules for what is in no table.
#include "reconciler/adapters/etcd_grpc/errors.h"

#include <algorithm>

#include "reconciler/base/ids.h"
#include "reconciler/base/utf8.h"

namespace quorate::etcd_grpc {
namespace {

using base::ErrorKind;

// The first row whose text is found wins: longer texts stand before those that they contain.
const std::vector<Saying> kSayings = {
    // ------------------------------------------------------------------------------------------------------ membership
    {"unhealthy cluster", ErrorKind::Conflict, ErrorKind::Conflict,
     "etcd holds the cluster to be too unhealthy for this change of members",
     "a voter is down, or was connected less than 5 s ago; remove a dead voter first, then plan again"},
    {"member not found", ErrorKind::Conflict, ErrorKind::Conflict, "no member of the cluster has this ID",
     "it was removed meanwhile; look again before the next step"},
    {"too many learner members in cluster", ErrorKind::Conflict, ErrorKind::Conflict,
     "the cluster already has as many learners as it may have",
     "promote or remove the learner that is there, then plan again"},
    {"can only promote a learner member which is in sync with leader", ErrorKind::Transient, ErrorKind::Transient,
     "the learner has not caught up with the leader yet",
     "wait until it has; a learner that never started has to be started"},
    {"can only promote a learner member", ErrorKind::Conflict, ErrorKind::Conflict, "this member is a voter already",
     "look again; nothing is left to promote"},
    {"Peer URLs already exists", ErrorKind::Conflict, ErrorKind::Conflict,
     "another member of the cluster has one of these peer URLs",
     "look again: the member may have been added already; otherwise give it another address"},
    {"member ID already exist", ErrorKind::Conflict, ErrorKind::Conflict,
     "another member of the cluster has one of these peer URLs",
     "look again: the member may have been added already; otherwise give it another address"},
    {"given member URLs are invalid", ErrorKind::Invalid, ErrorKind::Invalid, "etcd cannot read these peer URLs",
     "write them as scheme://ip:port"},
    {"re-configuration failed due to not enough started members", ErrorKind::Conflict, ErrorKind::Conflict,
     "after this change too few of the voters would have been started",
     "start or remove the member that never started, then plan again"},
    {"bad leader transferee", ErrorKind::Conflict, ErrorKind::Conflict,
     "leadership cannot go to this member: it is no voter of the cluster",
     "choose a voter that is up, then plan again"},
    {"not leader", ErrorKind::Conflict, ErrorKind::Conflict, "this member does not lead any more",
     "look who leads now, then ask there"},
    {"rpc not supported for learner", ErrorKind::Invalid, ErrorKind::Invalid,
     "the member at this address is a learner, and learners do not answer this",
     "ask a voter; keep learners out of the endpoints"},
    {"cluster ID mismatch", ErrorKind::Invalid, ErrorKind::Invalid, "the member belongs to another cluster",
     "check the endpoints: one of them belongs to another cluster"},
    // ---------------------------------------------------------------------------------------------------------- quorum
    {"no leader", ErrorKind::Transient, ErrorKind::Transient, "the member knows no leader",
     "an election may be going on; if it stays so, too few voters can reach each other"},
    {"leader changed", ErrorKind::Transient, ErrorKind::Ambiguous, "the leader changed while etcd was at it",
     "look again"},
    {"request timed out", ErrorKind::Transient, ErrorKind::Ambiguous, "etcd gave up waiting for its voters",
     "it has no quorum, or is overloaded; look again before anything else"},
    {"context deadline exceeded", ErrorKind::Transient, ErrorKind::Ambiguous, "etcd gave up waiting for its voters",
     "it has no quorum, or is overloaded; look again before anything else"},
    {"request canceled", ErrorKind::Transient, ErrorKind::Ambiguous, "etcd dropped the request", "look again"},
    {"request cancelled", ErrorKind::Transient, ErrorKind::Ambiguous, "etcd dropped the request", "look again"},
    {"server stopped", ErrorKind::Transient, ErrorKind::Ambiguous, "the member was stopped meanwhile", "look again"},
    {"too many requests", ErrorKind::Transient, ErrorKind::Transient, "the member has too much to do",
     "try again later"},
    {"not capable", ErrorKind::Transient, ErrorKind::Transient, "the member is still starting",
     "try again in a moment"},
    // --------------------------------------------------------------------------------------------------- state of data
    {"database space exceeded", ErrorKind::Conflict, ErrorKind::Conflict, "the database is full (alarm NOSPACE)",
     "compact, defragment each member, then disarm the alarm"},
    {"etcdserver: no space", ErrorKind::Conflict, ErrorKind::Conflict, "the database is full (alarm NOSPACE)",
     "compact, defragment each member, then disarm the alarm"},
    {"corrupt cluster", ErrorKind::Refused, ErrorKind::Refused, "etcd holds its data to be corrupt (alarm CORRUPT)",
     "change nothing; compare the hashes of the members and replace the one that differs"},
    {"required revision has been compacted", ErrorKind::Conflict, ErrorKind::Conflict,
     "this revision has been compacted already", "take a newer revision"},
    {"required revision is a future revision", ErrorKind::Transient, ErrorKind::Conflict,
     "the member has not got as far as this revision", "wait until it has caught up, or take an older revision"},
    {"request is too large", ErrorKind::Invalid, ErrorKind::Invalid, "the request is larger than etcd allows",
     "write less at once"},
    {"key is not provided", ErrorKind::Invalid, ErrorKind::Invalid, "a key has to have a name", "name the key"},
    {"requested lease not found", ErrorKind::Conflict, ErrorKind::Conflict,
     "the lease is gone: it ran out or was revoked", "take a new one, look again, then plan again"},
    {"too large lease TTL", ErrorKind::Invalid, ErrorKind::Invalid, "etcd grants no lease for so long",
     "ask for less time"},
    {"duplicate key given in txn request", ErrorKind::Invalid, ErrorKind::Invalid,
     "a transaction writes each key once only", "write the key once"},
    {"too many operations in txn request", ErrorKind::Invalid, ErrorKind::Invalid,
     "the transaction has more operations than etcd allows", "write less at once"},
    // ----------------------------------------------------------------------------------------------------------- users
    {"permission denied", ErrorKind::Refused, ErrorKind::Refused, "the user may not do this",
     "give the user a role that may (for changes of members: root), or use another user"},
    {"authentication failed, invalid user ID or password", ErrorKind::Invalid, ErrorKind::Invalid,
     "user name or password is wrong", "check the credentials"},
    {"user name is empty", ErrorKind::Invalid, ErrorKind::Invalid, "the cluster wants a user and a password",
     "name a user and the file of the password"},
    {"user name not found", ErrorKind::Invalid, ErrorKind::Invalid, "the cluster knows no such user",
     "check the credentials"},
    {"invalid auth token", ErrorKind::Transient, ErrorKind::Transient,
     "the member does not accept the token it gave out",
     "try again; if it stays so, compare the members' clocks and their auth-token setting"},
    {"revision of auth store is old", ErrorKind::Transient, ErrorKind::Transient, "users were changed meanwhile",
     "try again"},
    {"authentication is not enabled", ErrorKind::Conflict, ErrorKind::Conflict, "the cluster does not use passwords",
     "leave out user and password"},
    // ------------------------------------------------------------------------------------------------------- downgrade
    {"cluster has a downgrade job in progress", ErrorKind::Conflict, ErrorKind::Conflict, "a downgrade is going on",
     "let it end or cancel it, then plan again"},
    {"no inflight downgrade job", ErrorKind::Conflict, ErrorKind::Conflict, "no downgrade is going on", "look again"},
    {"invalid downgrade target version", ErrorKind::Invalid, ErrorKind::Invalid,
     "etcd goes down by one minor version at a time only", "name the minor version right below the cluster's"},
    {"wrong downgrade target version format", ErrorKind::Invalid, ErrorKind::Invalid, "etcd cannot read the version",
     "write it as major.minor.patch"},
    {"cluster version not found during downgrade", ErrorKind::Transient, ErrorKind::Transient,
     "the members have not agreed on the version of the cluster yet", "try again in a moment"},
};

constexpr std::size_t kLongestQuote = 200;

// etcd's own words for people to search for. They come from outside: one line, not too long, valid UTF-8.
std::string quoted(std::string_view text) {
  std::string line(text.substr(0, kLongestQuote));
  if (const auto bad = base::first_invalid_utf8(line)) line.resize(*bad);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f' || c == '"'; }, ' ');
  return "\"" + line + (text.size() > kLongestQuote ? "...\"" : "\"");
}

const Saying* saying_of(std::string_view text) {
  const auto found = std::find_if(kSayings.begin(), kSayings.end(),
                                  [&](const Saying& row) { return text.find(row.says) != std::string_view::npos; });
  return found == kSayings.end() ? nullptr : &*found;
}

std::string start_of(const Call& call) {
  return call.doing + " at " + call.endpoint + ": ";
}

ErrorKind kind_when_cut_off(const Call& call) {
  return call.changes ? ErrorKind::Ambiguous : ErrorKind::Transient;
}

std::string_view advice_when_cut_off(const Call& call) {
  return call.changes ? "it may have taken effect: look again before anything else"
                      : "check the member and the network; it is asked again next time";
}

}  // namespace

const std::vector<Saying>& sayings() {
  return kSayings;
}

base::Error explain(const Call& call, Code code, std::string_view text) {
  if (const Saying* row = saying_of(text)) {
    return {call.changes ? row->kind_of_change : row->kind,
            start_of(call) + std::string(row->sentence) + " (" + quoted(text) + ")", std::string(row->help)};
  }
  switch (code) {
    case Code::DeadlineExceeded:
      return {kind_when_cut_off(call), start_of(call) + "no answer within " + base::to_string(call.within),
              std::string(advice_when_cut_off(call))};
    case Code::Unimplemented:
      return {ErrorKind::Invalid, start_of(call) + "what answers there does not know this call (" + quoted(text) + ")",
              "check that the address is the client URL of an etcd 3.4 or later"};
    case Code::InvalidArgument:
    case Code::OutOfRange:
    case Code::NotFound:
    case Code::FailedPrecondition:
      return {ErrorKind::Conflict, start_of(call) + "etcd refuses (" + quoted(text) + ")",
              "look again, then plan again"};
    case Code::PermissionDenied:
    case Code::Unauthenticated:
      return {ErrorKind::Refused, start_of(call) + "the user may not do this (" + quoted(text) + ")",
              "use a user that may"};
    case Code::DataLoss:
      return {ErrorKind::Refused, start_of(call) + "etcd reports lost data (" + quoted(text) + ")",
              "change nothing; compare the hashes of the members"};
    case Code::Unavailable:
    case Code::Cancelled:
      return {kind_when_cut_off(call), start_of(call) + "the connection broke off (" + quoted(text) + ")",
              std::string(advice_when_cut_off(call))};
    case Code::Unknown:
    case Code::ResourceExhausted:
    case Code::Internal:
      break;
  }
  return {kind_when_cut_off(call), start_of(call) + "an answer that makes no sense here (" + quoted(text) + ")",
          std::string(advice_when_cut_off(call))};
}

base::Error not_connected(const Call& call, std::string_view reason) {
  const bool refused = reason.find("Connection refused") != std::string_view::npos;
  return {ErrorKind::Transient,
          start_of(call) + (refused ? "connection refused" : "no connection (" + quoted(reason) + ")"),
          refused ? "nothing listens there: the member is stopped, or the address is wrong"
                  : "check the address, the member and the network between"};
}

base::Error connects_too_slowly(const Call& call) {
  return {ErrorKind::Transient, start_of(call) + "no connection within " + base::to_string(call.within),
          "the machine is off or hangs, or a firewall drops packets on the way"};
}

base::Error nothing_comes(const Call& call, base::Duration since) {
  return {ErrorKind::Transient, start_of(call) + "nothing has come for " + base::to_string(since),
          "see whether its disk answers; it also waits while its database is defragmented"};
}

base::Error receiver_stopped(const Call& call) {
  return {ErrorKind::Refused, start_of(call) + "whoever receives it stopped", "the reason is where the bytes went"};
}

bool was_never_sent(Code code, std::string_view text) {
  return code == Code::Unavailable && (text.find("failed to connect to all addresses") != std::string_view::npos ||
                                       text.find("DNS resolution failed") != std::string_view::npos);
}

bool wants_a_new_token(Code code, std::string_view text) {
  return code == Code::Unauthenticated || text.find("invalid auth token") != std::string_view::npos ||
         text.find("user name is empty") != std::string_view::npos;
}

bool needs_no_token(std::string_view text) {
  return text.find("authentication is not enabled") != std::string_view::npos;
}

bool is_no_lease(std::string_view text) {
  return text.find("requested lease not found") != std::string_view::npos;
}

std::string lease_text(std::int64_t lease) {
  return base::id_text(static_cast<std::uint64_t>(lease));
}

}  // namespace quorate::etcd_grpc
