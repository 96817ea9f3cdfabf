// JUnit: well-formed XML whose counts are true, with a case for each file and rule.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/report/findings.h"
#include "tests/unit/report/bad_file.h"
#include "tests/unit/report/xml_reader.h"

namespace quorate::report {
namespace {

using model::Code;
using test::at;
using test::bad_file;
using test::Element;
using test::finding;

Element junit_of(const std::vector<FileResult>& results) {
  const std::string text = *render_findings("junit", results, {});
  return test::XmlReader(text).document();
}

int number(const Element& element, const std::string& attribute) {
  return std::stoi(element.attributes.at(attribute));
}

TEST(FindingsAsJunit, EachFileIsASuiteAndEachRuleACase) {
  const Element root = junit_of({bad_file(), {"good.yaml", {}, {}}});
  EXPECT_EQ(root.name, "testsuites");
  ASSERT_EQ(root.children.size(), 2u);
  const Element& suite = root.children[0];
  EXPECT_EQ(suite.attributes.at("name"), "bad.quorate.yaml");
  std::vector<std::string> names;
  for (const Element& one : suite.children) names.push_back(one.attributes.at("name").substr(0, 4));
  EXPECT_EQ(names, (std::vector<std::string>{"W201", "E103", "E101", "E102", "E104", "E120"}));
}

TEST(FindingsAsJunit, CountsAreTrue) {
  const Element root = junit_of({bad_file(), {"good.yaml", {}, {}}});
  int tests = 0, failures = 0;
  for (const Element& suite : root.children) {
    int failed = 0;
    for (const Element& one : suite.children) {
      EXPECT_EQ(one.name, "testcase");
      EXPECT_EQ(one.attributes.at("classname"), suite.attributes.at("name"));
      if (!one.children.empty() && one.children[0].name == "failure") ++failed;
    }
    EXPECT_EQ(number(suite, "tests"), static_cast<int>(suite.children.size()));
    EXPECT_EQ(number(suite, "failures"), failed);
    tests += number(suite, "tests");
    failures += failed;
  }
  EXPECT_EQ(number(root, "tests"), tests);
  EXPECT_EQ(number(root, "failures"), failures);
  EXPECT_EQ(failures, 5);
}

TEST(FindingsAsJunit, SeveralFindingsOfOneRuleShareABody) {
  const Element root = junit_of({bad_file()});
  const Element& unknown_keys = root.children[0].children[3];
  ASSERT_EQ(unknown_keys.children.size(), 1u);
  const Element& failure = unknown_keys.children[0];
  EXPECT_EQ(failure.attributes.at("type"), "E102");
  EXPECT_EQ(failure.attributes.at("message"), "unknown key \"quotta\" in etcd");
  EXPECT_NE(failure.text.find(" 11 |   quotta: 8Gi\n"), std::string::npos);
  EXPECT_NE(failure.text.find("\n\nbad.quorate.yaml:15:10: error[E102]"), std::string::npos);
}

TEST(FindingsAsJunit, AFileWithoutErrorsPassesAndItsWarningsAreOutput) {
  const Element root = junit_of({{"w.yaml", {finding(Code::W201, at(4, 1, 7, "members:", "n"), "m")}, {}}});
  ASSERT_EQ(root.children[0].children.size(), 2u);
  const Element& warning = root.children[0].children[0];
  EXPECT_EQ(warning.children.at(0).name, "system-out");
  EXPECT_NE(warning.children.at(0).text.find("warning[W201]: m"), std::string::npos);
  EXPECT_EQ(root.children[0].children[1].attributes.at("name"), "valid");
  EXPECT_TRUE(root.children[0].children[1].children.empty());
  EXPECT_EQ(number(root, "failures"), 0);
}

TEST(FindingsAsJunit, EverythingForeignIsEscaped) {
  const std::string nasty = "<a&b>\"']]>\x01\x1b\xff\xEF\xBF\xBE\n\t\r<!--";
  model::Finding one = finding(Code::E102, at(1, 1, 1, nasty, nasty), nasty);
  one.file = nasty;
  one.help = {nasty};
  const Element root = junit_of({{nasty, {one}, {}}});
  const std::string replaced = "\xEF\xBF\xBD";
  const std::string expected = "<a&b>\"']]>" + replaced + replaced + replaced + replaced + "\n\t\r<!--";
  EXPECT_EQ(root.children[0].attributes.at("name"), expected);
  EXPECT_EQ(root.children[0].children[0].children[0].attributes.at("message"), expected);
}

TEST(FindingsAsJunit, NoFilesAreAnEmptyButValidDocument) {
  const Element root = junit_of({});
  EXPECT_TRUE(root.children.empty());
  EXPECT_EQ(number(root, "tests"), 0);
}

}  // namespace
}  // namespace quorate::report
