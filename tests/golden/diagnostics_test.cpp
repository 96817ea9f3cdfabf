// One folder for each mistake: quorate.yaml and what we say to it. A code without a case fails, and so does a stray
// file.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "reconciler/load/load.h"
#include "reconciler/model/codes.h"
#include "reconciler/report/findings.h"
#include "reconciler/validate/agent.h"
#include "reconciler/validate/validate.h"
#include "tests/support/golden.h"
#include "tests/support/zone_file.h"

namespace quorate {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  return fs::path(QUORATE_SOURCE_DIR) / "tests/golden/diagnostics";
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// One zone that is known, and all of a continent that nobody here can look up.
base::Result<std::optional<std::string>> zone_of(const std::string& name) {
  if (name == "Europe/Amsterdam") return support::amsterdam();
  if (name.compare(0, 5, "Asia/") == 0) return base::invalid("there is no tz database in /usr/share/zoneinfo");
  return std::nullopt;
}

std::vector<model::Finding> findings_of(const std::string& text) {
  auto loaded = load::load(model::Source("quorate.yaml", text, "/srv/etcd"));
  if (loaded.spec && validate::is_agent_file(*loaded.spec)) {
    for (auto& finding : validate::validate_agent(*loaded.spec).findings) {
      loaded.findings.push_back(std::move(finding));
    }
  } else if (loaded.spec) {
    auto validated = validate::validate(*loaded.spec, zone_of);
    for (auto& finding : validated.findings) loaded.findings.push_back(std::move(finding));
    model::sort_by_place(loaded.findings);
  }
  return std::move(loaded.findings);
}

class Diagnostics : public testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(Diagnostics, AreWhatPeopleWereShownBefore) {
  const auto findings = findings_of(read(folder() / GetParam() / "quorate.yaml"));
  const auto text = report::render_findings("text", {{"quorate.yaml", findings, ""}}, {});
  ASSERT_TRUE(text);
  support::compare_with_golden("diagnostics/" + GetParam() + "/findings.txt", *text);
}

// A secret in the file appears in no format.
TEST_P(Diagnostics, NeverShowASecret) {
  const auto findings = findings_of(read(folder() / GetParam() / "quorate.yaml"));
  for (const auto& format : report::finding_formats()) {
    const auto text = report::render_findings(format, {{"quorate.yaml", findings, ""}}, {});
    for (const char* secret : {"wJalrXUtnFEMI", "hunter2", "ghp_0123456789", "1234567890123"}) {
      EXPECT_EQ(text->find(secret), std::string::npos) << format;
    }
  }
}

TEST_P(Diagnostics, FolderHoldsACaseAndNothingElse) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder() / GetParam()))
    files.insert(entry.path().filename().string());
  EXPECT_EQ(files, (std::set<std::string>{"findings.txt", "quorate.yaml"}));
}

INSTANTIATE_TEST_SUITE_P(Cases, Diagnostics, testing::ValuesIn(cases()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(DiagnosticsTogether, EveryCodeHasACase) {
  std::string all;
  for (const std::string& name : cases()) all += read(folder() / name / "findings.txt");
  for (const auto& code : model::all_codes()) {
    // A file that cannot be read, and one of more than a megabyte, are no files to check in: e2e and unit tests have
    // them.
    if (code.code == model::Code::E001 || code.code == model::Code::E002) continue;
    EXPECT_NE(all.find("[" + std::string(code.id) + "]"), std::string::npos) << code.id << " has no case";
  }
}

}  // namespace quorate
