// The rules' pages on a terminal and in the documentation, and the prose beneath them.
#include "reconciler/report/code_pages.h"

#include <string>

#include <gtest/gtest.h>

#include "reconciler/base/utf8.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

const model::CodeInfo& rule(model::Code code) {
  return model::info(code);
}

TEST(CodePages, AreReadableWithoutMarkdown) {
  const std::string text = explain_code_text(rule(model::Code::E103), Style{});
  EXPECT_EQ(text.find("error[E103]: two members share an address\n\n"), 0u);
  EXPECT_NE(text.find("\nWrong:\n\n    members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.12}\n\nRight:\n"),
            std::string::npos);
  EXPECT_EQ(text.find("```"), std::string::npos);
}

TEST(CodePages, KeepToTheWidthAndLoseNoWord) {
  for (const model::CodeInfo& one : model::all_codes()) {
    Style style;
    style.width = 60;
    const std::string text = explain_code_text(one, style);
    std::string words;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      const bool is_example = line.substr(0, 4) == "    ";
      if (!is_example) {
        EXPECT_LE(base::count_characters(line), 60u) << one.id;
      }
      words += line + " ";
    }
    const std::string advice(one.page.substr(one.page.find("What to do: ")));
    EXPECT_NE(words.find(advice.substr(0, advice.size() - 1)), std::string::npos) << one.id;
  }
}

TEST(CodePages, ColorKeepsTheBackticks) {
  Style style;
  style.color = true;
  style.width = 200;
  const std::string text = explain_code_text(rule(model::Code::E130), style);
  EXPECT_EQ(text.find("\033[31;1merror[E130]\033[0m: \033[1m"), 0u);
  EXPECT_NE(text.find("\033[36m`etcd.election`\033[0m is less than"), std::string::npos) << text;
}

TEST(CodePages, AreADocumentForPrograms) {
  const base::Json root = base::Json::parse(explain_code_json(rule(model::Code::W204)));
  EXPECT_EQ(root["kind"], "code");
  EXPECT_EQ(root["code"], "W204");
  EXPECT_EQ(root["severity"], "warning");
  EXPECT_EQ(root["page"], rule(model::Code::W204).page);
}

TEST(CodeLists, HaveARowForEachRule) {
  const std::string text = codes_text(Style{}), markdown = codes_markdown();
  for (const model::CodeInfo& one : model::all_codes()) {
    const std::string id(one.id), title(one.title);
    EXPECT_NE(text.find(id + "  " + title + "\n"), std::string::npos) << id;
    EXPECT_NE(markdown.find("| [" + id + "](#"), std::string::npos) << id;
    EXPECT_NE(markdown.find("\n## " + id + "\n"), std::string::npos) << id;
  }
}

TEST(Prose, WrapsAtWordsAndIndents) {
  EXPECT_EQ(wrapped("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrapped("unbreakableword x", 5, 0), "unbreakableword\nx\n");
  EXPECT_EQ(wrapped("", 10, 2), "");
  EXPECT_EQ(wrapped("  a \n b ", 10, 1), " a b\n");
  EXPECT_EQ(wrapped("äöü äöü", 7, 0), "äöü äöü\n");
}

TEST(Prose, CountsAndLists) {
  EXPECT_EQ(count_of(0, "file"), "0 files");
  EXPECT_EQ(count_of(1, "file"), "1 file");
  EXPECT_EQ(joined({}, "or"), "");
  EXPECT_EQ(joined({"a"}, "or"), "a");
  EXPECT_EQ(joined({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Prose, ForeignTextBecomesPrintable) {
  EXPECT_EQ(printable("a\tb\nc\rd"), "a b c d");
  EXPECT_EQ(printable("\x1b]0;x\x07"), "?]0;x?");
  EXPECT_EQ(printable("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\xe2\x80\x8bx\xe2\x81\xa6y\xef\xbb\xbf"), "?x?y?");
  EXPECT_EQ(printable_characters("\xc3(\xff").size(), 3u);
}

}  // namespace
}  // namespace quorate::report
