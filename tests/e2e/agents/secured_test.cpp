// Clusters as production has them: TLS both ways for everybody, and users in etcd.
#include <filesystem>

#include "tests/e2e/agents/fleet.h"
#include "tests/integration/certificates.h"
#include "tests/integration/etcd_process.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;

constexpr Seconds kRestored{150};
constexpr base::Duration kAnswer{3000};

class Secured : public AgentsTest {
 protected:
  void SetUp() override {
    const integration::Authority authority(pki(), "ca");
    const Names addresses{fleet_.address("a"), fleet_.address("b"), fleet_.address("c"), "127.0.0.1"};
    authority.issue(pki() + "/etcd.crt", pki() + "/etcd.key", addresses, 2, "root");
    authority.issue(pki() + "/nobody.crt", pki() + "/nobody.key", {"127.0.0.1"}, 2, "nobody");
    fleet_.secure({authority.certificate(), pki() + "/etcd.crt", pki() + "/etcd.key", "", "", ""});
    fs::create_directory(store());
    integration::write_file(store() + "/.quorate-store", "");
  }

  std::string pki() const { return fleet_.folder() + "/pki"; }
  std::string store() const { return fleet_.folder() + "/store"; }
  Wording wording(const std::string& more = "") const {
    Wording wording;
    wording.tls = "mode: mutual, dir: " + pki();
    wording.more = "backup: {to: [\"file://" + store() + "\"], every: 1h}\n" + more;
    return wording;
  }
  integration::Ended ctl(const Names& arguments) const {
    const integration::Etcdctl etcdctl{
        GetParam(),
        fleet_.client_url("a"),
        {"--cacert=" + pki() + "/ca.crt", "--cert=" + pki() + "/etcd.crt", "--key=" + pki() + "/etcd.key"}};
    return etcdctl(arguments);
  }
  void have_users() const {
    for (const Names& each :
         {Names{"user", "add", "root:secret"}, Names{"user", "grant-role", "root", "root"}, Names{"auth", "enable"}}) {
      const auto ended = ctl(each);
      ASSERT_EQ(ended.exit_code, 0) << ended.errors;
    }
  }
  bool keeps_strangers_out() const {
    auto client = etcd_grpc::connect({pki() + "/ca.crt", pki() + "/nobody.crt", pki() + "/nobody.key", "", "", ""});
    return client && !(*client)->put(fleet_.client_url("a"), "k", "of nobody", kAnswer);
  }
};

TEST_P(Secured, F17_AClusterWithUsersHealsAndComesBackFromItsBackupWithThem) {
  const Names all{"a", "b", "c"};
  fleet_.form(all, wording());
  have_users();
  ASSERT_TRUE(keeps_strangers_out());
  ASSERT_TRUE(fleet_.put("k", "v"));
  fleet_.lose_disks({"b"});
  ASSERT_TRUE(Fleet::eventually([&] { return !fleet_.steps_done("remove/b").empty(); })) << "agents act as root";
  ASSERT_TRUE(fleet_.become_voters(all));
  const auto made = fleet_.quorate({"backup", "create", "--always", "--endpoints", fleet_.client_url("a"), "--store",
                                    "file://" + store(), "--cacert", pki() + "/ca.crt", "--cert", pki() + "/etcd.crt",
                                    "--key", pki() + "/etcd.key"});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  for (const std::string& member : all) ASSERT_TRUE(fleet_.settle(member));
  fleet_.lose_disks(all);
  fleet_.want(all, wording("generation: 2\nrecovery: {restore: latest}\n"));
  ASSERT_TRUE(fleet_.become_voters(all, kRestored));
  EXPECT_EQ(fleet_.get("k"), "v");
  EXPECT_TRUE(keeps_strangers_out()) << "who was no user then is none now";
  EXPECT_TRUE(fleet_.settle("a"));
}

INSTANTIATE_TEST_SUITE_P(Etcd, Secured, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
