// Reports of agents: all of them survives the way to another machine, and nothing of another form is believed.
#include "reconciler/model/agent_report.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quorate::model {
namespace {

using nlohmann::json;
using testing::HasSubstr;

base::Time noon() {
  return *base::parse_time("2026-09-24T12:00:00Z");
}
template <class T>
Fact<T> known(T value) {
  return Fact<T>::known(std::move(value), noon());
}

NodeFacts all_facts() {
  NodeFacts node;
  node.member = "etcd-a";
  node.data = known(DataDir{DataState::Reverted,
                            "/data",
                            "went back",
                            {0xc},
                            {0xa},
                            4,
                            90,
                            4,
                            91,
                            80,
                            true,
                            88,
                            55,
                            false,
                            "",
                            "",
                            false,
                            {0xa}});
  node.manifest = known(Manifest{"digest", true});
  node.process = known(Process{true, 4711, "3.5.16"});
  node.certificates = known(std::vector<Certificate>{{"/pki/a.crt", "client", "CN=a", noon(), noon()}});
  node.binaries = known(std::vector<Binary>{{"/usr/bin/etcd", "3.5.16"}});
  node.disk = known(DiskSpace{"/data", 10, 20});
  node.promised = known(std::string("d1"));
  node.promised_with = {"etcd-a", "etcd-b"};
  node.incarnation = known(std::string("00ff"));
  RunState run;
  run.phase = RunPhase::Waiting;
  run.pid = 3;
  run.since = noon();
  run.restarts = 4;
  run.crash_loop = true;
  run.reason = EndReason::PortTaken;
  run.text = "address already in use";
  run.next = noon() + std::chrono::seconds{8};
  node.run = known(run);
  return node;
}

AgentReport full() {
  AgentReport report;
  report.cluster = "prod";
  report.member = "etcd-a";
  report.node = "node-1";
  report.boot = "b00";
  report.sequence = 12;
  report.nonce = "n0";
  report.desired_digest = "file";
  report.facts = all_facts();
  report.sights = {{{0xa}, base::Duration{0}}, {{0xb}, base::Duration{301000}}};
  report.formed = Formed{{0xc}, "d1", 1, {"etcd-a"}};
  report.applied = Applied{"file", {"etcd-a"}, {0xc}, Protect{2, 1, {StepClass::Restore}}};
  return report;
}

std::string problem(const std::function<void(json&)>& change) {
  json tree = json::parse(to_json(full()));
  change(tree);
  const auto read = read_agent_report(tree.dump(), "etcd-a");
  if (read) return "";
  EXPECT_EQ(read.error().kind, base::ErrorKind::Invalid);
  return read.error().message;
}

}  // namespace

TEST(AgentReport, IsReadBackAsItWasWritten) {
  const auto read = read_agent_report(to_json(full()), "etcd-a");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, full());
}

TEST(AgentReport, WhatItCouldNotSeeStaysUnknownWithItsReason) {
  AgentReport report = full();
  report.facts = {};
  report.facts.member = report.member;
  report.facts.data = Fact<DataDir>::unknown("permission denied", noon());
  report.sights.clear();
  report.formed.reset();
  report.applied.reset();
  report.desired_digest.clear();
  const auto read = read_agent_report(to_json(report), "etcd-a");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, report);
  EXPECT_EQ(read->facts.data.why(), "permission denied");
}

TEST(AgentReport, ARunThatWaitsForNothingHasNoNextStart) {
  AgentReport report = full();
  RunState run;
  run.phase = RunPhase::Running;
  run.since = noon();
  report.facts.run = known(run);
  const auto read = read_agent_report(to_json(report), "etcd-a");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->facts.run->next);
  EXPECT_EQ(*read, report);
}

TEST(AgentReport, SpeaksOfItsOwnMemberOrOfNobody) {
  EXPECT_THAT(problem([](json& tree) { tree["facts"]["member"] = "etcd-b"; }), HasSubstr("must be of the same member"));
  EXPECT_THAT(problem([](json& tree) { tree["member"] = "etcd-b"; }), HasSubstr("must be of the same member"));
}

TEST(AgentReport, EveryFieldIsAskedFor) {
  const json all = json::parse(to_json(full()));
  for (const auto& [key, value] : all.items()) {
    if (key == "formed" || key == "applied" || key == "desired_digest") continue;
    EXPECT_NE(problem([&, name = key](json& tree) { tree.erase(name); }), "") << key;
  }
}

TEST(AgentReport, HostileValuesAreRefusedWithTheirPlace) {
  EXPECT_THAT(problem([](json& tree) { tree["sights"][1]["unseen_ms"] = -1; }), HasSubstr("/sights/1/unseen_ms"));
  EXPECT_THAT(problem([](json& tree) { tree["sights"][0]["member"] = nullptr; }), HasSubstr("/sights/0/member"));
  EXPECT_THAT(problem([](json& tree) { tree["sequence"] = 1e300; }), HasSubstr("/sequence"));
  EXPECT_THAT(problem([](json& tree) { tree["facts"] = "all well"; }), HasSubstr("/facts"));
  EXPECT_THAT(problem([](json& tree) { tree["facts"]["data"]["known"]["state"] = "great"; }), HasSubstr("/facts/data"));
  EXPECT_THAT(problem([](json& tree) { tree["facts"]["run"]["known"]["phase"] = 3; }), HasSubstr("/facts/run"));
  EXPECT_NE(problem([](json& tree) { tree["kind"] = "memory"; }), "");
}

TEST(AgentReport, MoreThanAMegabyteIsNotEvenRead) {
  EXPECT_THAT(problem([](json& tree) { tree["node"] = std::string(2 << 20, 'x'); }), HasSubstr("is larger than 1 MiB"));
}

TEST(AgentReport, AnAnswerThatIsCutIsNoReport) {
  const std::string text = to_json(full());
  for (std::size_t length = 0; length + 2 < text.size(); length += 31) {
    EXPECT_FALSE(read_agent_report(std::string_view(text).substr(0, length), "etcd-a")) << length;
  }
}

}  // namespace quorate::model
