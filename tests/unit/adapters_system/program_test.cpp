// Small programs: their output, their input, their end, and what is done when they do not end.
#include "reconciler/adapters/system/program.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace quorate::adapters::system {
namespace {

constexpr base::Duration kLong{20'000};

base::Result<Finished> shell(const std::string& script, std::string_view input = "", base::Duration within = kLong) {
  return run_program({"sh", "-c", script}, input, within);
}

}  // namespace

TEST(Program, GivesBothOutputsAndTheStatus) {
  const auto finished = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(finished->out, "out\n");
  EXPECT_EQ(finished->err, "err\n");
  EXPECT_EQ(finished->status, 3);
  EXPECT_EQ(shell("kill -TERM $$")->status, 128 + 15);
}

TEST(Program, ReadsWhatItIsGiven) {
  const std::string input(300'000, 'x');
  EXPECT_EQ(run_program({"cat"}, input, kLong)->out, input);
  EXPECT_EQ(run_program({"cat"}, "", kLong)->out, "");
  EXPECT_EQ(run_program({"true"}, input, kLong)->status, 0);  // nobody reads it, and nobody is harmed
}

TEST(Program, TakesItsArgumentsAsTheyAre) {
  EXPECT_EQ(run_program({"printf", "%s", "$HOME `id` \"'"}, "", kLong)->out, "$HOME `id` \"'");
}

TEST(Program, IsKilledWithAllItStartedWhenItTakesTooLong) {
  const auto before = std::chrono::steady_clock::now();
  const auto finished = shell("sleep 60 & sleep 60", "", base::Duration(100));
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, base::ErrorKind::Ambiguous);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

TEST(Program, IsNotWaitedForWhenItLeavesSomethingBehind) {
  const auto before = std::chrono::steady_clock::now();
  const auto finished = shell("sleep 15 & echo done");
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->out, "done\n");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

TEST(Program, InOurGroupMayUseTheTerminalThatWeUse) {
  const std::string group = "cut -d ' ' -f 5 /proc/$$/stat";
  const std::string ours = std::to_string(::getpgrp()) + "\n";
  EXPECT_EQ(run_program({"sh", "-c", group}, "", kLong, Group::Ours)->out, ours);
  EXPECT_NE(run_program({"sh", "-c", group}, "", kLong, Group::Own)->out, ours);
  const auto finished = run_program({"sleep", "60"}, "", base::Duration(100), Group::Ours);
  EXPECT_FALSE(finished);  // and we are still here
}

TEST(Program, IsKilledWhenItWritesWithoutEnd) {
  const auto finished = run_program({"yes"}, "", kLong);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, base::ErrorKind::Ambiguous);
}

TEST(Program, ThatIsNotThereIsTheCallersMistake) {
  const auto finished = run_program({"/nowhere/program"}, "", kLong);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, base::ErrorKind::Invalid);
  EXPECT_EQ(finished.error().message, "cannot run /nowhere/program: No such file or directory");
}

}  // namespace quorate::adapters::system
