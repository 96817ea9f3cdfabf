// Findings as people read them.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/report/findings.h"
#include "tests/unit/report/bad_file.h"

namespace quorate::report {
namespace {

using model::Code;
using test::at;
using test::bad_file;
using test::finding;

std::string text_of(const std::vector<FileResult>& results, Detail detail = Detail::Normal) {
  FindingOptions options;
  options.detail = detail;
  return *render_findings("text", results, options);
}

FileResult good_file(std::string name, std::string summary = {}) {
  return {std::move(name), {}, std::move(summary)};
}

std::string shown(model::Finding one, std::size_t width = 100) {
  Style style;
  style.width = width;
  one.file = "f";
  return finding_text(one, style);
}

TEST(FindingsAsText, FollowTheTranscriptOfTheContract) {
  const std::string text = text_of({bad_file()});
  EXPECT_EQ(
      text.substr(0, text.find("\n\nbad.quorate.yaml:10:12")),
      R"(bad.quorate.yaml:4:1: warning[W201]: 4 voters survive 1 failure, the same as 3, and need one more vote for every write
  4 | members:
    | ^^^^^^^ expected 3 or 5 voters (etcd-a, etcd-b, etcd-c, etcd-d)

bad.quorate.yaml:7:11: error[E103]: etcd-b and etcd-c have the same address
  6 |   etcd-b: 10.0.0.12
    |           --------- first used here
  7 |   etcd-c: 10.0.0.12
    |           ^^^^^^^^^ expected an address no other member uses
  help: etcd-c was 10.0.0.13 in the last applied commit (4be1d27))");
  EXPECT_EQ(text.substr(text.rfind("\n\n")), "\n\n6 errors, 1 warning in 1 file. Nothing was contacted.\n");
}

TEST(FindingsAsText, SayWhatWasCheckedWhenAllIsWell) {
  EXPECT_EQ(text_of({good_file("a")}), "1 file is valid. Nothing was contacted.\n");
  EXPECT_EQ(text_of({good_file("a"), good_file("b"), good_file("c")}), "3 files are valid. Nothing was contacted.\n");
}

TEST(FindingsAsText, CountInSingularAndPlural) {
  FileResult one{"a", {finding(Code::E001, {}, "no such file")}, {}};
  EXPECT_EQ(text_of({one}),
            "bad.quorate.yaml: error[E001]: no such file\n\n1 error in 1 file. Nothing was contacted.\n");

  FileResult warned{"a", {finding(Code::W204, {}, "w"), finding(Code::W205, {}, "w")}, {}};
  const std::string text = text_of({warned, good_file("b")});
  EXPECT_EQ(text.substr(text.rfind("\n\n")), "\n\n2 files are valid, with 2 warnings. Nothing was contacted.\n");

  const std::string mixed = text_of({one, good_file("b"), warned, good_file("d")});
  EXPECT_EQ(mixed.substr(mixed.rfind("\n\n")), "\n\n1 error, 2 warnings in 2 of 4 files. Nothing was contacted.\n");
}

TEST(FindingsAsText, QuietPrintsFindingsOnly) {
  EXPECT_EQ(text_of({good_file("a")}, Detail::Quiet), "");
  const std::string text = text_of({bad_file()}, Detail::Quiet);
  EXPECT_EQ(text.find("Nothing was contacted"), std::string::npos);
  EXPECT_EQ(text.substr(text.rfind("\n  help: ")), "\n  help: this value is already in git history; rotate it\n");
}

TEST(FindingsAsText, VerboseAddsALineForEachFile) {
  FileResult warned = good_file("w.yaml", "dev: 2 members, runtime process");
  warned.findings.push_back(finding(Code::W201, {}, "two voters"));
  const std::string text = text_of({good_file("prod.yaml", "prod: 3 members, etcd 3.5.21, runtime process"),
                                    good_file("x.yaml"), warned, bad_file()},
                                   Detail::Verbose);
  EXPECT_NE(text.find("\n\nprod.yaml: prod: 3 members, etcd 3.5.21, runtime process\n"
                      "x.yaml: valid\n"
                      "w.yaml: dev: 2 members, runtime process (1 warning)\n"
                      "bad.quorate.yaml: 6 errors, 1 warning\n"
                      "6 errors, 2 warnings in 2 of 4 files. Nothing was contacted.\n"),
            std::string::npos)
      << text;
}

TEST(FindingsAsText, AFindingOfTheWholeFileHasNoExcerpt) {
  model::Finding empty = finding(Code::E011, {}, "the file is empty");
  empty.place.note = "expected a mapping";
  empty.help = {"take it from git again"};
  EXPECT_EQ(shown(empty), "f: error[E011]: the file is empty\n  expected a mapping\n  help: take it from git again\n");
}

TEST(FindingsAsText, ALineThatIsNotKnownLeavesItsNotes) {
  model::Finding one = finding(Code::E009, at(9, 2001, 3, "", "expected another name"), "a is there twice");
  one.related = {at(3, 1, 1, "", "first used here")};
  EXPECT_EQ(shown(one),
            "f:9:2001: error[E009]: a is there twice\n  expected another name\n  line 3: first used here\n");
}

TEST(FindingsAsText, PlacesStandInTheOrderOfTheFile) {
  model::Finding one = finding(Code::E103, at(20, 3, 1, "  b: x", "again here"), "m");
  one.related = {at(120, 3, 1, "  c: x", "and here"), at(3, 3, 1, "  a: x", "first here")};
  EXPECT_EQ(shown(one),
            "f:20:3: error[E103]: m\n"
            "  3 |   a: x\n"
            "    |   - first here\n"
            " 20 |   b: x\n"
            "    |   ^ again here\n"
            "120 |   c: x\n"
            "    |   - and here\n");
}

TEST(FindingsAsText, TheGutterGrowsWithTheLineNumber) {
  EXPECT_EQ(shown(finding(Code::E102, at(12345, 1, 2, "ab: c", "n"), "m")),
            "f:12345:1: error[E102]: m\n"
            "12345 | ab: c\n"
            "      | ^^ n\n");
}

TEST(FindingsAsText, SeveralMarksOfOneLineShareIt) {
  const std::string line = "members: {a: 10.0.0.1, b: 10.0.0.1}";
  model::Finding one = finding(Code::E103, at(3, 27, 8, line, "expected another address"), "m");
  one.related = {at(3, 14, 8, line, "first used here")};
  EXPECT_EQ(shown(one),
            "f:3:27: error[E103]: m\n"
            "  3 | members: {a: 10.0.0.1, b: 10.0.0.1}\n"
            "    |              --------     ^^^^^^^^ expected another address\n"
            "    |              first used here\n");
}

TEST(FindingsAsText, TheFindingsOwnMarkLiesOnTopOfOthers) {
  const std::string line = "tls: {peer: {cert: a}}";
  model::Finding one = finding(Code::E114, at(1, 14, 4, line, "expected key and ca"), "m");
  one.related = {at(1, 7, 15, line, "in this block")};
  EXPECT_EQ(shown(one),
            "f:1:14: error[E114]: m\n"
            "  1 | tls: {peer: {cert: a}}\n"
            "    |       -------^^^^---- in this block\n"
            "    |              expected key and ca\n");
}

TEST(FindingsAsText, CountsCharactersNotBytes) {
  EXPECT_EQ(shown(finding(Code::E102, at(1, 8, 3, "Größe: änd", "n"), "m")),
            "f:1:8: error[E102]: m\n"
            "  1 | Größe: änd\n"
            "    |        ^^^ n\n");
}

TEST(FindingsAsText, ATabIsOneSpaceSoThatMarksStandRight) {
  EXPECT_EQ(shown(finding(Code::E005, at(2, 1, 1, "\tetcd-a: x", "a tab"), "m")),
            "f:2:1: error[E005]: m\n"
            "  2 |  etcd-a: x\n"
            "    | ^ a tab\n");
}

TEST(FindingsAsText, AMarkMayStandBehindTheEndOfTheLine) {
  EXPECT_EQ(shown(finding(Code::E100, at(2, 7, 1, "etcd: ", "expected a value"), "m")),
            "f:2:7: error[E100]: m\n"
            "  2 | etcd:\n"
            "    |       ^ expected a value\n");
  EXPECT_EQ(shown(finding(Code::E100, at(2, 99, 50, "etcd:", "n"), "m")),
            "f:2:99: error[E100]: m\n"
            "  2 | etcd:\n"
            "    |      ^ n\n");
}

TEST(FindingsAsText, TheCaretFollowsTheMaskedLineNotTheFile) {
  model::Finding one = finding(Code::E120, at(5, 90, 4, "a: {password: ****, b: c}", "n"), "m");
  one.place.caret = 15;
  EXPECT_EQ(shown(one),
            "f:5:90: error[E120]: m\n"
            "  5 | a: {password: ****, b: c}\n"
            "    |               ^^^^ n\n");
}

TEST(FindingsAsText, LongLinesAreCutAroundTheCaret) {
  const std::string line = std::string(150, 'a') + "BAD" + std::string(150, 'z');
  EXPECT_EQ(shown(finding(Code::E102, at(1, 151, 3, line, "n"), "m"), 45),
            "f:1:151: error[E102]: m\n"
            "  1 | ...aaaaaaaaaaaaaaaaaaBADzzzzzzzzzzzzzzzzzz...\n"
            "    |                      ^^^ n\n");
}

TEST(FindingsAsText, LongLinesAreCutOnlyWhereSomethingIsLeftOut) {
  const std::string tail(200, 'z'), head(200, 'a');
  EXPECT_EQ(shown(finding(Code::E102, at(1, 1, 3, "BAD" + tail, "n"), "m"), 40),
            "f:1:1: error[E102]: m\n"
            "  1 | BAD" +
                std::string(34, 'z') + "...\n" + "    | ^^^ n\n");
  EXPECT_EQ(shown(finding(Code::E102, at(1, 201, 3, head + "BAD", "n"), "m"), 40),
            "f:1:201: error[E102]: m\n"
            "  1 | ..." +
                std::string(34, 'a') + "BAD\n" + "    | " + std::string(37, ' ') + "^^^ n\n");
}

TEST(FindingsAsText, TheCaretIsVisibleWhereverALongLineIsCut) {
  const std::string line(300, 'x');
  for (int column = 1; column <= 301; ++column) {
    for (const int length : {1, 7, 500}) {
      const std::string text = shown(finding(Code::E102, at(1, column, length, line, ""), "m"), 60);
      const std::size_t source = text.find("  1 | ") + 6;
      const std::size_t marks = text.find("    | ") + 6;
      const std::string shown_line = text.substr(source, text.find('\n', source) - source);
      const std::string shown_marks = text.substr(marks, text.find('\n', marks) - marks);
      ASSERT_LE(shown_line.size(), 60u) << column;
      const std::size_t caret = shown_marks.find('^');
      ASSERT_NE(caret, std::string::npos) << column;
      ASSERT_LE(caret, shown_line.size()) << column;
      if (caret < shown_line.size()) {
        ASSERT_EQ(shown_line[caret], 'x') << column << ": " << text;
      }
      ASSERT_LE(shown_marks.size(), 61u) << column;
    }
  }
}

TEST(FindingsAsText, MarksTooFarApartAreShownOneByOne) {
  const std::string line = "first" + std::string(200, '.') + "other";
  model::Finding one = finding(Code::E103, at(1, 206, 5, line, "again"), "m");
  one.related = {at(1, 1, 5, line, "here")};
  const std::string text = shown(one, 40);
  EXPECT_NE(text.find("  1 | first..."), std::string::npos) << text;
  EXPECT_NE(text.find("    | ----- here\n"), std::string::npos) << text;
  EXPECT_NE(text.find("other\n"), std::string::npos) << text;
  EXPECT_NE(text.find("^^^^^ again\n"), std::string::npos) << text;
}

TEST(FindingsAsText, NothingInAFileSteersTheTerminal) {
  model::Finding one =
      finding(Code::E102, at(1, 1, 1, "\x1b[31m: \xc2\x9b x\xe2\x80\xae y \xff", "no\x1bte"), "m\x07\nn");
  one.file = "f";
  one.help = {"h\r\x1b[2J"};
  const std::string text = finding_text(one, Style{});
  EXPECT_EQ(text,
            "f:1:1: error[E102]: m? n\n"
            "  1 | ?[31m: ? x? y ?\n"
            "    | ^ no?te\n"
            "  help: h ?[2J\n");
}

TEST(FindingsAsText, ColorOnlyRepeatsWhatIsThere) {
  FindingOptions options;
  options.style.color = true;
  options.detail = Detail::Verbose;
  std::string colored = *render_findings("text", {bad_file()}, options);
  EXPECT_NE(colored.find("\033[31;1merror[E103]\033[0m"), std::string::npos);
  EXPECT_NE(colored.find("\033[33;1mwarning[W201]\033[0m"), std::string::npos);
  std::string plain;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\033') {
      i = colored.find('m', i);
    } else {
      plain += colored[i];
    }
  }
  EXPECT_EQ(plain, text_of({bad_file()}, Detail::Verbose));
}

}  // namespace
}  // namespace quorate::report
