// Observations as files: the canonical text, and what is wrong with texts that are none.
#include "reconciler/model/observed_json.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema/embedded.h"
#include "tests/support/json_schema.h"

namespace quorate::model {
namespace {

using nlohmann::json;
using testing::HasSubstr;

base::Time at(const char* text) {
  return *base::parse_time(text);
}

// One voter, up; its node was looked at, the rest was not.
Observed small() {
  Observed observed;
  observed.at = at("2026-09-24T09:12:41Z");
  observed.by = "quorate observe on node-1";
  ObservedMember member;
  member.listed = {{0x8211f1d0f64f3269}, "etcd-a", {"https://10.0.0.11:2380"}, {"https://10.0.0.11:2379"}, false};
  MemberStatus status;
  status.version = "3.5.21";
  status.leader = member.listed.id;
  status.raft_term = 4;
  status.raft_index = 8000;
  status.raft_applied = 8000;
  status.revision = 7000;
  status.db_size = 20480;
  status.db_size_in_use = 16384;
  status.latency = base::Duration{3};
  member.status = Fact<MemberStatus>::known(status, observed.at);
  member.serves = Fact<base::Duration>::known(base::Duration{2}, observed.at);
  observed.membership =
      Fact<Membership>::known(Membership{{0xcdf818194e3a8c32}, true, {member}}, at("2026-09-24T09:12:40.500Z"));
  observed.endpoints = {{"https://10.0.0.12:2379", Fact<base::ClusterId>::unknown("connection refused", observed.at),
                         Fact<base::MemberId>::unknown("connection refused", observed.at)}};
  observed.alarms = Fact<std::vector<Alarm>>::known({{member.listed.id, AlarmKind::NoSpace}}, observed.at);
  NodeFacts node;
  node.member = "etcd-a";
  DataDir data;
  data.state = DataState::Valid;
  data.path = "/var/lib/etcd";
  data.cluster.value = 0xcdf818194e3a8c32;
  data.member = member.listed.id;
  data.last_index = 8000;
  node.data = Fact<DataDir>::known(data, observed.at);
  observed.nodes = {node};
  return observed;
}

// What reading says of the small observation after a change to its tree.
std::string problem(const std::function<void(json&)>& change) {
  json tree = json::parse(to_json(small()));
  change(tree);
  const auto read = read_observed(tree.dump(), "o.json");
  if (read) return "";
  EXPECT_EQ(read.error().kind, base::ErrorKind::Invalid);
  EXPECT_EQ(read.error().help, "write it anew with quorate observe");
  return read.error().message;
}

}  // namespace

TEST(ObservedJson, WritesOneCanonicalText) {
  const std::string text = to_json(small());
  EXPECT_THAT(text, testing::StartsWith(R"({
  "format_version": "1.0",
  "kind": "observation",
  "at": "2026-09-24T09:12:41Z",
  "by": "quorate observe on node-1",
  "membership": {
    "known": {
      "cluster": "cdf818194e3a8c32",
      "linearizable": true,
      "members": [
        {
          "id": "8211f1d0f64f3269",
          "name": "etcd-a",
          "peer_urls": [
            "https://10.0.0.11:2380"
          ],
          "client_urls": [
            "https://10.0.0.11:2379"
          ],
          "learner": false,
          "status": {
            "known": {
              "version": "3.5.21",
              "leader": "8211f1d0f64f3269",
              "raft_term": 4,
              "raft_index": 8000,
              "raft_applied": 8000,
              "revision": 7000,
              "db_size": 20480,
              "db_size_in_use": 16384,
              "errors": [],
              "latency_ms": 3
            },
            "at": "2026-09-24T09:12:41Z"
          },
          "serves_ms": {
            "known": 2,
            "at": "2026-09-24T09:12:41Z"
          },
          "silent_since": {
            "unknown": "nobody looked",
            "at": null
          }
        }
      ]
    },
    "at": "2026-09-24T09:12:40.500Z"
  },
)"));
  EXPECT_EQ(text.substr(text.size() - 6), "  }\n}\n");
}

TEST(ObservedJson, ReadsBackWhatItWrote) {
  const auto read = read_observed(to_json(small()), "o.json");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, small());
  EXPECT_EQ(*read_observed(to_json(Observed()), "o.json"), Observed());
}

TEST(ObservedJson, ReadsBackSinceWhenABackupIsAwaited) {
  Observed observed;
  observed.backup_awaited = base::Time(std::chrono::hours{500000});
  const auto read = read_observed(to_json(observed), "observed.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->backup_awaited, observed.backup_awaited);
}

// What agents know of a restore that is ordered, and how far each of them has come.
TEST(ObservedJson, ReadsBackWhatStandsOfARestore) {
  Observed observed = small();
  observed.ordered = RestoreOrder{"2026-09-24T08:00:00Z-r300-a", 2};
  Restorable backup;
  backup.name = observed.ordered->backup;
  backup.etcd_version = "3.5.21";
  backup.verified = true;
  observed.restorable = Fact<std::vector<Restorable>>::known({backup}, observed.at);
  Standing standing;
  Decision decision;
  decision.id = "d1";
  standing.pledge = Pledge{decision, true, false, 1, "disk full", true};
  standing.covered = at("2026-09-24T09:00:00Z");
  standing.unready = "no etcd";
  observed.nodes.front().standing = standing;
  const auto read = read_observed(to_json(observed), "o.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, observed);
  EXPECT_EQ(support::JsonSchema(schema::observation()).problems(to_json(observed)), "");
}

TEST(ObservedJson, PassesOverWhatANewerMinorReleaseAdds) {
  json tree = json::parse(to_json(small()));
  tree["format_version"] = "1.9";
  tree["weather"] = {{"sun", true}};
  tree["membership"]["known"]["members"][0]["mood"] = "fine";
  EXPECT_EQ(*read_observed(tree.dump(), "o.json"), small());
}

TEST(ObservedJson, SaysWhatIsMissingAndWhere) {
  EXPECT_EQ(problem([](json& tree) { tree.erase("at"); }), "o.json: the document has no at");
  EXPECT_EQ(problem([](json& tree) { tree["membership"]["known"]["members"][0].erase("name"); }),
            "o.json: /membership/known/members/0 has no name");
  EXPECT_EQ(problem([](json& tree) { tree["alarms"].erase("known"); }),
            "o.json: /alarms must have one of known and unknown");
  EXPECT_EQ(problem([](json& tree) { tree["alarms"]["unknown"] = "both"; }),
            "o.json: /alarms must have one of known and unknown");
}

TEST(ObservedJson, AFactThatDoesNotStandThereIsUnknown) {
  json tree = json::parse(to_json(small()));
  for (const char* fact : {"alarms", "nodes", "endpoints", "applied", "membership"}) tree.erase(fact);
  const auto read = read_observed(tree.dump(), "o.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->membership);
  EXPECT_FALSE(read->alarms);
  EXPECT_FALSE(read->applied);
  EXPECT_EQ(read->membership.why(), "nobody looked");
}

TEST(ObservedJson, SaysWhatHasTheWrongFormAndWhere) {
  const auto member = [](const char* key, const json& value) {
    return problem([&](json& tree) { tree["membership"]["known"]["members"][0][key] = value; });
  };
  const std::string place = "o.json: /membership/known/members/0/";
  EXPECT_EQ(member("name", 7), place + "name must be text");
  EXPECT_EQ(member("learner", "no"), place + "learner must be true or false");
  EXPECT_EQ(member("peer_urls", "https://x:1"), place + "peer_urls must be a list");
  EXPECT_EQ(member("peer_urls", {1}), place + "peer_urls/0 must be text");
  EXPECT_EQ(member("status", nullptr), place + "status must have one of known and unknown");
  for (const json& id : {json("xyz"), json("0x12"), json(""), json("12345678901234567"), json(" 1")}) {
    EXPECT_EQ(member("id", id), place + "id must be an ID: 1 to 16 hexadecimal digits") << id;
  }
  EXPECT_EQ(member("id", "0"), place + "id must be an ID: 0 names nothing");
  EXPECT_EQ(member("id", 5), place + "id must be text");
}

TEST(ObservedJson, TakesWholeNumbersThatFitOnly) {
  const auto term = [](const std::string& number) {
    json tree = json::parse(to_json(small()));
    std::string text = tree.dump();
    const std::string was = "\"raft_term\":4";
    text.replace(text.find(was), was.size(), "\"raft_term\":" + number);
    const auto read = read_observed(text, "o.json");
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(term("18446744073709551615"), "");
  for (const char* number : {"18446744073709551616", "-1", "1.5", "1e30", "\"4\"", "true", "null", "[]"}) {
    EXPECT_THAT(term(number), HasSubstr("raft_term must be a whole number that is not negative and fits")) << number;
  }
  EXPECT_THAT(problem([](json& tree) {
                tree["membership"]["known"]["members"][0]["status"]["known"]["revision"] = 9223372036854775808U;
              }),
              HasSubstr("revision must be a whole number"));
}

TEST(ObservedJson, TakesTimesInUtcOnly) {
  for (const char* time :
       {"yesterday", "2026-02-30T00:00:00Z", "2026-09-24T09:12:41+02:00", "2026-09-24 09:12:41Z", ""}) {
    EXPECT_EQ(problem([&](json& tree) { tree["at"] = time; }),
              "o.json: /at must be a time in UTC such as 2026-09-24T09:12:41Z");
  }
  EXPECT_THAT(problem([](json& tree) { tree["at"] = nullptr; }), HasSubstr("/at must be text"));
}

TEST(ObservedJson, KnowsItsWords) {
  EXPECT_EQ(problem([](json& tree) { tree["alarms"]["known"][0]["kind"] = "FIRE"; }),
            "o.json: /alarms/known/0/kind must be one of NOSPACE, CORRUPT, found \"FIRE\"");
  EXPECT_THAT(problem([](json& tree) { tree["nodes"][0]["data"]["known"]["state"] = "Valid"; }),
              HasSubstr("must be one of fresh, empty, valid, damaged, foreign, reverted, found \"Valid\""));
}

TEST(ObservedJson, RefusesAMemberThatStandsTwice) {
  EXPECT_EQ(problem([](json& tree) {
              json& members = tree["membership"]["known"]["members"];
              members.push_back(members[0]);
            }),
            "o.json: /membership/known/members/1/id stands twice in the list");
  EXPECT_EQ(problem([](json& tree) { tree["nodes"].push_back(tree["nodes"][0]); }),
            "o.json: /nodes/1/member stands twice in the list");
}

TEST(ObservedJson, PutsMembersAndNodesInOrder) {
  json tree = json::parse(to_json(small()));
  json& members = tree["membership"]["known"]["members"];
  members.push_back(members[0]);
  members[1]["id"] = "1";
  tree["nodes"].push_back(tree["nodes"][0]);
  tree["nodes"][1]["member"] = "a";
  const auto read = read_observed(tree.dump(), "o.json");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->membership->members[0].listed.id.value, 1U);
  EXPECT_EQ(read->nodes[0].member, "a");
}

TEST(ObservedJson, OtherDocumentsAreNone) {
  EXPECT_THAT(read_observed("{}", "o.json").error().message, HasSubstr("/kind must be \"observation\""));
  EXPECT_THAT(read_observed("kind: observation\n", "o.json").error().message,
              HasSubstr("o.json:1:1: this is not JSON"));
  EXPECT_THAT(read_observed(R"({"kind": "observation", "format_version": "2.0"})", "o.json").error().message,
              HasSubstr("has format_version 2.0, this quorate reads 1.x"));
}

TEST(ObservedJson, StaysQuickOnAHostileText) {
  // Two hundred thousand keys, and as many members that are no members.
  std::string text = R"({"format_version": "1.0", "kind": "observation", "at": "2026-09-24T09:12:41Z", "by": "x")";
  for (int i = 0; i < 200000; ++i) text += ", \"k" + std::to_string(i) + "\": 0";
  text += R"(, "membership": {"at": null, "known": {"cluster": "1", "linearizable": true, "members": [0)";
  for (int i = 0; i < 200000; ++i) text += ", 0";
  text += "]}}}";
  EXPECT_EQ(read_observed(text, "o.json").error().message, "o.json: /membership/known/members/0 must be an object");
}

}  // namespace quorate::model
