// Whom a real etcd says it is connected to: with all members there, with one gone, and over mutual TLS.
#include "reconciler/adapters/http/links.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/contract/local_etcd.h"
#include "tests/integration/certificates.h"

namespace quorate::integration {
namespace {

using base::ErrorKind;
using base::MemberId;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr base::Duration kWithin = Seconds(5);

class PeerLinks : public testing::TestWithParam<std::string> {
 protected:
  static bool eventually(const std::function<bool()>& wanted) {
    const auto until = std::chrono::steady_clock::now() + Seconds(30);
    while (!wanted()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }
  MemberId id_of(const contract::LocalEtcd& etcd, int seat) const {
    const Json status = Etcdctl{GetParam(), etcd.client_url(seat), {}}.json({"endpoint", "status"});
    return {status.at(0).at("Status").at("header").at("member_id").get<std::uint64_t>()};
  }

  TempDir folder_;
};

TEST_P(PeerLinks, AreTheOtherMembersUntilTheyAreGone) {
  contract::LocalEtcd etcd(GetParam());
  for (int seat = 0; seat < 3; ++seat) etcd.add_seat();
  etcd.found(3);
  for (int seat = 0; seat < 3; ++seat) ASSERT_TRUE(etcd.wait_until_ready(seat)) << etcd.log(seat);
  std::vector<MemberId> others = {id_of(etcd, 1), id_of(etcd, 2)};
  std::sort(others.begin(), others.end());
  const auto links = http::make_links({});
  std::vector<MemberId> seen;
  const auto look = [&] {
    const auto found = links->active_peers(etcd.client_url(0), kWithin);
    EXPECT_TRUE(found) << found.error().message;
    seen = found.value_or(std::vector<MemberId>{});
  };
  EXPECT_TRUE(eventually([&] { return look(), seen == others; })) << testing::PrintToString(seen.size());

  const std::vector<MemberId> left = {id_of(etcd, 2)};
  etcd.kill(1);
  const auto killed = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually([&] { return look(), seen == left; })) << testing::PrintToString(seen.size());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - killed;
  RecordProperty("seconds_until_a_killed_peer_is_missed", std::to_string(took.count()));

  const auto dead = links->active_peers(etcd.client_url(1), kWithin);
  ASSERT_FALSE(dead);
  EXPECT_EQ(dead.error().kind, ErrorKind::Transient);
  EXPECT_THAT(dead.error().message, HasSubstr(etcd.client_url(1)));

  etcd.pause(0);
  const auto start = std::chrono::steady_clock::now();
  const auto silent = links->active_peers(etcd.client_url(0), base::Duration{300});
  EXPECT_LT(std::chrono::steady_clock::now() - start, Seconds(3));
  etcd.resume(0);
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().kind, ErrorKind::Transient);
  EXPECT_THAT(silent.error().message, HasSubstr("no answer in time"));
}

TEST_P(PeerLinks, AreAskedForOverMutualTls) {
  const Authority authority(folder_.path(), "ca");
  const Authority stranger(folder_.path(), "stranger");
  const std::string address = own_address(1);
  authority.issue(folder_ / "server.crt", folder_ / "server.key", {address});
  authority.issue(folder_ / "client.crt", folder_ / "client.key", {"127.0.0.9"});
  contract::LocalEtcd etcd(GetParam(),
                           {"--cert-file=" + folder_ / "server.crt", "--key-file=" + folder_ / "server.key",
                            "--client-cert-auth", "--trusted-ca-file=" + authority.certificate()},
                           "https");
  etcd.add_seat();
  etcd.found(1);
  ASSERT_TRUE(etcd.wait_until_ready(0)) << etcd.log(0);
  const http::Access right{authority.certificate(), folder_ / "client.crt", folder_ / "client.key", ""};
  const auto ask = [&](const http::Access& access) {
    return http::make_links(access)->active_peers(etcd.client_url(0), kWithin);
  };
  const auto alone = ask(right);
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_THAT(*alone, IsEmpty());

  http::Access named = right;
  named.server_name = address;
  EXPECT_TRUE(ask(named));
  named.server_name = "etcd.example.org";
  EXPECT_EQ(ask(named).error().kind, ErrorKind::Invalid);

  http::Access other_authority = right;
  other_authority.ca = stranger.certificate();
  EXPECT_EQ(ask(other_authority).error().kind, ErrorKind::Invalid);
  http::Access no_file = right;
  no_file.cert = folder_ / "none.crt";
  EXPECT_EQ(ask(no_file).error().kind, ErrorKind::Invalid);
  EXPECT_FALSE(ask({authority.certificate(), "", "", ""}));
}

TEST_P(PeerLinks, DoNotGoThroughAProxyOfTheEnvironment) {
  contract::LocalEtcd etcd(GetParam());
  etcd.add_seat();
  etcd.found(1);
  ASSERT_TRUE(etcd.wait_until_ready(0)) << etcd.log(0);
  ASSERT_EQ(::setenv("http_proxy", "http://127.0.0.1:9", 1), 0);
  EXPECT_TRUE(http::make_links({})->active_peers(etcd.client_url(0), kWithin));
  ::unsetenv("http_proxy");
}

TEST_P(PeerLinks, NeedAnEndpointThatIsOne) {
  for (const std::string endpoint : {"", "file:///etc/passwd", "http://a", "http://a:1/x", "gopher://a:70"}) {
    const auto found = http::make_links({})->active_peers(endpoint, kWithin);
    ASSERT_FALSE(found) << endpoint;
    EXPECT_EQ(found.error().kind, ErrorKind::Invalid);
  }
}

INSTANTIATE_TEST_SUITE_P(Etcd, PeerLinks, testing::ValuesIn(kEtcdReleases), name_of_release);

}  // namespace
}  // namespace quorate::integration
