// Hostile and broken JSON texts: each ends in a sentence that says where and what.
#include "reconciler/model/json_document.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string problem(const std::string& text) {
  const auto tree = parse_json(text, "a.json");
  if (tree) return "";
  EXPECT_EQ(tree.error().kind, base::ErrorKind::Invalid);
  return tree.error().message;
}

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace

TEST(JsonDocument, ReadsWhatIsJson) {
  const auto tree = parse_json(R"({"a": [1, -2, 2.5, true, null, "x"], "b": {"c": {}}})", "a.json");
  ASSERT_TRUE(tree.has_value());
  EXPECT_EQ(tree->dump(), R"({"a":[1,-2,2.5,true,null,"x"],"b":{"c":{}}})");
  EXPECT_EQ((*parse_json("18446744073709551615", "a.json")).get<std::uint64_t>(), 18446744073709551615U);
}

TEST(JsonDocument, NamesLineAndColumnOfWhatIsNoJson) {
  EXPECT_THAT(problem("{\n  \"a\": 1,\n  b: 2}"), StartsWith("a.json:3:3: this is not JSON"));
  EXPECT_THAT(problem("{\"ü\": x}"), StartsWith("a.json:1:7: "));
  EXPECT_THAT(problem("[1] [2]"), StartsWith("a.json:1:5: "));
  EXPECT_THAT(problem("[NaN]"), StartsWith("a.json:1:2: "));
  EXPECT_THAT(problem("[Infinity]"), StartsWith("a.json:1:2: "));
  EXPECT_THAT(problem("[01]"), HasSubstr("this is not JSON"));
  EXPECT_THAT(problem("{\"a\": 1,}"), HasSubstr("this is not JSON"));
  EXPECT_THAT(problem("// no comments\n{}"), StartsWith("a.json:1:1: "));
}

TEST(JsonDocument, SaysOfATextThatEndsEarlyThatItIsTruncated) {
  for (const char* text : {"{", "{\"a\"", "{\"a\": 1", "[1, 2", "[tru", "[\"abc", "[\"abc\\u00", "{\"a\": {}\n"}) {
    EXPECT_THAT(problem(text), HasSubstr("the text ends in the middle: truncated")) << text;
  }
  EXPECT_THAT(problem("{\n \"a\": 1\n"), StartsWith("a.json:3:1: "));
  EXPECT_THAT(problem(""), HasSubstr("a.json is empty"));
  EXPECT_THAT(problem(" \r\n\t"), HasSubstr("a.json is empty"));
}

TEST(JsonDocument, RefusesAKeyThatStandsTwiceInOneObject) {
  EXPECT_THAT(problem(R"({"a": 1, "b": {"a": 2}, "a": 3})"), HasSubstr("the key \"a\" stands twice in one object"));
  EXPECT_EQ(problem(R"({"a": {"x": 1}, "b": {"x": 2}})"), "");
  EXPECT_THAT(problem("{\"\\u0061\": 1, \"a\": 2}"), HasSubstr("stands twice"));
}

TEST(JsonDocument, RefusesNumbersThatNothingHolds) {
  EXPECT_THAT(problem("[1e999]"), HasSubstr("a number that is too large"));
  EXPECT_THAT(problem("[" + std::string(5000, '9') + "]"), HasSubstr("a number that is too large"));
}

TEST(JsonDocument, RefusesTextsThatNestTooDeepOrAreTooLong) {
  EXPECT_EQ(problem(repeated("[", 64) + repeated("]", 64)), "");
  EXPECT_THAT(problem(repeated("[", 65) + repeated("]", 65)), HasSubstr("nests deeper than 64 levels"));
  EXPECT_THAT(problem(repeated("{\"a\":", 200000)), HasSubstr("nests deeper than 64 levels"));
  EXPECT_THAT(problem("\"" + std::string(kMaxDocumentBytes, 'a') + "\""), HasSubstr("larger than 16 MiB"));
}

TEST(JsonDocument, RefusesBytesThatAreNotUtf8) {
  EXPECT_THAT(problem("{\"a\": \"\xff\"}"), HasSubstr("this is not JSON"));
  EXPECT_THAT(problem("{\"a\": \"\xc3\"}"), HasSubstr("this is not JSON"));
  EXPECT_THAT(problem("[\"\\ud800\"]"), HasSubstr("this is not JSON"));
}

TEST(JsonDocument, ShowsForeignTextShortAndHarmless) {
  EXPECT_EQ(in_quotes("plain"), "\"plain\"");
  EXPECT_EQ(in_quotes("a\x1b[31mb\n"), "\"a?[31mb?\"");
  EXPECT_EQ(in_quotes(std::string(1000, 'x')), "\"" + std::string(40, 'x') + "...\"");
  EXPECT_THAT(problem("{\"" + std::string(100, 'k') + "\": 1, \"" + std::string(100, 'k') + "\": 1}"),
              AllOf(HasSubstr("kkk...\""), Not(HasSubstr(std::string(60, 'k')))));
}

TEST(JsonDocument, ReadsItsOwnKindUnderItsOwnMajorVersionOnly) {
  const auto open = [](const std::string& text) -> std::string {
    const auto tree = open_document(text, "a.json", "plan");
    return tree ? "" : tree.error().message;
  };
  EXPECT_EQ(open(R"({"format_version": "1.0", "kind": "plan"})"), "");
  EXPECT_EQ(open(R"({"format_version": "1.27", "kind": "plan", "new": [1]})"), "");
  EXPECT_EQ(open(R"({"format_version": "2.0", "kind": "plan"})"),
            "a.json has format_version 2.0, this quorate reads 1.x");
  EXPECT_EQ(open(R"({"format_version": "1.0", "kind": "observation"})"),
            "a.json: /kind must be \"plan\", found \"observation\"");
  EXPECT_EQ(open(R"({"format_version": "1.0"})"), "a.json: /kind must be \"plan\"");
  for (const char* version : {"1", "\"1\"", "\"1.\"", "\".1\"", "\"1.0.0\"", "\"v1.0\"", "\"\"", "null",
                              "\"99999999999999999999.0\"", "\"-1.0\"", "[1, 0]"}) {
    EXPECT_EQ(open(std::string(R"({"kind": "plan", "format_version": )") + version + "}"),
              "a.json: /format_version must be text such as \"1.0\"");
  }
  EXPECT_EQ(open("[]"), "a.json: the document is not an object");
  EXPECT_EQ(open("null"), "a.json: the document is not an object");
}

}  // namespace quorate::model
