// Findings as JUnit XML: a suite for each file, a case for each rule it breaks.
#include <algorithm>
#include <cstddef>

#include "reconciler/report/escapes.h"
#include "reconciler/report/finding_formats.h"

namespace quorate::report {
namespace {

std::string attribute(std::string_view name, std::size_t value) {
  return xml_attribute(name, std::to_string(value));
}

// All findings of one rule in one file.
struct Case {
  const model::CodeInfo* rule = nullptr;
  std::vector<const model::Finding*> findings;
};

std::vector<Case> cases_of(const FileResult& result) {
  std::vector<Case> cases;
  for (const model::Finding& finding : result.findings) {
    const model::CodeInfo* rule = &model::info(finding.code);
    const auto known = std::find_if(cases.begin(), cases.end(), [&](const Case& entry) { return entry.rule == rule; });
    (known == cases.end() ? cases.emplace_back(Case{rule, {}}) : *known).findings.push_back(&finding);
  }
  return cases;
}

bool is_failure(const Case& entry) {
  return model::severity(entry.rule->code) == model::Severity::Error;
}

std::string case_xml(const FileResult& result, const Case& entry) {
  const std::string title = std::string(entry.rule->id) + " " + std::string(entry.rule->title);
  std::string body;
  for (const model::Finding* finding : entry.findings) {
    if (!body.empty()) body += "\n";
    body += finding_text(*finding, Style{});
  }
  std::string text = "    <testcase" + xml_attribute("classname", result.file) + xml_attribute("name", title) + ">\n";
  if (is_failure(entry)) {
    text += "      <failure" + xml_attribute("type", entry.rule->id) +
            xml_attribute("message", entry.findings.front()->message) + ">" + xml_body(body) + "</failure>\n";
  } else {
    text += "      <system-out>" + xml_body(body) + "</system-out>\n";
  }
  return text + "    </testcase>\n";
}

struct Suite {
  std::string xml;
  std::size_t tests = 0;
  std::size_t failures = 0;
};

Suite suite_of(const FileResult& result) {
  Suite suite;
  std::string body;
  for (const Case& entry : cases_of(result)) {
    ++suite.tests;
    if (is_failure(entry)) ++suite.failures;
    body += case_xml(result, entry);
  }
  if (suite.failures == 0) {
    ++suite.tests;
    body += "    <testcase" + xml_attribute("classname", result.file) + xml_attribute("name", "valid") + "/>\n";
  }
  suite.xml = "  <testsuite" + xml_attribute("name", result.file) + attribute("tests", suite.tests) +
              attribute("failures", suite.failures) + " errors=\"0\" skipped=\"0\">\n" + body + "  </testsuite>\n";
  return suite;
}

}  // namespace

std::string findings_as_junit(const std::vector<FileResult>& results, const FindingOptions&) {
  std::string suites;
  std::size_t tests = 0, failures = 0;
  for (const FileResult& result : results) {
    const Suite suite = suite_of(result);
    suites += suite.xml;
    tests += suite.tests;
    failures += suite.failures;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"quorate validate\"" +
         attribute("tests", tests) + attribute("failures", failures) + " errors=\"0\">\n" + suites + "</testsuites>\n";
}

}  // namespace quorate::report
