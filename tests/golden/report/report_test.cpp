// One file with many faults in every format, byte for byte, and a rule's page as a terminal shows it.
#include <string>

#include <gtest/gtest.h>

#include "reconciler/base/yaml_text.h"
#include "reconciler/report/code_pages.h"
#include "reconciler/report/findings.h"
#include "tests/support/golden.h"
#include "tests/unit/report/bad_file.h"

namespace quorate::report {
namespace {

using support::compare_with_golden;
using test::bad_file;

std::string rendered(std::string_view format, const FindingOptions& options = {}) {
  return *render_findings(format, {bad_file(), {"good.quorate.yaml", {}, "good: 3 members"}}, options);
}

TEST(GoldenReport, Text) {
  FindingOptions options;
  options.detail = Detail::Verbose;
  compare_with_golden("report/bad.txt", rendered("text", options));
}

TEST(GoldenReport, TextInColor) {
  FindingOptions options;
  options.style.color = true;
  compare_with_golden("report/bad-color.txt", rendered("text", options));
}

TEST(GoldenReport, Json) {
  compare_with_golden("report/bad.json", rendered("json"));
}

TEST(GoldenReport, Github) {
  compare_with_golden("report/bad.github", rendered("github"));
}

TEST(GoldenReport, Junit) {
  compare_with_golden("report/bad.junit.xml", rendered("junit"));
}

// Without the rules: their pages are long, and tested beside their source.
TEST(GoldenReport, SarifResults) {
  base::Json log = base::Json::parse(rendered("sarif"));
  log["runs"][0]["tool"]["driver"].erase("rules");
  compare_with_golden("report/bad.sarif", log.dump(2) + "\n");
}

TEST(GoldenReport, PageOfARule) {
  compare_with_golden("report/explain-e131.txt", explain_code_text(model::info(model::Code::E131), Style{}));
}

}  // namespace
}  // namespace quorate::report
