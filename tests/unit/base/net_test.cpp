// Addresses, names and URLs.
#include "reconciler/base/net.h"

#include <gtest/gtest.h>

namespace quorate::base {
namespace {

std::string problem_of(std::string_view text) {
  UrlProblem problem;
  return parse_url(text, problem) ? "none" : problem.what;
}

}  // namespace

TEST(Net, TellsAddressesFromNames) {
  EXPECT_TRUE(is_ip("10.0.0.11"));
  EXPECT_TRUE(is_ip("fd00::1"));
  EXPECT_FALSE(is_ip("10.0.0"));
  EXPECT_FALSE(is_ip("010.0.0.1"));
  EXPECT_FALSE(is_ip("etcd-a.example.com"));
  EXPECT_FALSE(is_ip(""));
}

TEST(Net, KnowsAllOfLoopback) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("127.0.0.11"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_TRUE(is_loopback("localhost"));
  EXPECT_FALSE(is_loopback("128.0.0.1"));
  EXPECT_FALSE(is_loopback("fd00::1"));
}

TEST(Net, WritesAnIpv6AddressOneWay) {
  EXPECT_EQ(canonical_host("fd00:0:0::0:1"), "fd00::1");
  EXPECT_EQ(canonical_host("FD00::1"), "fd00::1");
  EXPECT_EQ(canonical_host("10.0.0.1"), "10.0.0.1");
}

TEST(Net, ChecksDnsNamesByTheirRules) {
  EXPECT_TRUE(is_dns_label("etcd-a"));
  EXPECT_TRUE(is_dns_label(std::string(63, 'a')));
  EXPECT_FALSE(is_dns_label(std::string(64, 'a')));
  EXPECT_FALSE(is_dns_label("-a"));
  EXPECT_FALSE(is_dns_label("a-"));
  EXPECT_FALSE(is_dns_label("A"));
  EXPECT_FALSE(is_dns_label("a.b"));
  EXPECT_TRUE(is_dns_subdomain("etcd-a.example.com"));
  EXPECT_FALSE(is_dns_subdomain("etcd-a..example"));
  EXPECT_FALSE(is_dns_subdomain("etcd-a."));
}

TEST(Net, TakesOnlyHostsThatOthersCanReach) {
  for (const char* host : {"10.0.0.1", "127.0.0.1", "fd00::1", "etcd-a", "a.example.com"})
    EXPECT_TRUE(is_host(host)) << host;
  for (const char* host :
       {"0.0.0.0", "::", "224.0.0.1", "255.255.255.255", "ff02::1", "010.0.0.1", "10.0.0.256", "7"}) {
    EXPECT_FALSE(is_host(host)) << host;
  }
}

TEST(Net, ReadsTheUrlsThatEtcdTakes) {
  UrlProblem problem;
  const auto url = parse_url("https://[fd00:0::1]:2380", problem);
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "fd00::1");
  EXPECT_EQ(url->port, 2380);
  EXPECT_EQ(to_string(*url), "https://[fd00::1]:2380");
}

TEST(Net, SaysWhatIsWrongWithAUrl) {
  EXPECT_EQ(problem_of("10.0.0.1:2380"), "has no scheme");
  EXPECT_EQ(problem_of("ftp://a:1"), "has a scheme other than http and https");
  EXPECT_EQ(problem_of("https://a"), "has no port");
  EXPECT_EQ(problem_of("https://a:"), "has no port");
  EXPECT_EQ(problem_of("https://a:0"), "has a port that is not between 1 and 65535");
  EXPECT_EQ(problem_of("https://a:65536"), "has a port that is not between 1 and 65535");
  EXPECT_EQ(problem_of("https://a:1/x"), "goes on after the port");
  EXPECT_EQ(problem_of("https://u:p@a:1"), "names a user");
  EXPECT_EQ(problem_of("https://fd00::1:2380"), "has an IPv6 address without brackets");
  EXPECT_EQ(problem_of("https://[fd00::1:2380"), "has no host");
  EXPECT_EQ(problem_of("https://a_b:1"), "has a host that is no address others can reach and no DNS name");
}

}  // namespace quorate::base
