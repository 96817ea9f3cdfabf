// What was formed, carried out and announced, as JSON: every part of it comes back, and what an older release left out
// is not invented.
#include "reconciler/model/node_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::model {
namespace {

using testing::HasSubstr;

// What reading the value gives, and what is wrong with it.
template <class Read>
auto read(const base::Json& json, const Read& how, std::string* problem = nullptr) {
  const JsonTree tree = JsonTree::parse(json.dump());
  JsonReading reading{tree, {}};
  auto value = how(JsonPlace(reading));
  if (problem != nullptr) {
    *problem = reading.problem;
  } else {
    EXPECT_EQ(reading.problem, "");
  }
  return value;
}

}  // namespace

TEST(NodeJson, AppliedKeepsTheProtectionOfItsFile) {
  Applied applied{"file", {"a", "b"}, {0xc}, Protect{3, 2, {StepClass::Heal, StepClass::Upgrade}}};
  EXPECT_EQ(read(applied_json(applied), read_applied), applied);
  applied.protect->approve.clear();  // nothing needs a person: not the same as nothing said
  EXPECT_EQ(read(applied_json(applied), read_applied), applied);
  applied.protect.reset();
  EXPECT_EQ(read(applied_json(applied), read_applied), applied);
}

TEST(NodeJson, AppliedOfAReleaseThatRecordedLessSaysNothingOfTheRest) {
  const Applied applied = read(base::Json::parse(R"({"digest": "file", "members": []})"), read_applied);
  EXPECT_EQ(applied.cluster.value, 0u);
  EXPECT_FALSE(applied.protect);
}

TEST(NodeJson, AProtectionOfWhichAPartIsMissingIsNoProtection) {
  base::Json json = applied_json(Applied{"file", {"a"}, {0xc}, Protect{}});
  json["protect"].erase("approve");
  std::string problem;
  read(json, read_applied, &problem);
  EXPECT_THAT(problem, HasSubstr("/protect has no approve"));
  json = applied_json(Applied{"file", {"a"}, {0xc}, Protect{}});
  json["protect"]["min_voters"] = -1;
  read(json, read_applied, &problem);
  EXPECT_THAT(problem, HasSubstr("/protect/min_voters"));
}

TEST(NodeJson, FormedIsReadBack) {
  const Formed formed{{0xc}, "d1", 3, {"a", "b", "c"}};
  EXPECT_EQ(read(formed_json(formed), read_formed), formed);
}

TEST(NodeJson, AnnouncedIsReadBack) {
  const Announced announced{{{0xa}, {0xffffffffffffffff}},
                            {{"https://10.0.0.9:2380", "https://x:2380"}, {}},
                            {{{0xb}, {"https://10.0.0.9:2380"}, true, 0}, {{0xc}, {}, false, 0}}};
  EXPECT_EQ(read(announced_json(announced), read_announced), announced);
  EXPECT_EQ(read(announced_json({}), read_announced), Announced{});
  base::Json older = announced_json(announced);
  older.erase("updating");
  EXPECT_TRUE(read(older, read_announced).updating.empty());
}

TEST(NodeJson, ACondemnedMemberOfNoIdIsRefused) {
  std::string problem;
  read(base::Json::parse(R"({"condemned": [null], "adding": []})"), read_announced, &problem);
  EXPECT_THAT(problem, HasSubstr("/condemned/0"));
}

TEST(NodeJson, WhoseLogWasThereLastIsNobodysWhereNobodySaid) {
  NodeFacts node;
  node.member = "a";
  DataDir data;
  data.held = {0xa};
  node.data = Fact<DataDir>::known(data, *base::parse_time("2026-09-24T12:00:00Z"));
  base::Json json = node_json(node);
  EXPECT_EQ(read(json, read_node).data->held.value, 0xau);
  json["data"]["known"]["held"] = nullptr;
  EXPECT_EQ(read(json, read_node).data->held.value, 0u);
  json["data"]["known"].erase("held");
  EXPECT_EQ(read(json, read_node).data->held.value, 0u);
}

TEST(NodeJson, ADiskIsThereUnlessItIsSaidToBeAway) {
  NodeFacts node;
  node.member = "a";
  DataDir data;
  data.disk_away = true;
  node.data = Fact<DataDir>::known(data, *base::parse_time("2026-09-24T12:00:00Z"));
  base::Json json = node_json(node);
  EXPECT_TRUE(read(json, read_node).data->disk_away);
  json["data"]["known"].erase("disk_away");
  EXPECT_FALSE(read(json, read_node).data->disk_away);
}

TEST(NodeJson, WhetherTheConfigurationSaysKeepIsFalseWhereNobodySaid) {
  NodeFacts node;
  node.member = "a";
  node.manifest = Fact<Manifest>::known({"digest", true}, *base::parse_time("2026-09-24T12:00:00Z"));
  base::Json json = node_json(node);
  EXPECT_TRUE(read(json, read_node).manifest->keep);
  json["manifest"]["known"].erase("keep");
  EXPECT_FALSE(read(json, read_node).manifest->keep);
}

TEST(NodeJson, AFenceAndThePassesThroughItAreReadBack) {
  NodeFacts node;
  node.member = "a";
  node.manifest = Fact<Manifest>::known({"digest", true, true}, *base::parse_time("2026-09-24T12:00:00Z"));
  node.standing.emplace();
  node.standing->pass_key = "public key of a";
  node.standing->fencing = Fencing{"d2", "certificate", {{"a", "public key of a", "pass of a"}, {"b", "key", "pass"}}};
  base::Json json = node_json(node);
  EXPECT_TRUE(read(json, read_node).manifest->fenced);
  EXPECT_EQ(read(json, read_node).standing, node.standing);
  json["manifest"]["known"].erase("fenced");
  json["standing"].erase("fencing");
  json["standing"].erase("pass_key");
  EXPECT_FALSE(read(json, read_node).manifest->fenced);
  EXPECT_EQ(read(json, read_node).standing, Standing{});
}

}  // namespace quorate::model
