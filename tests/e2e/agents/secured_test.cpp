// Clusters as production has them: TLS both ways for everybody, and users in etcd.
#include "tests/e2e/agents/stored.h"
#include "tests/integration/certificates.h"
#include "tests/integration/etcd_process.h"

namespace quorate::e2e {
namespace {

class Secured : public StoredTest {
 protected:
  void SetUp() override {
    StoredTest::SetUp();
    const integration::Authority authority(pki(), "ca");
    const Names addresses{fleet_.address("a"), fleet_.address("b"), fleet_.address("c"), "127.0.0.1"};
    authority.issue(pki() + "/etcd.crt", pki() + "/etcd.key", addresses, 2, "root");
    authority.issue(pki() + "/nobody.crt", pki() + "/nobody.key", {"127.0.0.1"}, 2, "nobody");
    fleet_.secure({authority.certificate(), pki() + "/etcd.crt", pki() + "/etcd.key", "", "", ""});
  }

  std::string pki() const { return fleet_.folder() + "/pki"; }
  Wording secured(Wording wording) const {
    wording.tls = "mode: mutual, dir: " + pki();
    return wording;
  }
  Names access() const override {
    return {"--cacert", pki() + "/ca.crt", "--cert", pki() + "/etcd.crt", "--key", pki() + "/etcd.key"};
  }
  integration::Ended ctl(const Names& arguments) const {
    const integration::Etcdctl etcdctl{GetParam(), fleet_.client_url("a"), access()};
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
  fleet_.form(all, secured(stored()));
  have_users();
  ASSERT_TRUE(keeps_strangers_out());
  ASSERT_TRUE(fleet_.put("k", "v"));
  fleet_.lose_disks({"b"});
  ASSERT_TRUE(Fleet::eventually([&] { return !fleet_.steps_done("remove/b").empty(); })) << "agents act as root";
  ASSERT_TRUE(fleet_.become_voters(all));
  ASSERT_FALSE(back_up().empty());
  for (const std::string& member : all) ASSERT_TRUE(fleet_.settle(member));
  fleet_.lose_disks(all);
  fleet_.want(all, secured(ordered(2, "latest")));
  ASSERT_TRUE(fleet_.become_voters(all, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "v");
  EXPECT_TRUE(keeps_strangers_out()) << "who was no user then is none now";
  EXPECT_TRUE(fleet_.settle("a"));
}

INSTANTIATE_TEST_SUITE_P(Etcd, Secured, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
