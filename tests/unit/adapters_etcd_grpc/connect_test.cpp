// What is wrong with the files of an identity is said before anything is asked; addresses and deadlines without a
// server.
#include <chrono>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/etcd_grpc/handshake.h"
#include "tests/integration/certificates.h"
#include "tests/integration/process.h"

namespace quorate::etcd_grpc {
namespace {

using base::ErrorKind;

void expect_invalid(const Access& access, const std::string& words) {
  const auto client = connect(access);
  ASSERT_FALSE(client) << words;
  EXPECT_EQ(static_cast<int>(client.error().kind), static_cast<int>(ErrorKind::Invalid));
  EXPECT_NE(client.error().message.find(words), std::string::npos) << client.error().message;
  EXPECT_FALSE(client.error().help.empty());
}

TEST(Connect, SaysWhichFileCannotBeUsedAndWhy) {
  const integration::TempDir folder;
  const integration::Authority authority(folder.path(), "ca");
  for (const char* name : {"one", "two"}) {
    authority.issue(folder / (std::string(name) + ".crt"), folder / (std::string(name) + ".key"), {"127.0.0.1"});
  }
  integration::write_file(folder / "text", "no certificate at all");
  integration::write_file(folder / "large", std::string((1 << 20) + 1, 'x'));
  const std::string one = folder / "one.crt";
  const std::string key = folder / "one.key";

  EXPECT_TRUE(connect({}));
  EXPECT_TRUE(connect({authority.certificate(), one, key, "", "", ""}));
  expect_invalid({folder / "gone.crt", "", "", "", "", ""}, folder / "gone.crt cannot be read: No such file");
  expect_invalid({folder.path(), "", "", "", "", ""}, "it is no regular file");
  expect_invalid({folder / "large", "", "", "", "", ""}, "it is larger than 1Mi");
  expect_invalid({folder / "text", "", "", "", "", ""}, "holds no certificate");
  expect_invalid({"", folder / "text", key, "", "", ""}, "holds no certificate");
  expect_invalid({"", one, folder / "text", "", "", ""}, "holds no key");
  expect_invalid({"", one, folder / "two.key", "", "", ""}, "does not belong to the certificate");
  expect_invalid({"", one, "", "", "", ""}, "no client key");
  expect_invalid({"", "", key, "", "", ""}, "no client certificate");
  expect_invalid({"", "", "", "", "", "secret"}, "no user");
  expect_invalid({"", "", "", "bad name\r\n", "", ""}, "neither a DNS name nor an IP address");
}

TEST(Connect, AnEndpointThatIsNoUrlIsNamed) {
  const auto client = connect({});
  ASSERT_TRUE(client);
  for (const char* endpoint : {"", "10.0.0.1:2379", "unix:///tmp/etcd", "http://10.0.0.1", "http://a/b:1"}) {
    const auto status = (*client)->status(endpoint, base::Duration(500));
    ASSERT_FALSE(status) << endpoint;
    EXPECT_EQ(static_cast<int>(status.error().kind), static_cast<int>(ErrorKind::Invalid)) << endpoint;
  }
}

TEST(Connect, NoTimeAtAllIsNoReasonToHang) {
  const auto client = connect({});
  ASSERT_TRUE(client);
  for (const base::Duration within : {base::Duration(0), base::Duration(-5)}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE((*client)->status("http://127.0.0.1:1", within));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  }
}

TEST(Handshake, FindsTheAddressInWhatGrpcSays) {
  EXPECT_EQ(address_in("last error: UNKNOWN: ipv4:10.0.0.1:2379: Ssl handshake failed"), "10.0.0.1");
  EXPECT_EQ(address_in("last error: UNKNOWN: ipv6:%5B::1%5D:2379: Ssl handshake failed"), "::1");
  EXPECT_EQ(address_in("ipv4:nonsense"), "");
  EXPECT_EQ(address_in("DNS resolution failed"), "");
}

}  // namespace
}  // namespace quorate::etcd_grpc
