// The table of etcd's refusals: every text etcd is known to say, its kind, and that nothing dangerous is called
// harmless.
#include "reconciler/adapters/etcd_grpc/errors.h"

#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace quorate::etcd_grpc {
namespace {

using base::ErrorKind;

const Call kRead{"http://10.0.0.1:2379", "listing the members", false, base::Duration(1500)};
const Call kChange{"http://10.0.0.1:2379", "adding a learner", true, base::Duration(1500)};

TEST(EtcdErrors, NameTheKindOfEachRefusalOfAChange) {
  for (const auto& [code, text, kind] : {
           std::tuple(Code::Unavailable, "etcdserver: unhealthy cluster", ErrorKind::Conflict),
           {Code::NotFound, "etcdserver: member not found", ErrorKind::Conflict},
           {Code::FailedPrecondition, "etcdserver: too many learner members in cluster", ErrorKind::Conflict},
           {Code::FailedPrecondition, "etcdserver: can only promote a learner member which is in sync with leader",
            ErrorKind::Transient},
           {Code::FailedPrecondition, "etcdserver: can only promote a learner member", ErrorKind::Conflict},
           {Code::FailedPrecondition, "etcdserver: Peer URLs already exists", ErrorKind::Conflict},
           {Code::FailedPrecondition, "etcdserver: member ID already exist", ErrorKind::Conflict},
           {Code::InvalidArgument, "etcdserver: given member URLs are invalid", ErrorKind::Invalid},
           {Code::Unknown, "etcdserver: re-configuration failed due to not enough started members",
            ErrorKind::Conflict},
           {Code::FailedPrecondition, "etcdserver: bad leader transferee", ErrorKind::Conflict},
           {Code::FailedPrecondition, "etcdserver: not leader", ErrorKind::Conflict},
           {Code::Unavailable, "etcdserver: rpc not supported for learner", ErrorKind::Invalid},
           {Code::Unavailable, "etcdserver: no leader", ErrorKind::Transient},
           {Code::Unavailable, "etcdserver: leader changed", ErrorKind::Ambiguous},
           {Code::Unavailable, "etcdserver: request timed out", ErrorKind::Ambiguous},
           {Code::Unavailable, "etcdserver: request timed out, possibly due to previous leader failure",
            ErrorKind::Ambiguous},
           {Code::Unknown, "etcdserver: request timed out, leader transfer took too long", ErrorKind::Ambiguous},
           {Code::Unknown, "context deadline exceeded", ErrorKind::Ambiguous},
           {Code::DeadlineExceeded, "etcdserver: context deadline exceeded", ErrorKind::Ambiguous},
           {Code::Unavailable, "etcdserver: server stopped", ErrorKind::Ambiguous},
           {Code::Unknown, "etcdserver: too many requests", ErrorKind::Transient},
           {Code::ResourceExhausted, "etcdserver: mvcc: database space exceeded", ErrorKind::Conflict},
           {Code::DataLoss, "etcdserver: corrupt cluster", ErrorKind::Refused},
           {Code::OutOfRange, "etcdserver: mvcc: required revision has been compacted", ErrorKind::Conflict},
           {Code::OutOfRange, "etcdserver: mvcc: required revision is a future revision", ErrorKind::Conflict},
           {Code::InvalidArgument, "etcdserver: request is too large", ErrorKind::Invalid},
           {Code::NotFound, "etcdserver: requested lease not found", ErrorKind::Conflict},
           {Code::OutOfRange, "etcdserver: too large lease TTL", ErrorKind::Invalid},
           {Code::InvalidArgument, "etcdserver: duplicate key given in txn request", ErrorKind::Invalid},
           {Code::InvalidArgument, "etcdserver: too many operations in txn request", ErrorKind::Invalid},
           {Code::PermissionDenied, "etcdserver: permission denied", ErrorKind::Refused},
           {Code::Unknown, "auth: permission denied", ErrorKind::Refused},
           {Code::InvalidArgument, "etcdserver: authentication failed, invalid user ID or password",
            ErrorKind::Invalid},
           {Code::InvalidArgument, "etcdserver: user name is empty", ErrorKind::Invalid},
           {Code::Unauthenticated, "etcdserver: invalid auth token", ErrorKind::Transient},
           {Code::FailedPrecondition, "etcdserver: cluster has a downgrade job in progress", ErrorKind::Conflict},
           {Code::InvalidArgument, "etcdserver: invalid downgrade target version", ErrorKind::Invalid},
       }) {
    const base::Error error = explain(kChange, code, text);
    EXPECT_EQ(static_cast<int>(error.kind), static_cast<int>(kind)) << text;
    EXPECT_NE(error.message.find(text), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("adding a learner at http://10.0.0.1:2379: "), std::string::npos) << error.message;
    EXPECT_FALSE(error.help.empty()) << text;
  }
}

TEST(EtcdErrors, AReadIsNeverAmbiguousAndAChangeThatWasCutOffAlwaysIs) {
  for (const Saying& row : sayings()) {
    EXPECT_NE(static_cast<int>(row.kind), static_cast<int>(ErrorKind::Ambiguous)) << row.says;
  }
  for (const Code code : {Code::Cancelled, Code::Unknown, Code::DeadlineExceeded, Code::ResourceExhausted,
                          Code::Internal, Code::Unavailable}) {
    EXPECT_EQ(static_cast<int>(explain(kChange, code, "Socket closed").kind), static_cast<int>(ErrorKind::Ambiguous));
    EXPECT_EQ(static_cast<int>(explain(kRead, code, "Socket closed").kind), static_cast<int>(ErrorKind::Transient));
  }
}

TEST(EtcdErrors, EveryRowCanBeReachedAndSaysSomething) {
  for (const Saying& row : sayings()) {
    const base::Error error =
        explain(kRead, Code::Unknown,
                "etcdserver: " + std::string(row.says).substr(row.says.rfind("etcdserver: ", 0) == 0 ? 12 : 0));
    EXPECT_NE(error.message.find(row.sentence), std::string::npos) << row.says << ": an earlier row hides it";
    EXPECT_FALSE(row.help.empty()) << row.says;
    EXPECT_NE(row.sentence.back(), '.') << row.says;
  }
}

TEST(EtcdErrors, WhatWasNeverSentIsTransientEvenForAChange) {
  EXPECT_EQ(not_connected(kChange, "ipv4:10.0.0.1:2379: Failed to connect to remote host: Connection refused").message,
            "adding a learner at http://10.0.0.1:2379: connection refused");
  EXPECT_EQ(static_cast<int>(not_connected(kChange, "handshake").kind), static_cast<int>(ErrorKind::Transient));
  EXPECT_EQ(static_cast<int>(connects_too_slowly(kChange).kind), static_cast<int>(ErrorKind::Transient));
  EXPECT_EQ(connects_too_slowly(kChange).message,
            "adding a learner at http://10.0.0.1:2379: no connection within 1s500ms");
  EXPECT_TRUE(was_never_sent(Code::Unavailable, "failed to connect to all addresses; last error: UNKNOWN: ..."));
  EXPECT_FALSE(was_never_sent(Code::Unavailable, "Socket closed"));
  EXPECT_FALSE(was_never_sent(Code::Unknown, "failed to connect to all addresses"));
}

TEST(EtcdErrors, TellWhenANewTokenMayHelp) {
  EXPECT_TRUE(wants_a_new_token(Code::Unauthenticated, "anything"));
  EXPECT_TRUE(wants_a_new_token(Code::Unknown, "auth: invalid auth token"));
  EXPECT_TRUE(wants_a_new_token(Code::InvalidArgument, "etcdserver: user name is empty"));
  EXPECT_FALSE(wants_a_new_token(Code::PermissionDenied, "etcdserver: permission denied"));
  EXPECT_TRUE(needs_no_token("etcdserver: authentication is not enabled"));
}

TEST(EtcdErrors, QuoteHostileTextsOnOneShortLine) {
  const std::string text = "\x1b[2Jevil\n\"quote\"" + std::string(5000, 'x') + "\xff";
  const std::string message = explain(kRead, Code::Unknown, text).message;
  EXPECT_LT(message.size(), 400u);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  const std::string broken = explain(kRead, Code::Unknown, std::string("a\xff") + "b").message;
  EXPECT_EQ(broken.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace quorate::etcd_grpc
