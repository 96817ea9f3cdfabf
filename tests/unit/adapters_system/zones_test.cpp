// The tz database of a machine: there, without a zone, and not there at all.
#include "reconciler/adapters/system/zones.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"
#include "tests/support/zone_file.h"

namespace quorate::adapters::system {
namespace {

class ZoneFolder : public testing::Test {
 protected:
  ZoneFolder() {
    ::setenv("TZDIR", folder_.path().c_str(), 1);
    std::filesystem::create_directories(folder_.path() + "/Europe");
    std::ofstream(folder_.path() + "/Europe/Amsterdam", std::ios::binary) << support::amsterdam();
  }
  ~ZoneFolder() override { ::unsetenv("TZDIR"); }

  tests::TempFolder folder_;
};

}  // namespace

TEST_F(ZoneFolder, GivesWhatAZonesFileHolds) {
  const auto file = zone_file("Europe/Amsterdam");
  ASSERT_TRUE(file && *file);
  EXPECT_EQ(**file, support::amsterdam());
}

TEST_F(ZoneFolder, HasNoOtherZonesAndLeadsNowhereElse) {
  for (const char* name : {"Europe/Amsterdan", "Europe", "Europe/Amsterdam/Zuid", "../etc/passwd", "/etc/passwd", ""}) {
    const auto file = zone_file(name);
    ASSERT_TRUE(file) << name << ": " << file.error().message;
    EXPECT_FALSE(*file) << name;
  }
}

TEST_F(ZoneFolder, IsNoAnswerWhereThereIsNoDatabase) {
  ::setenv("TZDIR", (folder_.path() + "/none").c_str(), 1);
  const auto file = zone_file("Europe/Amsterdam");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("no tz database"), std::string::npos);
  EXPECT_EQ(file.error().help, "install the package tzdata");
}

}  // namespace quorate::adapters::system
