// A healthy member whose certificates become wrong on its own node: nothing is removed or wiped for that.
#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/integration/certificates.h"
#include "tests/support/skip.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

class WrongCertificate : public AgentsTest {
 protected:
  // c has files of its own at the place where all have theirs.
  void SetUp() override {
    if (::geteuid() != 0) return tests::skip_unless_ci_is_root("only root gives a process mounts of its own");
    const integration::Authority authority(pki(), "ca");
    addresses_ = {fleet_.address("a"), fleet_.address("b"), fleet_.address("c"), "127.0.0.1"};
    authority.issue(pki() + "/etcd.crt", pki() + "/etcd.key", addresses_);
    fs::copy(pki(), own());
    fleet_.move("c", fleet_.address("c"),
                {"unshare", "-m", "sh", "-c", "mount --bind " + own() + " " + pki() + " && exec \"$@\"", "sh"});
    fleet_.secure({authority.certificate(), pki() + "/etcd.crt", pki() + "/etcd.key", "", "", ""});
    Wording wording;
    wording.tls = "mode: mutual, dir: " + pki();
    fleet_.form({"a", "b", "c"}, wording);
    for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
    before_ = fleet_.id_of("c");
    formed_ = fleet_.steps_done();
  }
  void expect_left_alone() {
    EXPECT_TRUE(
        stays([&] { return fleet_.steps_begun("remove/").empty() && fleet_.set_aside("c").empty(); }, Seconds{10}));
    EXPECT_TRUE(fleet_.put("k", "w")) << "the others serve";
    EXPECT_EQ(fleet_.steps_done(), formed_);
  }
  void mend_and_expect_the_same_member() {
    for (const char* file : {"/etcd.crt", "/etcd.key"}) {
      fs::copy_file(pki() + file, own() + file, fs::copy_options::overwrite_existing);
    }
    ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
    EXPECT_EQ(fleet_.id_of("c"), before_);
    EXPECT_EQ(fleet_.steps_done(), formed_);
    EXPECT_THAT(fleet_.set_aside("c"), IsEmpty());
    EXPECT_EQ(fleet_.get("k"), "w");
  }

  std::string pki() const { return fleet_.folder() + "/pki"; }
  std::string own() const { return fleet_.folder() + "/pki-of-c"; }

  Names addresses_;
  base::MemberId before_;
  Names formed_;
};

TEST_P(WrongCertificate, C07_OfAnotherAuthorityIsWaitedFor) {
  const integration::Authority stranger(fleet_.folder() + "/elsewhere", "ca");
  stranger.issue(own() + "/etcd.crt", own() + "/etcd.key", addresses_);
  fleet_.kill_etcd("c");
  ASSERT_NO_FATAL_FAILURE(expect_left_alone());
  mend_and_expect_the_same_member();
}

TEST_P(WrongCertificate, C07_ThatIsNoneIsToldAndWaitedFor) {
  integration::write_file(own() + "/etcd.crt", "no certificate\n");
  fleet_.kill_etcd("c");
  ASSERT_TRUE(fleet_.agent_said("c", "certificate"));
  ASSERT_NO_FATAL_FAILURE(expect_left_alone());
  mend_and_expect_the_same_member();
}

INSTANTIATE_TEST_SUITE_P(Etcd, WrongCertificate, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
