// The table of etcd's options in itself; tests/integration holds it against real binaries.
#include "renderers/etcd_options.h"

#include <gtest/gtest.h>

namespace quorate::renderers {
namespace {

std::optional<base::Version> version(std::string_view text) {
  return base::parse_version(text);
}

const EtcdOption& option(std::string_view name) {
  const EtcdOption* found = find_etcd_option(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

TEST(EtcdOptions, AreSortedAndEachNamedOnce) {
  const auto& all = all_etcd_options();
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].name, all[i].name);
}

TEST(EtcdOptions, AreFoundByTheirWholeNameOnly) {
  EXPECT_EQ(option("quota-backend-bytes").field, "etcd.quota");
  EXPECT_EQ(find_etcd_option("quota-backend"), nullptr);
  EXPECT_EQ(find_etcd_option("zz"), nullptr);
  EXPECT_EQ(find_etcd_option(""), nullptr);
}

TEST(EtcdOptions, AreSetByAFieldOrRefusedWithAReasonButNotBoth) {
  for (const EtcdOption& each : all_etcd_options()) {
    EXPECT_TRUE(each.field.empty() || each.refusal.empty()) << each.name;
    EXPECT_EQ(each.field.find(' '), std::string_view::npos) << each.name << " names no field";
    if (!each.refusal.empty()) {
      EXPECT_NE(each.refusal.find(' '), std::string_view::npos) << each.name << " gives no reason";
    }
  }
}

TEST(EtcdOptions, ThatAreFreeCanBeSetInTheFileOfSomeRelease) {
  for (const EtcdOption& each : all_etcd_options()) {
    if (each.is_free()) {
      EXPECT_FALSE(releases_text(each).empty()) << each.name;
    }
  }
}

TEST(EtcdOptions, AreReadFromTheFileOnlyByReleasesThatKnowThem) {
  for (const EtcdOption& each : all_etcd_options()) {
    EXPECT_EQ(each.config_key.empty(), each.config_releases == (Releases{kNever, kNever, kNever})) << each.name;
    for (std::size_t i = 0; i < kEtcdMinors; ++i) {
      if (each.config_releases[i] == kNever) continue;
      ASSERT_NE(each.releases[i], kNever) << each.name;
      EXPECT_GE(each.config_releases[i], each.releases[i]) << each.name;
    }
  }
}

TEST(EtcdOptions, HaveSuccessorsThatTheTableKnows) {
  for (const EtcdOption& each : all_etcd_options()) {
    if (!each.successor.empty()) {
      EXPECT_NE(find_etcd_option(each.successor), nullptr) << each.name;
    }
  }
}

TEST(EtcdOptions, ThatBreakPromisesAreNotFree) {
  for (const char* name :
       {"force-new-cluster", "unsafe-no-fsync", "strict-reconfig-check", "discovery", "enable-v2", "discovery-token",
        "proxy", "v2-deprecation", "initial-cluster", "initial-cluster-state", "initial-cluster-token", "config-file",
        "logger", "auto-tls", "trusted-ca-file", "data-dir"}) {
    EXPECT_FALSE(option(name).is_free()) << name;
  }
}

TEST(EtcdOptions, CameToOldMinorsInLaterPatches) {
  const EtcdOption& tls = option("tls-min-version");
  EXPECT_FALSE(has_option(tls, version("3.4.24")));
  EXPECT_TRUE(has_option(tls, version("3.4.25")));
  EXPECT_FALSE(has_option(tls, version("3.5.7")));
  EXPECT_TRUE(has_option(tls, version("3.5.8")));
  EXPECT_TRUE(has_option(tls, version("3.6.0")));
}

TEST(EtcdOptions, OfAVersionWithoutPatchAreThoseOfItsLatestRelease) {
  EXPECT_TRUE(has_option(option("experimental-compaction-sleep-interval"), version("3.5")));
  EXPECT_FALSE(has_option(option("experimental-compaction-sleep-interval"), version("3.4")));
}

TEST(EtcdOptions, WithoutAVersionAreThoseOfEveryMinor) {
  EXPECT_TRUE(has_option(option("pre-vote"), std::nullopt));
  EXPECT_TRUE(has_option(option("experimental-corrupt-check-time"), std::nullopt));
  EXPECT_FALSE(has_option(option("corrupt-check-time"), std::nullopt));
  EXPECT_FALSE(has_option(option("enable-v2"), std::nullopt));
}

TEST(EtcdOptions, OfAnUnsupportedMinorAreNone) {
  EXPECT_FALSE(has_option(option("pre-vote"), version("3.3.25")));
  EXPECT_FALSE(has_option(option("pre-vote"), version("3.7.0")));
}

TEST(EtcdOptions, ThatTheFileDoesNotReadAreForTheCommandLineOnly) {
  EXPECT_EQ(availability(option("peer-cert-allowed-cn"), version("3.4.23")), Availability::CommandLineOnly);
  EXPECT_EQ(availability(option("peer-cert-allowed-cn"), version("3.5.14")), Availability::CommandLineOnly);
  EXPECT_EQ(availability(option("peer-cert-allowed-cn"), version("3.5.15")), Availability::Here);
  EXPECT_EQ(availability(option("socket-reuse-port"), version("3.5.9")), Availability::CommandLineOnly);
  EXPECT_EQ(availability(option("max-learners"), version("3.5.16")), Availability::NotHere);
}

TEST(EtcdOptions, SayInWhichReleasesTheyAre) {
  EXPECT_EQ(releases_text(option("pre-vote")), "3.4, 3.5 and 3.6");
  EXPECT_EQ(releases_text(option("tls-min-version")), "3.4.25, 3.5.8 and 3.6");
  EXPECT_EQ(releases_text(option("max-learners")), "3.6");
  EXPECT_EQ(releases_text(option("peer-crl-file")), "");
}

}  // namespace
}  // namespace quorate::renderers
