// The examples on the rules' pages are tried out: the wrong one breaks its rule, the right one breaks none.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/load/load.h"
#include "reconciler/model/codes.h"
#include "reconciler/validate/validate.h"

namespace quorate::report {
namespace {

std::string fenced_after(std::string_view page, std::string_view label) {
  const std::string opening = std::string(label) + "\n\n```yaml\n";
  const std::size_t start = page.find(opening);
  if (start == std::string_view::npos) return {};  // a command, which nothing here can run
  const std::size_t from = start + opening.size();
  return std::string(page.substr(from, page.find("```", from) - from));
}

bool has_key(const std::string& example, const std::string& key) {
  return ("\n" + example).find("\n" + key + ":") != std::string::npos;
}

// Examples leave out what they do not need.
std::string completed(const std::string& example) {
  std::string head;
  if (!has_key(example, "apiVersion")) head += "apiVersion: quorate/v1\n";
  if (!has_key(example, "name")) head += "name: prod\n";
  if (!has_key(example, "members") && !has_key(example, "size")) {
    head += "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}\n";
  }
  return head + example;
}

std::vector<std::string> codes_of(const std::string& text) {
  const load::LoadResult loaded = load::load(model::Source("example.yaml", text, "/"));
  std::vector<model::Finding> findings = loaded.findings;
  if (loaded.spec) {
    for (const model::Finding& finding : validate::validate(*loaded.spec).findings) findings.push_back(finding);
  }
  std::vector<std::string> codes;
  for (const model::Finding& finding : findings) codes.emplace_back(model::info(finding.code).id);
  return codes;
}

TEST(PageExamples, WrongOnesBreakTheirRule) {
  for (const model::CodeInfo& rule : model::all_codes()) {
    const std::string example = fenced_after(rule.page, "Wrong:");
    if (example.empty()) continue;
    // These two are about what is missing from the whole file.
    const bool is_whole = rule.code == model::Code::E011 || rule.code == model::Code::E100;
    const std::vector<std::string> codes = codes_of(is_whole ? example : completed(example));
    EXPECT_NE(std::find(codes.begin(), codes.end(), rule.id), codes.end())
        << rule.id << ": " << ::testing::PrintToString(codes) << "\n"
        << example;
  }
}

TEST(PageExamples, RightOnesBreakNone) {
  for (const model::CodeInfo& rule : model::all_codes()) {
    const std::string example = fenced_after(rule.page, "Right:");
    if (example.empty()) continue;
    const std::vector<std::string> codes = codes_of(completed(example));
    EXPECT_TRUE(codes.empty()) << rule.id << ": " << ::testing::PrintToString(codes) << "\n" << example;
  }
}

TEST(PageExamples, OnlyRulesAboutBytesShowCommandsInstead) {
  std::string commands;
  for (const model::CodeInfo& rule : model::all_codes()) {
    if (fenced_after(rule.page, "Wrong:").empty()) commands += std::string(rule.id) + " ";
  }
  EXPECT_EQ(commands, "E001 E002 E003 E004 ");
}

}  // namespace
}  // namespace quorate::report
