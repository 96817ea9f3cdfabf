// The systemd unit: what it asks for, what it shuts, and how words are escaped.
#include "renderers/systemd/systemd.h"

#include <gtest/gtest.h>

#include "tests/support/desired_builder.h"

namespace quorate::renderers {
namespace {

using support::DesiredBuilder;

std::string unit_of(const model::Desired& cluster, const Boot& boot = BootKeep{}) {
  const auto files = render_systemd(Input{cluster, cluster.members[0], boot, "/var/lib/quorate/prod/a/etcd.yaml"});
  EXPECT_TRUE(files) << files.error().message;
  return files->front().content;
}

bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

template <class Change>
std::string unit_with(Change change) {
  return unit_of(DesiredBuilder().version("3.5.16").systemd().with(change).build());
}

TEST(SystemdUnit, DoesNotChangeWithTheBootMode) {
  const model::Desired cluster = DesiredBuilder().systemd().build();
  EXPECT_EQ(unit_of(cluster, BootNew{"/tmp/token"}), unit_of(cluster));
  EXPECT_EQ(unit_of(cluster, BootJoin{"a=https://10.0.0.11:2380"}), unit_of(cluster));
}

TEST(SystemdUnit, LeavesARemovedMemberDownAndNeverGivesUpOnTheOthers) {
  const std::string unit = unit_of(DesiredBuilder().systemd().build());
  EXPECT_TRUE(has_line(unit, "Restart=on-failure"));
  EXPECT_TRUE(has_line(unit, "StartLimitIntervalSec=0"));
  EXPECT_TRUE(has_line(unit, "TimeoutStartSec=infinity"));
  EXPECT_LT(unit.find("StartLimitIntervalSec"), unit.find("[Service]"));
}

TEST(SystemdUnit, WritesOnlyToTheParentsOfItsDirectories) {
  EXPECT_TRUE(has_line(unit_of(DesiredBuilder().systemd().build()), "ReadWritePaths=/var/lib/etcd"));
  EXPECT_TRUE(has_line(unit_with([](auto& cluster) { cluster.members[0].wal_dir = "/mnt/wal/a"; }),
                       "ReadWritePaths=/mnt/wal /var/lib/etcd"));
}

TEST(SystemdUnit, WritesToTheDirectoryOfItsLogFile) {
  const auto logs = [](auto& cluster) { cluster.etcd.flags["log-outputs"] = {"stderr", "/var/log/x/etcd.log"}; };
  EXPECT_TRUE(has_line(unit_with(logs), "ReadWritePaths=/var/lib/etcd /var/log/x"));
}

TEST(SystemdUnit, HidesHomeUnlessAPathOfOursLiesThere) {
  EXPECT_TRUE(has_line(unit_with([](auto&) {}), "ProtectHome=yes"));
  EXPECT_TRUE(has_line(unit_with([](auto& c) { c.members[0].data_dir = "/home/etcd/a"; }), "ProtectHome=no"));
  EXPECT_TRUE(has_line(unit_with([](auto& c) { c.etcd.binary = "/root/etcd"; }), "ProtectHome=no"));
  EXPECT_TRUE(has_line(unit_with([](auto& c) { c.tls.peer.key = "/run/user/0/k"; }), "ProtectHome=no"));
  EXPECT_TRUE(
      has_line(unit_with([](auto& c) { c.etcd.flags["auth-token"] = {"jwt,pub-key=/home/k"}; }), "ProtectHome=no"));
  EXPECT_TRUE(has_line(unit_with([](auto& c) { c.members[0].data_dir = "/mnt/home/a"; }), "ProtectHome=yes"));
}

TEST(SystemdUnit, HasATmpOfItsOwnUnlessAPathOfOursLiesThere) {
  EXPECT_TRUE(has_line(unit_with([](auto&) {}), "PrivateTmp=yes"));
  EXPECT_TRUE(has_line(unit_with([](auto& c) { c.members[0].wal_dir = "/tmp/wal"; }), "PrivateTmp=no"));
  EXPECT_TRUE(has_line(unit_with([](auto& c) { c.members[0].data_dir = "/var/tmp/a"; }), "PrivateTmp=no"));
  EXPECT_TRUE(has_line(unit_with([](auto& c) { c.members[0].data_dir = "/srv/tmp/a"; }), "PrivateTmp=yes"));
}

TEST(SystemdUnit, HasNoCapabilityUnlessAPortNeedsIt) {
  EXPECT_TRUE(has_line(unit_with([](auto&) {}), "CapabilityBoundingSet="));
  const std::string low = unit_with([](auto& c) { c.members[0].listen_metrics = {{"http", "127.0.0.1", 80}}; });
  EXPECT_TRUE(has_line(low, "CapabilityBoundingSet=CAP_NET_BIND_SERVICE"));
  EXPECT_TRUE(has_line(low, "AmbientCapabilities=CAP_NET_BIND_SERVICE"));
}

TEST(SystemdUnit, RunsAsRootWhenNoUserIsSaid) {
  EXPECT_TRUE(has_line(unit_with([](auto&) {}), "User=etcd"));
  const std::string root = unit_with([](auto& c) { std::get<model::SystemdRuntime>(c.runtime).user = ""; });
  EXPECT_EQ(root.find("User="), std::string::npos);
}

TEST(SystemdUnit, MayLockMemoryWhenEtcdIsToldTo) {
  EXPECT_EQ(unit_with([](auto&) {}).find("LimitMEMLOCK"), std::string::npos);
  const auto mlock = [](auto& c) { c.etcd.flags["experimental-memory-mlock"] = {"true"}; };
  EXPECT_TRUE(has_line(unit_with(mlock), "LimitMEMLOCK=infinity"));
}

TEST(SystemdWords, AreEscapedWhereSystemdWouldReadMore) {
  EXPECT_EQ(unit_word("/var/lib/etcd"), "/var/lib/etcd");
  EXPECT_EQ(unit_word("/a b"), "\"/a b\"");
  EXPECT_EQ(unit_word("/100%"), "/100%%");
  EXPECT_EQ(unit_word("/a\"b\\c"), "\"/a\\\"b\\\\c\"");
  EXPECT_EQ(unit_word("/$HOME"), "/$HOME");
  EXPECT_EQ(exec_word("/$HOME"), "/$$HOME");
  EXPECT_EQ(exec_word(""), "\"\"");
}

}  // namespace
}  // namespace quorate::renderers
