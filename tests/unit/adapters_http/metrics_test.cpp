// Lines as etcd 3.4.23 and 3.5.16 write them, and lines that nobody should.
#include "reconciler/adapters/http/metrics.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// From a member of two; the rest of its 150 kB left out. Both releases write the same lines here.
const std::string kCaptured = R"(# TYPE etcd_mvcc_txn_total counter
etcd_mvcc_txn_total 0
# HELP etcd_network_active_peers The current number of active peer connections.
# TYPE etcd_network_active_peers gauge
etcd_network_active_peers{Local="ca85a129966ca0cf",Remote="44f6073fde92ae74"} 1
# HELP etcd_network_client_grpc_received_bytes_total The total number of bytes received from grpc clients.
# TYPE etcd_network_client_grpc_received_bytes_total counter
etcd_network_client_grpc_received_bytes_total 0
# HELP etcd_server_has_leader Whether or not a leader exists. 1 is existence, 0 is not.
# TYPE etcd_server_has_leader gauge
etcd_server_has_leader 1
)";
const std::string kEtcd = "etcd_server_has_leader 1\n";

std::vector<base::MemberId> peers(const std::string& text) {
  const auto found = active_peers_in(text);
  EXPECT_TRUE(found) << found.error().message;
  return found.value_or(std::vector<base::MemberId>{});
}

TEST(Metrics, NameThePeersThatAMemberIsConnectedTo) {
  EXPECT_THAT(peers(kCaptured), ElementsAre(base::MemberId{0x44f6073fde92ae74}));
}

TEST(Metrics, CountOnlyConnectionsThatStand) {
  EXPECT_THAT(peers(kEtcd + "etcd_network_active_peers{Local=\"a\",Remote=\"b\"} 0\n"
                            "etcd_network_active_peers{Local=\"a\",Remote=\"c\"} 2\n"
                            "etcd_network_active_peers{Remote=\"d\", Local=\"a\",} 1e+00 1790000000\r\n"
                            "etcd_network_active_peers{Local=\"a\",Remote=\"e\"} -1\n"
                            "etcd_network_active_peers{Local=\"a\",Remote=\"f\"} NaN\n"
                            "etcd_network_active_peers{Local=\"a\",Remote=\"c\"} 1"),
              ElementsAre(base::MemberId{0xc}, base::MemberId{0xd}));
}

TEST(Metrics, OfAMemberAloneNameNobody) {
  EXPECT_THAT(peers(kEtcd), IsEmpty());
}

TEST(Metrics, ThatAreNotEtcdsAreNoAnswer) {
  for (const std::string text : {"", "<html>", "node_cpu_seconds_total 1\n"}) {
    const auto found = active_peers_in(text);
    ASSERT_FALSE(found) << text;
    EXPECT_THAT(found.error().message, HasSubstr("no metrics of an etcd"));
  }
}

TEST(Metrics, ThatAreBrokenAreNoAnswer) {
  for (const std::string line :
       {"{Local=\"a\",Remote=\"b", "{Local=\"a\",Remote=\"b\"}", "{Local=\"a\",Remote=\"b\"} x", "{Local=\"a\"} 1",
        "{Remote=\"xyz\"} 1", "{Remote=\"00112233445566778\"} 1", "{Remote=b} 1", "{Remote", "{", "{Remote=\"b\\",
        "{Remote=\"b\"} 1x", "{Remote=\"\\\"b\"} 1", "{Remote=\"\\n\"} 1", "{,,,,=} 1", "{\x1b[31m=\"\"} 1"}) {
    const auto found = active_peers_in(kEtcd + "etcd_network_active_peers" + line + "\n" + kEtcd);
    ASSERT_FALSE(found) << line;
    EXPECT_EQ(found.error().kind, base::ErrorKind::Invalid);
    EXPECT_EQ(found.error().message.find('\x1b'), std::string::npos);
  }
}

TEST(Metrics, AreReadWhereverTheyEnd) {
  for (std::size_t size = 0; size < kCaptured.size(); ++size) {
    static_cast<void>(active_peers_in(kCaptured.substr(0, size)));
  }
}

}  // namespace
}  // namespace quorate::http
