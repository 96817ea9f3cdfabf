// What a node file means, and what is said of a wrong one.
#include "reconciler/validate/agent.h"

#include <gmock/gmock.h>

#include "reconciler/load/load.h"
#include "reconciler/validate/schema.h"

namespace quorate::validate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kHead = "apiVersion: quorate/v1\nkind: Agent\n";

AgentResult judged(const std::string& text) {
  const auto loaded = load::load(model::Source("agent.yaml", text, "/etc/quorate"));
  return validate_agent(*loaded.spec);
}

std::vector<std::string> codes_of(const std::string& rest) {
  std::vector<std::string> codes;
  for (const auto& finding : judged(kHead + rest).findings) codes.emplace_back(model::info(finding.code).id);
  return codes;
}

}  // namespace

TEST(NodeFile, TwoLinesMeanTheDefaultsOfTheModel) {
  const auto result = judged(kHead);
  ASSERT_TRUE(result.settings);
  const model::AgentSettings silent;
  EXPECT_EQ(result.settings->node, "");
  EXPECT_EQ(result.settings->source_file, silent.source_file);
  EXPECT_EQ(result.settings->state_dir, silent.state_dir);
  EXPECT_EQ(result.settings->socket, silent.socket);
  EXPECT_EQ(result.settings->operators_group, silent.operators_group);
  EXPECT_EQ(result.settings->log_level, silent.log_level);
  EXPECT_EQ(result.settings->log_format, silent.log_format);
  EXPECT_EQ(result.settings->storage_dir, "");
}

TEST(NodeFile, EachFieldArrives) {
  const auto settings = judged(std::string(kHead) +
                               "node: controller-0\nsource: {file: /srv//etcd/quorate.yaml}\nstateDir: /state/\n"
                               "listen: {socket: /run/q.sock}\noverrides: {storage: {dir: /mnt/nvme/etcd}}\n"
                               "operators: {group: ops}\nlog: {level: debug, format: json}\nx-note: ours\n")
                            .settings;
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->node, "controller-0");
  EXPECT_EQ(settings->source_file, "/srv/etcd/quorate.yaml");
  EXPECT_EQ(settings->state_dir, "/state");
  EXPECT_EQ(settings->socket, "/run/q.sock");
  EXPECT_EQ(settings->storage_dir, "/mnt/nvme/etcd");
  EXPECT_EQ(settings->operators_group, "ops");
  EXPECT_EQ(settings->log_level, model::LogLevel::Debug);
  EXPECT_EQ(settings->log_format, model::LogFormat::Json);
}

TEST(NodeFile, IsKnownByItsKind) {
  const auto is_one = [](const std::string& text) {
    return is_agent_file(*load::load(model::Source("f", text, "/")).spec);
  };
  EXPECT_TRUE(is_one("kind: Agent\n"));
  EXPECT_FALSE(is_one("kind: EtcdCluster\n"));
  EXPECT_FALSE(is_one("name: Agent\n"));
  EXPECT_FALSE(is_one("kind: [Agent]\n"));
}

TEST(NodeFile, SaysEachMistakeAtItsPlace) {
  const auto result = judged(std::string(kHead) +
                             "source: {file: quorate.yaml, git: {}}\nlisten: {socket: /}\nlog: {level: loud}\n"
                             "overrides: {quota: 8Gi}\n");
  EXPECT_FALSE(result.settings);
  ASSERT_EQ(result.findings.size(), 5U);
  EXPECT_THAT(result.findings[0].message, HasSubstr("source.file must be absolute"));
  EXPECT_EQ(result.findings[0].place.span.at.line, 3);
  EXPECT_EQ(result.findings[0].place.span.at.column, 16);
  EXPECT_THAT(result.findings[1].message, HasSubstr("unknown key \"git\" in source"));
  EXPECT_THAT(result.findings[2].message, HasSubstr("listen.socket is the root directory"));
  EXPECT_THAT(result.findings[3].message, HasSubstr("log.level cannot be"));
  EXPECT_THAT(result.findings[4].message, HasSubstr("unknown key \"quota\" in overrides"));
}

TEST(NodeFile, OfAWrongShapeIsRefusedAndNeverGuessed) {
  EXPECT_THAT(codes_of("node: Controller_0\n"), ElementsAre("E106"));
  EXPECT_THAT(codes_of("source: /etc/quorate/cluster.yaml\n"), ElementsAre("E101"));
  EXPECT_THAT(codes_of("stateDir: /var/../lib\n"), ElementsAre("E106"));
  EXPECT_THAT(codes_of("operators: {group: \"a b\"}\n"), ElementsAre("E106"));
  EXPECT_THAT(codes_of("members: {a: 10.0.0.1}\n"), ElementsAre("E102"));
  EXPECT_THAT(codes_of("x-members: {a: 10.0.0.1}\n"), IsEmpty());
}

TEST(NodeFile, EveryFieldOfItsSchemaHasADefaultOrSaysWhatItIs) {
  const Schema& schema = agent_schema();
  EXPECT_EQ(schema.required, (std::vector<std::string>{"apiVersion", "kind"}));
  EXPECT_EQ(fields_named(schema, "socket"), std::vector<std::string>{"listen.socket"});
  EXPECT_TRUE(fields_named(schema, "quota").empty());
}

}  // namespace quorate::validate
