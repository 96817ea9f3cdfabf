// Findings as JUnit XML: a suite for each file, a case for each rule it breaks.
#include <algorithm>
#include <cstddef>

#include "reconciler/base/utf8.h"
#include "reconciler/report/finding_formats.h"

namespace quorate::report {
namespace {

// XML 1.0 has no way at all to write most control characters, nor bytes that are not UTF-8.
std::string escaped(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string result;
  while (!text.empty()) {
    const std::size_t valid = base::first_invalid_utf8(text).value_or(text.size());
    for (std::size_t i = 0; i < valid; ++i) {
      const char c = text[i];
      const std::string_view three = text.substr(i, 3);
      if (c == '&') {
        result += "&amp;";
      } else if (c == '<') {
        result += "&lt;";
      } else if (c == '>') {
        result += "&gt;";
      } else if (c == '"') {
        result += "&quot;";
      } else if (c == '\t' || c == '\n' || c == '\r') {
        result += "&#" + std::to_string(static_cast<int>(c)) + ";";  // attributes lose them otherwise
      } else if (static_cast<unsigned char>(c) < 0x20) {
        result += kReplacement;
      } else if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
        result += kReplacement;
        i += 2;
      } else {
        result += c;
      }
    }
    if (valid < text.size()) result += kReplacement;
    text.remove_prefix(valid < text.size() ? valid + 1 : valid);
  }
  return result;
}

// In the body of an element line breaks may stay, and are easier to read.
std::string escaped_body(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += escaped(text.substr(at, end - at));
    if (end < text.size()) result += '\n';
    at = end + 1;
  }
  return result;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

std::string attribute(std::string_view name, std::size_t value) {
  return attribute(name, std::to_string(value));
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
  std::string text = "    <testcase" + attribute("classname", result.file) + attribute("name", title) + ">\n";
  if (is_failure(entry)) {
    text += "      <failure" + attribute("type", entry.rule->id) +
            attribute("message", entry.findings.front()->message) + ">" + escaped_body(body) + "</failure>\n";
  } else {
    text += "      <system-out>" + escaped_body(body) + "</system-out>\n";
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
    body += "    <testcase" + attribute("classname", result.file) + attribute("name", "valid") + "/>\n";
  }
  suite.xml = "  <testsuite" + attribute("name", result.file) + attribute("tests", suite.tests) +
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
