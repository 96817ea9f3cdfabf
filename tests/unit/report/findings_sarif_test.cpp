// SARIF: what the standard and code scanning demand of a log, checked on the log itself.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/base/yaml_text.h"
#include "reconciler/report/findings.h"
#include "tests/unit/report/bad_file.h"

namespace quorate::report {
namespace {

using base::Json;
using model::Code;
using test::at;
using test::bad_file;
using test::finding;

Json sarif_of(const std::vector<FileResult>& results) {
  FindingOptions options;
  options.tool_version = "0.1.0";
  return Json::parse(*render_findings("sarif", results, options));
}

const Json& results_of(const Json& log) {
  return log["runs"][0]["results"];
}

std::string print_of(const model::Finding& one) {
  return results_of(sarif_of({FileResult{one.file, {one}, {}}}))[0]["partialFingerprints"]["quorate/v1"];
}

std::string uri_of(const std::string& file) {
  model::Finding one = finding(Code::E102, at(1, 1, 1, "x", ""), "m");
  one.file = file;
  const Json log = sarif_of({FileResult{file, {one}, {}}});
  return results_of(log)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
}

void expect_keys(const Json& object, const std::set<std::string>& required,
                 const std::set<std::string>& optional = {}) {
  for (const std::string& key : required) EXPECT_TRUE(object.contains(key)) << key << " in " << object.dump();
  for (const auto& [key, value] : object.items()) {
    EXPECT_TRUE(required.count(key) + optional.count(key) == 1) << key << " in " << object.dump();
  }
}

void expect_location(const Json& location) {
  const Json& physical = location["physicalLocation"];
  expect_keys(physical, {"artifactLocation", "region"});
  expect_keys(physical["artifactLocation"], {"uri"});
  const Json& region = physical["region"];
  expect_keys(region, {"startLine"}, {"startColumn", "endLine", "endColumn"});
  EXPECT_GE(region["startLine"].get<int>(), 1);
  if (region.contains("startColumn")) {
    EXPECT_GE(region["startColumn"].get<int>(), 1);
    EXPECT_GT(region["endColumn"].get<int>(), region["startColumn"].get<int>());
    EXPECT_EQ(region["endLine"], region["startLine"]);
  }
}

TEST(FindingsAsSarif, TheLogHasTheShapeOfTheStandard) {
  const Json log = sarif_of({bad_file()});
  expect_keys(log, {"$schema", "version", "runs"});
  EXPECT_EQ(log["version"], "2.1.0");
  ASSERT_EQ(log["runs"].size(), 1u);
  const Json& run = log["runs"][0];
  expect_keys(run, {"tool", "columnKind", "results"});
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
  const Json& driver = run["tool"]["driver"];
  expect_keys(driver, {"name", "semanticVersion", "rules"});
  EXPECT_EQ(driver["name"], "quorate");
  EXPECT_EQ(driver["semanticVersion"], "0.1.0");
}

TEST(FindingsAsSarif, EveryRuleIsListedWithItsPage) {
  const Json log = sarif_of({});
  const Json& rules = log["runs"][0]["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), model::all_codes().size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const model::CodeInfo& known = model::all_codes()[i];
    expect_keys(rules[i], {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration"});
    EXPECT_EQ(rules[i]["id"], known.id);
    EXPECT_EQ(rules[i]["shortDescription"]["text"], known.title);
    EXPECT_EQ(rules[i]["help"]["markdown"], known.page);
    EXPECT_EQ(rules[i]["help"]["text"], known.page);
    const std::string full = rules[i]["fullDescription"]["text"];
    EXPECT_EQ(known.page.substr(0, full.size() + 2), full + "\n\n") << known.id;
    EXPECT_EQ(rules[i]["defaultConfiguration"]["level"], known.id.front() == 'W' ? "warning" : "error");
  }
  EXPECT_EQ(results_of(log), Json::array());
}

TEST(FindingsAsSarif, EachResultPointsAtItsRuleAndPlace) {
  const Json log = sarif_of({bad_file()});
  const Json& rules = log["runs"][0]["tool"]["driver"]["rules"];
  ASSERT_EQ(results_of(log).size(), 7u);
  for (const Json& result : results_of(log)) {
    expect_keys(result, {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"},
                {"relatedLocations"});
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["defaultConfiguration"]["level"], result["level"]);
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    ASSERT_EQ(result["locations"].size(), 1u);
    expect_keys(result["locations"][0], {"physicalLocation"});
    expect_location(result["locations"][0]);
  }
}

TEST(FindingsAsSarif, RelatedPlacesKeepTheirNotes) {
  const Json log = sarif_of({bad_file()});
  const Json& related = results_of(log)[1]["relatedLocations"];
  ASSERT_EQ(related.size(), 1u);
  expect_keys(related[0], {"id", "physicalLocation", "message"});
  expect_location(related[0]);
  EXPECT_EQ(related[0]["message"]["text"], "first used here");
  EXPECT_EQ(related[0]["physicalLocation"]["region"]["startLine"], 6);
}

TEST(FindingsAsSarif, AFindingOfTheWholeFileStandsInItsFirstLine) {
  const Json log = sarif_of({FileResult{"a", {finding(Code::E001, {}, "m")}, {}}});
  EXPECT_EQ(results_of(log)[0]["locations"][0]["physicalLocation"]["region"], (Json{{"startLine", 1}}));
}

TEST(FindingsAsSarif, UrisAreRelativeAndPercentEncoded) {
  EXPECT_EQ(uri_of("clusters/prod.yaml"), "clusters/prod.yaml");
  EXPECT_EQ(uri_of("./a b/ü%#?:\\.yaml"), "a%20b/%C3%BC%25%23%3F%3A%5C.yaml");
  EXPECT_EQ(uri_of("/abs/x y.yaml"), "file:///abs/x%20y.yaml");
}

TEST(FindingsAsSarif, AFingerprintSurvivesMovedLinesAndOtherWords) {
  const model::Finding one = finding(Code::E103, at(7, 11, 9, "x", "n"), "message", "members.etcd-c.address");
  model::Finding moved = one;
  moved.place = at(99, 3, 1, "other", "other");
  moved.message = "other words";
  moved.help = {"help"};
  EXPECT_EQ(print_of(one), print_of(moved));
  EXPECT_EQ(print_of(one).size(), 64u);

  model::Finding same_file = one;
  same_file.file = "./" + one.file;
  EXPECT_EQ(print_of(one), print_of(same_file));
}

TEST(FindingsAsSarif, AnotherRuleFieldOrFileIsAnotherFingerprint) {
  const model::Finding one = finding(Code::E103, at(7, 11, 9, "x", "n"), "m", "members.a");
  model::Finding rule = one, field = one, file = one;
  rule.code = Code::E106;
  field.path = "members.b";
  file.file = "other.yaml";
  const std::set<std::string> prints = {print_of(one), print_of(rule), print_of(field), print_of(file)};
  EXPECT_EQ(prints.size(), 4u);
}

TEST(FindingsAsSarif, TwoFindingsOfOneRuleAndFieldAreTwoAlerts) {
  const model::Finding one = finding(Code::E005, at(1, 1, 1, "x", ""), "m");
  const Json log = sarif_of({FileResult{"a", {one, one}, {}}});
  EXPECT_NE(results_of(log)[0]["partialFingerprints"], results_of(log)[1]["partialFingerprints"]);
  EXPECT_EQ(results_of(log)[0]["partialFingerprints"]["quorate/v1"], print_of(one));
}

}  // namespace
}  // namespace quorate::report
