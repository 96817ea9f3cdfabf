// What an agent remembers and what the marker beside the data says: reading them back, and what both make of a
// directory.
#include "reconciler/model/memory.h"

#include <functional>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quorate::model {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr base::ClusterId kCluster{0xcdf818194e3a8c32};
constexpr base::MemberId kMember{0xfd422379fda50e48};

Memory full() {
  Memory memory;
  memory.cluster = "prod";
  memory.member = "etcd-a";
  memory.incarnation = "00112233445566778899aabbccddeeff";
  memory.promised = "d1d1d1d1d1d1d1d1";
  memory.started = "d1d1d1d1d1d1d1d1";
  memory.initialised = true;
  memory.withdrawn = true;
  memory.cluster_id = kCluster;
  memory.member_id = kMember;
  memory.highest_term = 7;
  memory.latest_index = 1000;
  memory.lagged_index = 900;
  memory.data_dir = "/var/lib/etcd/prod";
  memory.wal_dir = "/fast/prod";
  memory.filesystem = "8:1";
  memory.wal_filesystem = "9:1";
  memory.program = "/usr/bin/etcd";
  memory.version = "3.5.16";
  memory.promised_with = {"etcd-a", "etcd-b"};
  memory.generation = 3;
  memory.paused = Paused{"a switch", *base::parse_time("2026-09-24T12:00:00Z"), {"etcd-b"}};
  memory.formed = Formed{kCluster, "d1d1d1d1d1d1d1d1", 2, {"etcd-a", "etcd-b"}};
  memory.applied = Applied{"d1", {"etcd-a", "etcd-b"}, kCluster, Protect{3, 2, {StepClass::Heal}}};
  memory.standing.spooled = Spooled{*base::parse_time("2026-09-24T08:30:00Z"), "disk full", "2026-09-24T08:20:30Z-r7-a",
                                    "/var/spool/prod/etcd-a"};
  return memory;
}

std::string problem(const std::function<void(json&)>& change) {
  json tree = json::parse(to_json(full()));
  change(tree);
  const auto read = read_memory(tree.dump(), "memory.json");
  if (read) return "";
  EXPECT_EQ(read.error().kind, base::ErrorKind::Invalid);
  EXPECT_THAT(read.error().message, HasSubstr("memory.json"));
  return read.error().message;
}

// Of the member itself, whole, beyond what is remembered.
DataDir whole() {
  DataDir data;
  data.state = DataState::Valid;
  data.path = "/var/lib/etcd/prod";
  data.cluster = kCluster;
  data.member = kMember;
  data.term = 7;
  data.last_index = 1200;
  return data;
}

Marker own_marker() {
  return {kCluster, kMember, "etcd-a", full().incarnation, 1};
}

DataState judged(DataDir data, const Memory* memory, const Marker* marker, std::string* why = nullptr) {
  judge_data(data, memory, marker);
  if (why != nullptr) *why = data.problem;
  return data.state;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------- on the disk
TEST(Memory, IsReadBackAsItWasWritten) {
  const auto read = read_memory(to_json(full()), "memory.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, full());
}

TEST(Memory, OfAnAgentThatHasOnlyBegunIsReadBackToo) {
  Memory fresh;
  fresh.cluster = "prod";
  fresh.member = "etcd-a";
  const auto read = read_memory(to_json(fresh), "memory.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, fresh);
}

TEST(Memory, TheLargestNumbersSurvive) {
  Memory memory = full();
  memory.highest_term = memory.latest_index = memory.lagged_index = std::numeric_limits<std::uint64_t>::max();
  memory.member_id.value = std::numeric_limits<std::uint64_t>::max();
  const auto read = read_memory(to_json(memory), "memory.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, memory);
}

TEST(Memory, EveryFieldIsAskedFor) {
  // Not there before the cluster is, or in what an earlier release wrote.
  const std::set<std::string> later = {"formed",         "applied", "paused",  "standing",      "filesystem",
                                       "wal_filesystem", "program", "version", "promised_with", "generation"};
  const json all = json::parse(to_json(full()));
  for (const auto& [key, value] : all.items()) {
    if (later.count(key) != 0) continue;
    EXPECT_NE(problem([&, name = key](json& tree) { tree.erase(name); }), "") << key;
  }
}

TEST(Memory, AValueOfAnotherKindIsNotTakenForNone) {
  const json all = json::parse(to_json(full()));
  for (const auto& [key, value] : all.items()) {
    EXPECT_NE(problem([&, name = key](json& tree) { tree[name] = json::array({1}); }), "") << key;
  }
  EXPECT_THAT(problem([](json& tree) { tree["lagged_index"] = -1; }), HasSubstr("/lagged_index"));
  EXPECT_THAT(problem([](json& tree) { tree["lagged_index"] = 1.5; }), HasSubstr("/lagged_index"));
  EXPECT_THAT(problem([](json& tree) { tree["initialised"] = "true"; }), HasSubstr("/initialised"));
  EXPECT_THAT(problem([](json& tree) { tree["member_id"] = "not hex"; }), HasSubstr("/member_id"));
  EXPECT_THAT(problem([](json& tree) { tree["formed"]["members"] = {1}; }), HasSubstr("/formed/members"));
  EXPECT_THAT(problem([](json& tree) { tree["applied"]["protect"]["approve"] = {"everything"}; }),
              HasSubstr("/applied/protect/approve"));
}

TEST(Memory, ATextThatIsCutAnywhereIsNoMemory) {
  const std::string text = to_json(full());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    EXPECT_FALSE(read_memory(std::string_view(text).substr(0, length), "memory.json")) << length;
  }
}

TEST(Memory, AnotherDocumentOfOursIsNoMemory) {
  EXPECT_FALSE(read_memory(to_json(own_marker()), "quorate.json"));
  EXPECT_FALSE(read_marker(to_json(full()), "memory.json"));
  EXPECT_NE(problem([](json& tree) { tree["format_version"] = "2.0"; }), "");
}

TEST(Memory, BytesThatAreNoJsonEndInAnError) {
  const std::string deep(100000, '[');
  const std::string zeros(4096, '\0');
  for (const std::string& text : {std::string(), std::string("null"), std::string("[]"), deep, zeros,
                                  std::string("{\"kind\": \"memory\", \"kind\": \"memory\"}")}) {
    EXPECT_FALSE(read_memory(text, "memory.json"));
    EXPECT_FALSE(read_marker(text, "quorate.json"));
  }
}

TEST(Marker, IsReadBackAsItWasWritten) {
  const auto read = read_marker(to_json(own_marker()), "quorate.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, own_marker());
}

TEST(Marker, OfNobodyIsRefused) {
  json tree = json::parse(to_json(own_marker()));
  tree["cluster"] = nullptr;
  EXPECT_FALSE(read_marker(tree.dump(), "quorate.json"));
  tree = json::parse(to_json(own_marker()));
  tree.erase("incarnation");
  EXPECT_FALSE(read_marker(tree.dump(), "quorate.json"));
}

// ----------------------------------------------------------------------------------------------- what a directory is
TEST(JudgeData, ADirectoryWithoutALogIsFreshUntilItHasHeldOne) {
  DataDir data = whole();
  data.state = DataState::Empty;
  EXPECT_EQ(judged(data, nullptr, nullptr), DataState::Fresh);
  Memory memory = full();
  EXPECT_EQ(judged(data, &memory, nullptr), DataState::Empty);
  memory.initialised = false;  // started, and nobody has seen what came of it
  EXPECT_EQ(judged(data, &memory, nullptr), DataState::Empty);
  memory.started.clear();  // only promised
  EXPECT_EQ(judged(data, &memory, nullptr), DataState::Fresh);
}

TEST(JudgeData, SaysWhoseLogWasHereLast) {
  Memory memory = full();
  DataDir data = whole();
  data.state = DataState::Empty;
  judge_data(data, &memory, nullptr);
  EXPECT_EQ(data.held, kMember);
  memory.member_id = {};  // a new one is to begin here
  judge_data(data, &memory, nullptr);
  EXPECT_EQ(data.held.value, 0u);
  data = whole();
  judge_data(data, nullptr, nullptr);
  EXPECT_EQ(data.held.value, 0u);
}

TEST(JudgeData, ADirectoryThatIsNotThereIsALossToWhoRemembersIt) {
  DataDir data;
  data.state = DataState::Fresh;
  const Memory memory = full();
  EXPECT_EQ(judged(data, &memory, nullptr), DataState::Empty);
  EXPECT_EQ(judged(data, nullptr, nullptr), DataState::Fresh);
}

TEST(JudgeData, Attack9_ADiskThatIsNotMountedIsNotTakenForOneThatWasEmptied) {
  const Memory memory = full();
  DataDir data = whole();
  data.state = DataState::Empty;
  data.filesystem = "8:2";
  std::string why;
  EXPECT_EQ(judged(data, &memory, nullptr, &why), DataState::Fresh);
  EXPECT_THAT(why, HasSubstr("is its disk mounted"));
  data.filesystem = memory.filesystem;
  EXPECT_EQ(judged(data, &memory, nullptr), DataState::Empty);
  Memory started;  // and nobody has seen what came of it
  started.filesystem = "8:1";
  data.filesystem = "8:2";
  EXPECT_EQ(judged(data, &started, nullptr, &why), DataState::Fresh);
  EXPECT_THAT(why, HasSubstr("is its disk mounted"));
  data.filesystem.clear();  // nobody could tell
  EXPECT_EQ(judged(data, &memory, nullptr), DataState::Empty);
}

// A log on a disk of its own: without that the database stands alone, and without the other disk the log does.
TEST(JudgeData, Attack9_HalfOfTheDataOnADiskThatIsNotMountedIsNotTakenForDamage) {
  const Memory memory = full();
  const Marker marker = own_marker();
  DataDir half;
  half.state = DataState::Damaged;
  half.path = memory.data_dir;
  half.problem = "half of it is not there";
  half.filesystem = memory.filesystem;
  half.wal_filesystem = memory.wal_filesystem;
  DataDir data = half;
  judge_data(data, &memory, &marker);
  EXPECT_FALSE(data.disk_away) << "both disks are there";
  EXPECT_EQ(data.problem, half.problem);
  data = half;
  data.wal_filesystem = "8:1";
  judge_data(data, &memory, &marker);
  EXPECT_TRUE(data.disk_away);
  EXPECT_EQ(data.state, DataState::Damaged) << "with a quorum it is replaced in time, and what is there set aside";
  EXPECT_EQ(data.problem, "/fast/prod is on another file system than when it was last used: is its disk mounted?");
  data = half;
  data.filesystem = "9:9";
  judge_data(data, &memory, nullptr);
  EXPECT_TRUE(data.disk_away);
  EXPECT_THAT(data.problem, HasSubstr("/var/lib/etcd/prod is on another"));
  data = half;
  data.wal_filesystem.clear();  // its log no longer has a place of its own
  judge_data(data, &memory, &marker);
  EXPECT_FALSE(data.disk_away);
}

TEST(JudgeData, Attack9_AnOlderCopyBeneathADiskThatIsNotMountedIsNotTakenForDataThatWentBack) {
  const Memory memory = full();
  DataDir data = whole();
  data.last_index = 5;
  data.filesystem = "8:2";
  const Marker marker = own_marker();
  judge_data(data, &memory, &marker);
  EXPECT_EQ(data.state, DataState::Reverted);
  EXPECT_TRUE(data.disk_away);
  EXPECT_THAT(data.problem, HasSubstr("is its disk mounted?"));
  data = whole();
  data.filesystem = "8:2";  // it has moved, whole, to a larger disk
  judge_data(data, &memory, &marker);
  EXPECT_FALSE(data.disk_away);
}

TEST(JudgeData, SaysWhetherTheMarkerAgreesWithTheLog) {
  DataDir data = whole();
  Marker marker = own_marker();
  judge_data(data, nullptr, &marker);
  EXPECT_TRUE(data.marked);
  data = whole();
  judge_data(data, nullptr, nullptr);
  EXPECT_FALSE(data.marked);
  marker.member = {0x77};
  judge_data(data, nullptr, &marker);
  EXPECT_FALSE(data.marked);
}

TEST(JudgeData, WhatFitsItsMemoryAndItsMarkerIsValid) {
  const Memory memory = full();
  const Marker marker = own_marker();
  EXPECT_EQ(judged(whole(), &memory, &marker), DataState::Valid);
  EXPECT_EQ(judged(whole(), &memory, nullptr), DataState::Valid);
  EXPECT_EQ(judged(whole(), nullptr, &marker), DataState::Valid);
  EXPECT_EQ(judged(whole(), nullptr, nullptr), DataState::Valid);
}

TEST(JudgeData, ALogOfAnOlderTermWentBackInTime) {
  const Memory memory = full();
  DataDir data = whole();
  data.term = 6;
  std::string why;
  EXPECT_EQ(judged(data, &memory, nullptr, &why), DataState::Reverted);
  EXPECT_EQ(why, "/var/lib/etcd/prod: its log is of term 6, and term 7 has been on this disk");
  data.term = 8;
  EXPECT_EQ(judged(data, &memory, nullptr), DataState::Valid);
}

// Beneath the place of a disk lies what was begun there while the disk was away.
TEST(JudgeData, Attack9_WhatLiesBeneathADiskThatIsNotMountedIsSaidToBeThere) {
  const Memory memory = full();
  DataDir data;
  data.state = DataState::Valid;
  data.path = "/var/lib/etcd";
  data.cluster = memory.cluster_id;
  data.member = {0x77};
  data.filesystem = "8:2";
  const Marker marker{data.cluster, data.member, memory.member, "life", 1};
  judge_data(data, &memory, &marker);
  EXPECT_EQ(data.state, DataState::Valid);
  EXPECT_TRUE(data.disk_away);
  EXPECT_THAT(data.problem, HasSubstr("is its disk mounted?"));
  EXPECT_THAT(data.problem, HasSubstr("What is there now is of another member")) << "it may be the other way round";
  data.disk_away = false;
  data.problem.clear();
  data.filesystem = memory.filesystem;
  judge_data(data, &memory, &marker);
  EXPECT_FALSE(data.disk_away) << "a successor that the memory has not been told of";
}

TEST(JudgeData, Attack18_OnlyWhatIsKnownToHaveBeenOnDiskIsMissed) {
  const Memory memory = full();
  const Marker marker = own_marker();
  DataDir data = whole();
  data.last_index = 950;  // short of what etcd said last, and that may never have reached the disk
  EXPECT_EQ(judged(data, &memory, &marker), DataState::Valid);
  data.last_index = 900;
  EXPECT_EQ(judged(data, &memory, &marker), DataState::Valid);
  data.last_index = 899;
  std::string why;
  EXPECT_EQ(judged(data, &memory, &marker, &why), DataState::Reverted);
  EXPECT_THAT(why, HasSubstr("its log ends at entry 899, and entry 900 has been on this disk"));
}

TEST(JudgeData, AMarkerOfAnotherMemberMakesTheDataForeign) {
  Marker marker = own_marker();
  marker.member = {0x77};
  const Memory memory = full();
  std::string why;
  EXPECT_EQ(judged(whole(), &memory, &marker, &why), DataState::Foreign);
  EXPECT_THAT(why, HasSubstr("the marker in it is of member 77"));
  marker = own_marker();
  marker.cluster = {0x88};
  EXPECT_EQ(judged(whole(), nullptr, &marker), DataState::Foreign);
}

TEST(JudgeData, A07_ACopyOfAnotherMembersDirectoryIsForeignWhateverIsRemembered) {
  Marker marker = own_marker();
  marker.name = "etcd-b";
  marker.member = {0x77};
  DataDir data = whole();
  data.member = marker.member;
  Memory blank;
  blank.cluster = "prod";
  blank.member = "etcd-a";
  const Memory memory = full();
  std::string why;
  for (const Memory* each : {&memory, static_cast<const Memory*>(&blank)}) {
    EXPECT_EQ(judged(data, each, &marker, &why), DataState::Foreign);
    EXPECT_THAT(why, HasSubstr("belongs to etcd-b, and this is etcd-a"));
    EXPECT_THAT(why, HasSubstr("Move it away"));
  }
  data.state = DataState::Damaged;
  EXPECT_EQ(judged(data, &memory, &marker), DataState::Foreign);
  data.state = DataState::Fresh;  // nothing in it could run twice
  EXPECT_EQ(judged(data, &memory, &marker), DataState::Empty);
}

TEST(JudgeData, WhatIsLeftWithoutItsLogIsToldByItsMarker) {
  const Memory memory = full();
  const Marker marker = own_marker();
  DataDir data;
  data.state = DataState::Damaged;
  data.problem = "db stands there without a write-ahead log";
  judge_data(data, &memory, &marker);
  EXPECT_EQ(data.state, DataState::Damaged);
  EXPECT_EQ(data.cluster, kCluster);
  EXPECT_EQ(data.member, kMember);
  data.member = {};
  data.cluster = {};
  judge_data(data, &memory, nullptr);
  EXPECT_EQ(data.member.value, 0u) << "nothing says whose it was";
}

TEST(JudgeData, DataThatHereNeverRanAndNothingMarksAreForeign) {
  const Memory memory = full();
  DataDir data = whole();
  data.member = {0x77};
  std::string why;
  EXPECT_EQ(judged(data, &memory, nullptr, &why), DataState::Foreign);
  EXPECT_THAT(why, HasSubstr("and here ran member " + base::to_string(kMember)));
}

TEST(JudgeData, AMarkedSuccessorIsNotMeasuredByTheMemberBeforeIt) {
  const Memory memory = full();
  Marker marker = own_marker();
  marker.member = {0x77};
  DataDir data = whole();
  data.member = marker.member;
  data.term = 1;
  data.last_index = 3;
  EXPECT_EQ(judged(data, &memory, &marker), DataState::Valid);
}

TEST(JudgeData, AMemoryThatKnowsNoMemberYetMakesNothingForeign) {
  Memory memory = full();
  memory.cluster_id = {};
  memory.member_id = {};
  memory.highest_term = 0;
  memory.lagged_index = 0;
  EXPECT_EQ(judged(whole(), &memory, nullptr), DataState::Valid);
}

TEST(JudgeData, WhatIsBrokenStaysBroken) {
  const Memory memory = full();
  DataDir data = whole();
  data.state = DataState::Damaged;
  data.problem = "crc";
  std::string why;
  EXPECT_EQ(judged(data, &memory, nullptr, &why), DataState::Damaged);
  EXPECT_EQ(why, "crc");
}

}  // namespace quorate::model
