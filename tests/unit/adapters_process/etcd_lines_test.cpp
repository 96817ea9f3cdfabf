// Which of etcd's lines people are told, and how often.
#include "reconciler/adapters/runtimes/process/etcd_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::adapters::process {
namespace {

using ports::EventLevel;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

std::string warning(const std::string& message, const std::string& more = "") {
  return R"({"level":"warn","ts":"2026-11-19T21:36:11.7Z","caller":"x.go:1","msg":")" + message + R"(",)" + more +
         R"("took":"1s"})";
}

}  // namespace

TEST(EtcdLines, AWarningIsToldOnceAMinuteAndThenHowManyThereWere) {
  EtcdLines lines;
  EXPECT_EQ(lines.tell(warning("slow fdatasync"), seconds{1}).level, EventLevel::Warning);
  for (int i = 2; i < 61; ++i) EXPECT_EQ(lines.tell(warning("slow fdatasync"), seconds{i}).level, EventLevel::Debug);
  const Telling again = lines.tell(warning("slow fdatasync"), seconds{61});
  EXPECT_EQ(again.level, EventLevel::Warning);
  EXPECT_THAT(again.text, StartsWith(warning("slow fdatasync")));
  EXPECT_THAT(again.text, HasSubstr("59 more of these"));
  EXPECT_EQ(lines.tell(warning("slow fdatasync"), seconds{200}).text, warning("slow fdatasync")) << "none meanwhile";
}

TEST(EtcdLines, WarningsOfOneKindKeepNoOtherBack) {
  EtcdLines lines;
  EXPECT_EQ(lines.tell(warning("one", R"("key":"a",)"), seconds{1}).level, EventLevel::Warning);
  EXPECT_EQ(lines.tell(warning("one", R"("key":"b",)"), seconds{1}).level, EventLevel::Debug);
  EXPECT_EQ(lines.tell(warning(R"(one \" more)"), seconds{1}).level, EventLevel::Warning);
  EXPECT_EQ(lines.tell(R"({"level":"warn"})", seconds{1}).level, EventLevel::Warning);
}

TEST(EtcdLines, ErrorsAreAllToldAndWhatIsWellIsForThoseWhoAskForEverything) {
  EtcdLines lines;
  for (const char* bad : {R"({"level":"error","msg":"x"})", R"({"level":"fatal","msg":"x"})", "panic: x"}) {
    EXPECT_EQ(lines.tell(bad, seconds{1}).level, EventLevel::Error);
    EXPECT_EQ(lines.tell(bad, seconds{1}).level, EventLevel::Error);
  }
  EXPECT_EQ(lines.tell(R"({"level":"info","msg":"x"})", seconds{1}).level, EventLevel::Debug);
}

TEST(EtcdLines, ThatItsPeersAreOfAnotherClusterIsKnownInTheWordsOfEveryRelease) {
  EXPECT_EQ(says_other_cluster(
                R"({"level":"warn","msg":"request sent was ignored by remote peer due to cluster ID mismatch","x":1})"),
            "request sent was ignored by remote peer due to cluster ID mismatch");
  EXPECT_EQ(
      says_other_cluster("2026-11-19 21:36:03.251731 E | rafthttp: request sent was ignored (cluster ID mismatch: "
                         "remote[80b43c79568dfc26]=e338103ae06c925, local=dd4fa89661bd58a0)"),
      "request sent was ignored (cluster ID mismatch: remote[80b43c79568dfc26]=e338103ae06c925, "
      "local=dd4fa89661bd58a0)");
  // Somebody else calls, and is turned away: nothing is wrong with this one.
  EXPECT_FALSE(says_other_cluster(R"({"level":"warn","msg":"request cluster ID mismatch"})"));
}

}  // namespace quorate::adapters::process
