// The forms of texts; that the schema's patterns say the same is checked in schema_test.cpp.
#include "reconciler/validate/formats.h"

#include <gtest/gtest.h>

namespace quorate::validate {
namespace {

bool takes(Format format, std::string_view text) {
  return !check_format(format, text).has_value();
}

}  // namespace

TEST(Formats, J13OverLongNamesAreRefused) {
  EXPECT_TRUE(takes(Format::DnsLabel, std::string(63, 'a')));
  EXPECT_FALSE(takes(Format::DnsLabel, std::string(64, 'a')));
  EXPECT_FALSE(takes(Format::DnsSubdomain, std::string(64, 'a')));
}

TEST(Formats, J09NamesThatAreNotDnsNamesAreRefused) {
  for (const char* name : {"", "A", "a_b", "-a", "a-", "a b", "a/b", "\xC3\xA4"}) {
    EXPECT_FALSE(takes(Format::DnsLabel, name)) << name;
    EXPECT_FALSE(takes(Format::DnsSubdomain, name)) << name;
  }
  EXPECT_TRUE(takes(Format::DnsSubdomain, "etcd-0.etcd"));
}

TEST(Formats, NothingThatEndsUpInAFileMayHoldALineBreak) {
  for (const Format format : {Format::None, Format::Path, Format::Image, Format::LabelValue, Format::Program}) {
    EXPECT_FALSE(takes(format, "a\nb"));
    EXPECT_FALSE(takes(format, "a\x7F"));
  }
  EXPECT_TRUE(takes(Format::Prose, "two\nlines"));
}

TEST(Formats, SpacesAtTheEndsAreNamed) {
  EXPECT_EQ(check_format(Format::Host, "10.0.0.1 ")->what, "has a space at its end");
  EXPECT_EQ(check_format(Format::Path, " /etc")->what, "has a space at its beginning");
}

TEST(Formats, PathsMayNotClimb) {
  EXPECT_TRUE(takes(Format::Path, "/var/lib/etcd..old"));
  for (const char* path : {"..", "../x", "/a/../b", "/a/.."}) EXPECT_FALSE(takes(Format::Path, path)) << path;
}

TEST(Formats, QuantitiesAreThoseOfKubernetes) {
  for (const char* text : {"1", "500m", "1.5", "4Gi", "2k"}) EXPECT_TRUE(takes(Format::Quantity, text)) << text;
  for (const char* text : {"", "Gi", "1g", "1.", ".5", "1.2.3", "-1"})
    EXPECT_FALSE(takes(Format::Quantity, text)) << text;
}

TEST(Formats, AnIdIsSpelledAsEtcdPrintsIt) {
  for (const Format format : {Format::MemberId, Format::ClusterId, Format::Lost}) {
    for (const char* text : {"fd422379fda50e48", "1", "91e3"}) EXPECT_TRUE(takes(format, text)) << text;
    for (const char* text : {"", "0", "0fd4", "FD42", "0xfd42", "fd422379fda50e481", "etcd-a"}) {
      EXPECT_FALSE(takes(format, text)) << text;
    }
  }
  EXPECT_TRUE(takes(Format::Lost, "never"));
  EXPECT_FALSE(takes(Format::MemberId, "never"));
}

TEST(Formats, ATimeIsUtcAndOnTheCalendar) {
  EXPECT_TRUE(takes(Format::Time, "2026-09-24T17:00:00Z"));
  for (const char* text : {"2026-09-24", "2026-09-24T17:00:00", "2026-09-24T17:00:00+02:00", "2026-02-30T17:00:00Z",
                           "17:00", "tomorrow", ""}) {
    EXPECT_FALSE(takes(Format::Time, text)) << text;
  }
}

TEST(Formats, AUnitIsAService) {
  EXPECT_TRUE(takes(Format::Unit, "etcd.service"));
  EXPECT_TRUE(takes(Format::Unit, "etcd@a.service"));
  for (const char* text : {"etcd", ".service", "a/b.service", "etcd.socket"})
    EXPECT_FALSE(takes(Format::Unit, text)) << text;
}

}  // namespace quorate::validate
