// The rules' table, the exit codes' table, and what hangs on them.
#include "reconciler/model/codes.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "reconciler/model/exit_code.h"
#include "reconciler/model/finding.h"

namespace quorate::model {
namespace {

// A second list on purpose: the first one cannot vouch for itself.
#define NAMED(id) \
  { Code::id, #id }
const std::vector<std::pair<Code, std::string>> kEveryCode = {
    NAMED(E001), NAMED(E002), NAMED(E003), NAMED(E004), NAMED(E005), NAMED(E006), NAMED(E007), NAMED(E008), NAMED(E009),
    NAMED(E010), NAMED(E011), NAMED(E012), NAMED(E013), NAMED(E100), NAMED(E101), NAMED(E102), NAMED(E103), NAMED(E104),
    NAMED(E105), NAMED(E106), NAMED(E107), NAMED(E110), NAMED(E111), NAMED(E112), NAMED(E113), NAMED(E114), NAMED(E115),
    NAMED(E116), NAMED(E117), NAMED(E118), NAMED(E119), NAMED(E120), NAMED(E121), NAMED(E122), NAMED(E123), NAMED(E124),
    NAMED(E125), NAMED(E126), NAMED(E127), NAMED(E128), NAMED(E129), NAMED(E130), NAMED(E131), NAMED(E132), NAMED(E140),
    NAMED(E141), NAMED(E142), NAMED(E143), NAMED(W201), NAMED(W202), NAMED(W203), NAMED(W204), NAMED(W205), NAMED(W206),
    NAMED(W207), NAMED(W208), NAMED(W209),
};
#undef NAMED

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

Finding finding(Code code, int line, int column, std::string message) {
  Finding result;
  result.code = code;
  result.place.span.at = {line, column};
  result.message = std::move(message);
  return result;
}

TEST(Codes, EveryEnumeratorHasItsRowInOrder) {
  ASSERT_EQ(all_codes().size(), kEveryCode.size());
  for (std::size_t i = 0; i < kEveryCode.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kEveryCode[i].first), i);
    EXPECT_EQ(all_codes()[i].code, kEveryCode[i].first);
    EXPECT_EQ(all_codes()[i].id, kEveryCode[i].second);
    EXPECT_EQ(&info(kEveryCode[i].first), &all_codes()[i]);
  }
}

TEST(Codes, IdsAndTitlesAreUnique) {
  std::set<std::string_view> ids, titles;
  for (const CodeInfo& rule : all_codes()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_TRUE(titles.insert(rule.title).second) << rule.id;
    EXPECT_FALSE(rule.title.empty()) << rule.id;
    EXPECT_LE(rule.title.size(), 50u) << rule.id << " is for tables";
  }
}

TEST(Codes, AreFoundByIdInEitherCase) {
  for (const CodeInfo& rule : all_codes()) EXPECT_EQ(find_code(rule.id), rule.code);
  EXPECT_EQ(find_code("e103"), Code::E103);
  EXPECT_EQ(find_code("w201"), Code::W201);
  for (const char* unknown : {"", "E", "E10", "E1030", "E999", "X103", " E103"}) {
    EXPECT_FALSE(find_code(unknown)) << unknown;
  }
}

TEST(Codes, TheLetterSaysHowSevere) {
  EXPECT_EQ(severity(Code::E103), Severity::Error);
  EXPECT_EQ(severity(Code::W206), Severity::Warning);
  for (const CodeInfo& rule : all_codes()) {
    EXPECT_EQ(severity(rule.code) == Severity::Warning, rule.id.front() == 'W') << rule.id;
  }
}

TEST(Codes, EachPageSaysWhyShowsBothExamplesAndWhatToDo) {
  for (const CodeInfo& rule : all_codes()) {
    const std::string_view page = rule.page;
    EXPECT_EQ(count(page, "\nWrong:\n\n```"), 1u) << rule.id;
    EXPECT_EQ(count(page, "\nRight:\n\n```"), 1u) << rule.id;
    EXPECT_EQ(count(page, "\nWhat to do: "), 1u) << rule.id;
    EXPECT_EQ(count(page, "```"), 4u) << rule.id << " has two fenced examples";
    EXPECT_EQ(count(page, "`") % 2, 0u) << rule.id << " closes its code";
    const std::size_t why = page.find("\n\n") + 2;
    EXPECT_GT(page.find("\n\n", why) - why, 60u) << rule.id << " has a reason";
    EXPECT_EQ(page.back(), '\n') << rule.id;
    EXPECT_LE(count(page, "\n"), 25u) << rule.id;
  }
}

TEST(Codes, PagesShowNoRealSecretsAndNoTrailingSpaces) {
  for (const CodeInfo& rule : all_codes()) {
    EXPECT_EQ(rule.page.find(" \n"), std::string_view::npos) << rule.id;
    EXPECT_EQ(rule.page.find("TODO"), std::string_view::npos) << rule.id;
  }
}

TEST(ExitCodes, TheStrongerWinsInTheOrderOfTheContract) {
  const std::vector<ExitCode> order = {
      ExitCode::Usage,     ExitCode::Interrupted,   ExitCode::Terminated, ExitCode::Failed,
      ExitCode::Invalid,   ExitCode::Untrusted,     ExitCode::Unknown,    ExitCode::NoStore,
      ExitCode::BadBackup, ExitCode::NoBackup,      ExitCode::Stale,      ExitCode::Busy,
      ExitCode::Refused,   ExitCode::NeedsApproval, ExitCode::Different,  ExitCode::Ok};
  ASSERT_EQ(all_exit_codes().size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(all_exit_codes()[i].code, order[i]);
    EXPECT_FALSE(all_exit_codes()[i].name.empty());
    EXPECT_FALSE(all_exit_codes()[i].meaning.empty());
    for (std::size_t j = i; j < order.size(); ++j) {
      EXPECT_EQ(worst(order[i], order[j]), order[i]);
      EXPECT_EQ(worst(order[j], order[i]), order[i]);
    }
  }
}

TEST(ExitCodes, NumbersNeverChange) {
  EXPECT_EQ(static_cast<int>(ExitCode::Ok), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::Failed), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::Different), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::Invalid), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::Refused), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::NeedsApproval), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::Unknown), 6);
  EXPECT_EQ(static_cast<int>(ExitCode::Busy), 8);
  EXPECT_EQ(static_cast<int>(ExitCode::Untrusted), 9);
  EXPECT_EQ(static_cast<int>(ExitCode::Usage), 64);
}

TEST(Findings, AreSortedByPlaceAndKeepTheirOrderAtOnePlace) {
  std::vector<Finding> findings = {finding(Code::E102, 7, 3, "c"), finding(Code::E101, 2, 9, "b"),
                                   finding(Code::E100, 7, 3, "d"), finding(Code::E105, 7, 1, "x"),
                                   finding(Code::E002, 0, 0, "a")};
  sort_by_place(findings);
  std::string order;
  for (const Finding& one : findings) order += one.message;
  EXPECT_EQ(order, "abxcd");
}

TEST(Findings, OnlyErrorsCountAsErrors) {
  EXPECT_FALSE(has_errors({}));
  EXPECT_FALSE(has_errors({finding(Code::W201, 1, 1, "")}));
  EXPECT_TRUE(has_errors({finding(Code::W201, 1, 1, ""), finding(Code::E103, 2, 1, "")}));
}

}  // namespace
}  // namespace quorate::model
