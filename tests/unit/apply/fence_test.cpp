// A member is started so that only agents get in, or not at all; and what its cluster holds is compared once.
#include "renderers/etcd_config/fence.h"

#include "renderers/registry.h"
#include "tests/unit/apply/scene.h"

namespace quorate::apply {
namespace {

using base::ErrorKind;
using model::DataState;
using testing::HasSubstr;

class Fence : public SceneTest {
 protected:
  Fence() { look_at_a(DataState::Valid); }

  std::string config() { return renderers::config_path("/s", desired_, desired_.members[0]); }
  void give_pass() {
    const std::string folder = model::fence_folder(model::member_folder("/s", desired_.name, "a"));
    for (const std::string& path : {model::fence_ca(folder), model::fence_pass(folder), model::fence_key(folder)}) {
      host_.files[path] = "pem";
    }
  }
  model::WriteManifest write(bool fenced) {
    const renderers::Boot keep = renderers::BootKeep{};
    const auto bundle = renderers::render_member({desired_, desired_.members[0], keep, config()});
    return {"a", bundle->digest, model::BootMode::Keep, "", fenced};
  }
};

TEST_F(Fence, NobodyIsStartedBehindItWithoutAPass) {
  const auto done = carry_out(write(true), model::StepClass::Restore);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::Conflict);
  EXPECT_THAT(done.error().message, HasSubstr("no pass through the fence yet"));
  EXPECT_EQ(host_.files.count(config()), 0U);
  EXPECT_EQ(runtime_.look().phase, model::RunPhase::Stopped);
}

TEST_F(Fence, ComesWithTheFilesAndGoesWithThem) {
  give_pass();
  ASSERT_TRUE(carry_out(write(true), model::StepClass::Restore));
  EXPECT_TRUE(renderers::has_fence(host_.files[config()]));
  EXPECT_THAT(host_.files[config()], HasSubstr("/s/prod/a/fence/pass.pem"));
  ASSERT_TRUE(carry_out(write(false), model::StepClass::Restore));
  EXPECT_FALSE(renderers::has_fence(host_.files[config()]));
}

// ------------------------------------------------------------------------------------------------- what they hold
class Hashes : public SceneTest {
 protected:
  Hashes() { lock(); }
  base::Result<void> verify() { return carry_out(model::VerifyData{"prod"}, model::StepClass::Heal); }
};

TEST_F(Hashes, D04OfAllMembersAtOneRevisionAreWrittenDown) {
  ASSERT_TRUE(etcd_.put(at("a"), "k", "v", kWithin));
  ASSERT_TRUE(verify());
  const auto check = records().data_check;
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->same);
  EXPECT_GT(check->revision, 0);
  EXPECT_THAT(check->text, HasSubstr("a has "));
  EXPECT_THAT(check->text, HasSubstr(", c has "));
}

TEST_F(Hashes, ADifferenceIsWrittenDownToo) {
  etcd_.other_data_at = at("b");
  ASSERT_TRUE(verify());
  ASSERT_TRUE(records().data_check);
  EXPECT_FALSE(records().data_check->same);
}

TEST_F(Hashes, NothingIsWrittenDownWhenOneDoesNotAnswer) {
  etcd_.stop("c");
  EXPECT_FALSE(verify());
  EXPECT_FALSE(records().data_check);
}

TEST_F(Hashes, NothingIsWrittenDownByWhoHasLostTheLock) {
  lose_lock();
  EXPECT_FALSE(verify());
  EXPECT_FALSE(records().data_check);
}

}  // namespace
}  // namespace quorate::apply
