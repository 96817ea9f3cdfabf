// Excerpts: bounded, masked, and with the caret where the place is.
#include "reconciler/model/excerpt.h"

#include <gtest/gtest.h>

namespace quorate::model {
namespace {

char at_caret(const Excerpt& excerpt) {
  return excerpt.line.at(static_cast<std::size_t>(excerpt.caret) - 1);
}

}  // namespace

TEST(Excerpt, ShowsAShortLineWhole) {
  const Source source("f", "a: 1\nb: 2\r\n", "/");
  const Excerpt excerpt = model::excerpt(source, {{2, 4}, 1});
  EXPECT_EQ(excerpt.line, "b: 2");
  EXPECT_EQ(at_caret(excerpt), '2');
}

TEST(Excerpt, CutsALongLineAroundThePlace) {
  const Source source("f", std::string(300, 'a') + "X" + std::string(300, 'b'), "/");
  const Excerpt excerpt = model::excerpt(source, {{1, 301}, 1});
  EXPECT_LT(excerpt.line.size(), 250U);
  EXPECT_EQ(at_caret(excerpt), 'X');
  EXPECT_EQ(excerpt.line.substr(0, 3), "...");
  EXPECT_EQ(excerpt.line.substr(excerpt.line.size() - 3), "...");
}

TEST(Excerpt, DoesNotShowALineOfAMegabyte) {
  const Source source("f", std::string(1000000, 'a'), "/");
  EXPECT_EQ(model::excerpt(source, {{1, 500000}, 1}).line, "");
}

TEST(Excerpt, ReplacesWhatCouldSteerATerminal) {
  const Source source("f", "a: \x1b[31mred", "/");
  EXPECT_EQ(model::excerpt(source, {{1, 1}, 1}).line, "a:  [31mred");
}

TEST(Excerpt, OfAByteOrderMarkShowsNothing) {
  const Source source("f", "\xEF\xBB\xBFname: prod", "/");
  EXPECT_EQ(source.line(1), "name: prod");
}

}  // namespace quorate::model
