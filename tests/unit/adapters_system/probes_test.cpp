// Questions to this machine: ports, folders, the speed of its disk.
#include "reconciler/adapters/system/probes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "reconciler/adapters/system/certificate.h"
#include "reconciler/adapters/system/descriptor.h"
#include "reconciler/adapters/system/program.h"
#include "tests/support/temp_folder.h"

namespace quorate::adapters::system {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace fs = std::filesystem;

constexpr base::Duration kShort{2000};

// A listener on a port of loopback that the system chose.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_.number(), any, size), 0);
    EXPECT_EQ(::listen(socket_.number(), 4), 0);
    EXPECT_EQ(::getsockname(socket_.number(), any, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  std::uint16_t port() const { return port_; }
  void close() { socket_.close(); }

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

// Self-signed, with its key beside it.
std::string certificate(const tests::TempFolder& folder, const std::string& name, const std::string& names) {
  const std::string file = folder / name;
  std::vector<std::string> argv = {
      "openssl", "req",     "-x509",       "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
      "-nodes",  "-keyout", file + ".key", "-out",    file, "-days",    "2",
      "-subj",   "/CN=x"};
  if (!names.empty()) argv.insert(argv.end(), {"-addext", "subjectAltName=" + names});
  const auto made = run_program(argv, "", base::Duration{30'000});
  EXPECT_TRUE(made && made->status == 0);
  return file;
}

}  // namespace

TEST(Probes, APortThatSomebodyHoldsIsReachedAndTaken) {
  Listener listener;
  EXPECT_TRUE(reach("127.0.0.1", listener.port(), kShort));
  EXPECT_EQ(look_at_port("127.0.0.1", listener.port()).value(), Port::Taken);
  listener.close();
  const auto gone = reach("127.0.0.1", listener.port(), kShort);
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().message, HasSubstr("refused"));
  EXPECT_EQ(look_at_port("127.0.0.1", listener.port()).value(), Port::Free);
}

TEST(Probes, AnAddressOfAnotherMachineIsNotOurs) {
  EXPECT_EQ(look_at_port("192.0.2.1", 2380).value(), Port::NotOurs);
  EXPECT_FALSE(look_at_port("no address", 2380));
}

TEST(Probes, ANameThatNobodyHasIsSaid) {
  const auto answer = reach("no-such-host.invalid", 2380, kShort);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("no-such-host.invalid has no address"));
}

TEST(Probes, AFolderSaysWhoseItIsAndWhoMayReadIt) {
  const tests::TempFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_all | fs::perms::others_read);
  const auto found = look_at_folder(folder.path());
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->mode, 0704);
  EXPECT_TRUE((*found)->owned_by_us);
  EXPECT_TRUE((*found)->writable);
  EXPECT_FALSE((*found)->mount_point);
  EXPECT_FALSE(look_at_folder(folder.path() + "/none").value());
  std::ofstream(folder.path() + "/file") << "x";
  EXPECT_FALSE(look_at_folder(folder.path() + "/file"));
}

TEST(Probes, AMountPointIsSeen) {
  EXPECT_TRUE(look_at_folder("/").value()->mount_point);
  EXPECT_TRUE(look_at_folder("/proc").value()->mount_point);
}

TEST(Probes, ACertificateSaysWhomItIsFor) {
  const tests::TempFolder folder;
  const auto names =
      names_in_certificate(certificate(folder, "a", "DNS:etcd-a,IP:10.0.0.11,IP:2001:0db8::1,email:a@example.com"));
  EXPECT_THAT(names.value(), ElementsAre("etcd-a", "10.0.0.11", "2001:db8::1"));
  EXPECT_THAT(names_in_certificate(certificate(folder, "b", "")).value(), IsEmpty());
  EXPECT_FALSE(names_in_certificate(folder / "a.key"));
  EXPECT_FALSE(names_in_certificate(folder / "none"));
}

TEST(Probes, AKeyFitsItsCertificateAndNoOther) {
  const tests::TempFolder folder;
  const std::string one = certificate(folder, "a", "DNS:etcd-a");
  const std::string other = certificate(folder, "b", "DNS:etcd-b");
  EXPECT_TRUE(key_fits(one, one + ".key").value());
  EXPECT_FALSE(key_fits(one, other + ".key").value());
  EXPECT_FALSE(key_fits(one, one)) << "a certificate is no key";
  EXPECT_FALSE(key_fits(one, folder / "none"));
}

TEST(Probes, WritesAreTimedAndLeaveNothing) {
  const tests::TempFolder folder;
  const auto times = time_writes(folder.path(), 5);
  ASSERT_TRUE(times);
  EXPECT_THAT(*times, SizeIs(5));
  EXPECT_TRUE(std::is_sorted(times->begin(), times->end()));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_FALSE(time_writes(folder.path() + "/none", 1));
}

}  // namespace quorate::adapters::system
