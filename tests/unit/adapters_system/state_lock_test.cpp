// Two who want the same state directory, in one process and in two.
#include "reconciler/adapters/system/state_lock.h"

#include <filesystem>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace quorate::adapters::system {
namespace {

using testing::HasSubstr;

TEST(StateLock, IsHeldByOneAtATime) {
  const tests::TempFolder folder;
  const std::string state = folder / "state/lab/a";
  auto first = lock_state_dir(state);
  ASSERT_TRUE(first) << first.error().message;
  const auto second = lock_state_dir(state);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, base::ErrorKind::Refused);
  EXPECT_THAT(second.error().message, HasSubstr("another agent (PID " + std::to_string(::getpid()) + ") keeps"));
  EXPECT_TRUE(lock_state_dir(folder / "state/lab/b"));
  { const StateLock given_up = std::move(*first); }
  EXPECT_TRUE(lock_state_dir(state));
}

TEST(StateLock, EndsWithItsProcess) {
  const tests::TempFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = lock_state_dir(folder.path());
    const char answer = lock ? 'y' : 'n';
    static_cast<void>(::write(ready[1], &answer, 1) == 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  const auto refused = lock_state_dir(folder.path());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("PID " + std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(lock_state_dir(folder.path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(StateLock, DoesNotFollowALink) {
  const tests::TempFolder folder;
  std::filesystem::create_symlink(folder / "elsewhere", folder / "lock");
  EXPECT_FALSE(lock_state_dir(folder.path()));
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));
}

}  // namespace
}  // namespace quorate::adapters::system
