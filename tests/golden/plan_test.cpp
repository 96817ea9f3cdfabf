// One folder for each case: desired.yaml, observed.json, and expected.txt, the plan that people are shown.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/plan_case.h"

namespace quorate {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(support::golden_path("plan"))) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class PlanCases : public testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(PlanCases, AreWhatPeopleWereShownBefore) {
  const std::string text = support::render_plan_case(support::golden_path("plan") / GetParam());
  if (!HasFailure()) support::compare_with_golden("plan/" + GetParam() + "/expected.txt", text);
}

TEST_P(PlanCases, AreTheSamePlanWhenSavedAndReadAgain) {
  const auto made = support::plan_case(support::golden_path("plan") / GetParam());
  if (!made.usable) return;
  const auto read = model::read_plan(model::to_json(made.plan.gated, made.plan.context), "plan.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(report::plan_wide(read->gated, read->context, {}),
            report::plan_wide(made.plan.gated, made.plan.context, {}));
}

TEST_P(PlanCases, FitTheirSchema) {
  const support::JsonSchema schema(
      support::text_of(std::filesystem::path(QUORATE_SOURCE_DIR) / "schema/plan.schema.json"));
  const auto made = support::plan_case(support::golden_path("plan") / GetParam());
  if (!made.usable) return;
  EXPECT_EQ(schema.problems(model::to_json(made.plan.gated, made.plan.context)), "");
}

// Every format, with nothing in it that a terminal would obey.
TEST_P(PlanCases, ArePrintedInEveryFormat) {
  const auto made = support::plan_case(support::golden_path("plan") / GetParam());
  if (!made.usable) return;
  for (const auto& format : report::plan_formats()) {
    const auto text = report::render_plan(format, made.plan.gated, made.plan.context, {});
    ASSERT_TRUE(text) << format;
    EXPECT_EQ(text->find('\033'), std::string::npos) << format;
    EXPECT_LE(format == "markdown" ? text->size() : 0U, 60000U);
  }
}

TEST_P(PlanCases, FolderHoldsACaseAndNothingElse) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(support::golden_path("plan") / GetParam())) {
    files.insert(entry.path().filename().string());
  }
  EXPECT_EQ(files, (std::set<std::string>{"desired.yaml", "expected.txt", "observed.json"}));
}

INSTANTIATE_TEST_SUITE_P(Cases, PlanCases, testing::ValuesIn(cases()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace quorate
