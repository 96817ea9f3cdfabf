// Trees with places; the traps of YAML each have a golden case in golden/diagnostics.
#include "reconciler/load/load.h"

#include <gtest/gtest.h>

#include "reconciler/load/tree.h"

namespace quorate::load {
namespace {

using model::Code;
using model::Node;
using model::NodeKind;

LoadResult load_text(std::string text) {
  return load(model::Source("f.yaml", std::move(text), "/d"));
}

void expect_at(const Node& node, int line, int column, int length) {
  EXPECT_EQ(node.span.at.line, line);
  EXPECT_EQ(node.span.at.column, column);
  EXPECT_EQ(node.span.length, length);
}

}  // namespace

TEST(Load, KnowsThePlaceOfEveryKeyAndValue) {
  const auto result = load_text("name: prod\nmembers:\n  \"etcd-a\": {address: '10.0.0.1'}\n");
  ASSERT_TRUE(result.spec);
  const model::Entry* members = result.spec->root->entry("members");
  ASSERT_NE(members, nullptr);
  expect_at(*members->key, 2, 1, 7);
  const model::Entry& member = members->value->entries[0];
  expect_at(*member.key, 3, 3, 8);
  expect_at(*member.value->get("address"), 3, 23, 10);
}

TEST(Load, CountsColumnsInCharacters) {
  const auto result = load_text("{\"\xC3\xA4\xC3\xB6\": 1, b: 2}\n");
  ASSERT_TRUE(result.spec);
  expect_at(*result.spec->root->entry("b")->key, 1, 11, 1);
}

TEST(Load, TypesScalarsAsYaml12Does) {
  const auto result = load_text(
      "a: 3.10\nb: \"3.10\"\nc: true\nd: off\ne: ~\nf: 0x1F\ng: 1e3\nh: 10.0.0.1\ni: .inf\nj: !!str 5\nk: 'null'\nl: "
      "0o17\n"
      "m: -7\nn: 1.2.3\n");
  ASSERT_TRUE(result.spec);
  const auto kind = [&](const char* key) { return result.spec->root->get(key)->kind; };
  EXPECT_EQ(kind("a"), NodeKind::Float);
  EXPECT_EQ(kind("b"), NodeKind::Text);
  EXPECT_EQ(kind("c"), NodeKind::Boolean);
  EXPECT_EQ(kind("d"), NodeKind::Text);
  EXPECT_EQ(kind("e"), NodeKind::Null);
  EXPECT_EQ(kind("f"), NodeKind::Integer);
  EXPECT_EQ(kind("g"), NodeKind::Float);
  EXPECT_EQ(kind("h"), NodeKind::Text);
  EXPECT_EQ(kind("i"), NodeKind::Float);
  EXPECT_EQ(kind("j"), NodeKind::Text);
  EXPECT_EQ(kind("k"), NodeKind::Text);
  EXPECT_EQ(kind("l"), NodeKind::Integer);
  EXPECT_EQ(kind("m"), NodeKind::Integer);
  EXPECT_EQ(kind("n"), NodeKind::Text);
}

TEST(Load, SharesTheValueOfAnAlias) {
  const auto result = load_text("a: &x {k: v}\nb: *x\n");
  ASSERT_TRUE(result.spec);
  EXPECT_EQ(result.spec->root->get("a"), result.spec->root->get("b"));
}

TEST(Load, UnwrapsAKubernetesObjectAndKeepsPlaces) {
  const auto result = load_text("apiVersion: quorate/v1\nmetadata: {name: prod}\nspec:\n  size: 3\n");
  ASSERT_TRUE(result.spec);
  EXPECT_TRUE(result.findings.empty());
  const Node& root = *result.spec->root;
  EXPECT_EQ(root.get("name")->text, "prod");
  expect_at(*root.get("size"), 4, 9, 1);
  EXPECT_EQ(root.get("spec"), nullptr);
}

TEST(Load, RefusesAFileOverOneMebibyteWithoutParsingIt) {
  const auto result = load_text(std::string(kMostBytes + 1, '['));
  EXPECT_FALSE(result.spec);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].code, Code::E002);
}

TEST(Load, TakesAFileOfExactlyOneMebibyte) {
  std::string text = "name: prod\n#";
  text.append(kMostBytes - text.size(), '#');
  EXPECT_TRUE(load_text(text).spec);
}

TEST(Load, StopsAfterAHundredFindings) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "a: 1\n";
  EXPECT_EQ(load_text(text).findings.size(), kMostFindings);
}

TEST(Load, FindsADoubledKeyInALargeMapping) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const auto result = load_text(text + "k1234: 2\n");
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].code, Code::E009);
  EXPECT_EQ(result.findings[0].related.at(0).span.at.line, 1235);
}

TEST(Load, DropsAByteOrderMark) {
  const auto result = load_text("\xEF\xBB\xBFname: prod\n");
  ASSERT_TRUE(result.spec);
  expect_at(*result.spec->root->entry("name")->key, 1, 1, 4);
}

TEST(Load, TakesWindowsLineEnds) {
  const auto result = load_text("name: prod\r\nsize: 3\r\n");
  ASSERT_TRUE(result.spec);
  EXPECT_EQ(result.spec->root->get("name")->text, "prod");
  EXPECT_EQ(result.spec->root->get("size")->kind, NodeKind::Integer);
}

}  // namespace quorate::load
