// The wire format of protobuf, whole and broken.
#include "reconciler/base/protobuf_wire.h"

#include <string>

#include <gtest/gtest.h>

namespace quorate::base {

using namespace std::string_literals;

TEST(WireReader, ReadsFieldsOfEveryType) {
  const std::string text = "\x08\x96\x01\x12\x03xyz\x1D\x01\x00\x00\x00\x21\x02\x00\x00\x00\x00\x00\x00\x00"s;
  WireReader reader(text);
  auto field = reader.next();
  ASSERT_TRUE(field);
  EXPECT_EQ(field->field, 1U);
  EXPECT_EQ(field->number, 150U);
  field = reader.next();
  ASSERT_TRUE(field);
  EXPECT_EQ(field->type, WireType::Bytes);
  EXPECT_EQ(field->bytes, "xyz");
  field = reader.next();
  ASSERT_TRUE(field);
  EXPECT_EQ(field->type, WireType::Fixed32);
  EXPECT_EQ(field->number, 1U);
  field = reader.next();
  ASSERT_TRUE(field);
  EXPECT_EQ(field->type, WireType::Fixed64);
  EXPECT_EQ(field->number, 2U);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.broken());
}

TEST(WireReader, TellsABreakFromTheEnd) {
  const std::string endless(11, '\xFF');
  for (const std::string& text :
       {"\x08"s, "\x08\x96"s, "\x12\x04xyz"s, "\x1D\x01"s, "\x21\x01"s, "\x0B"s, "\x0C"s, "\x00\x01"s, "\x0F\x01"s,
        "\x08" + endless, endless, "\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01x"s}) {
    WireReader reader(text);
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.broken());
    EXPECT_FALSE(reader.next());
  }
}

}  // namespace quorate::base
