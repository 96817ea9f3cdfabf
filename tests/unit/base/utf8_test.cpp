// Which bytes are UTF-8, and how many characters they make.
#include "reconciler/base/utf8.h"

#include <gtest/gtest.h>

namespace quorate::base {

TEST(Utf8, TakesEveryLengthOfCharacter) {
  EXPECT_FALSE(first_invalid_utf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"));
  EXPECT_EQ(count_characters("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), 4U);
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(first_invalid_utf8("ab\xFF"), 2U);
  EXPECT_EQ(first_invalid_utf8("a\xC3"), 1U);             // cut off
  EXPECT_EQ(first_invalid_utf8("\xC0\xAF"), 0U);          // overlong
  EXPECT_EQ(first_invalid_utf8("\xED\xA0\x80"), 0U);      // surrogate
  EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // beyond Unicode
}

}  // namespace quorate::base
