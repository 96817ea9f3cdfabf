// What a member runs with: boot modes, TLS, sizes and flags.
#include "renderers/etcd_settings.h"

#include <map>

#include <gtest/gtest.h>

#include "tests/support/desired_builder.h"

namespace quorate::renderers {
namespace {

using model::TlsMode;
using support::DesiredBuilder;

base::Result<std::vector<EtcdSetting>> settings_of(const model::Desired& cluster, const Boot& boot = BootKeep{},
                                                   std::size_t member = 0) {
  return etcd_settings(Input{cluster, cluster.members[member], boot, "/var/lib/quorate/prod/a/etcd.yaml"});
}

// By option; texts of a list are joined by a blank.
std::map<std::string, std::string> texts_of(const model::Desired& cluster, const Boot& boot = BootKeep{},
                                            std::size_t member = 0) {
  std::map<std::string, std::string> texts;
  const auto settings = settings_of(cluster, boot, member);
  EXPECT_TRUE(settings) << settings.error().message;
  for (const EtcdSetting& setting : *settings) {
    std::string& text = texts[std::string(setting.option->name)];
    EXPECT_TRUE(text.empty()) << setting.option->name << " is set twice";
    for (const std::string& each : setting.texts) text += (text.empty() ? "" : " ") + each;
  }
  return texts;
}

TEST(EtcdSettings, OfANewClusterNameAllMembersAndTheToken) {
  const auto texts = texts_of(DesiredBuilder().build(), BootNew{"prod-77"});
  EXPECT_EQ(texts.at("initial-cluster-state"), "new");
  EXPECT_EQ(texts.at("initial-cluster"), "a=https://10.0.0.11:2380,b=https://10.0.0.12:2380,c=https://10.0.0.13:2380");
  EXPECT_EQ(texts.at("initial-cluster-token"), "prod-77");
}

TEST(EtcdSettings, OfANewClusterDoNotDependOnTheOrderOfMembersAndUrls) {
  const auto swapped = [](model::Desired& cluster) {
    cluster.members[1].peer_urls = {{"https", "10.0.0.12", 2390}, {"https", "10.0.0.12", 2380}};
    std::swap(cluster.members[0], cluster.members[2]);
  };
  EXPECT_EQ(texts_of(DesiredBuilder().with(swapped).build(), BootNew{"t"}).at("initial-cluster"),
            "a=https://10.0.0.11:2380,b=https://10.0.0.12:2380,b=https://10.0.0.12:2390,c=https://10.0.0.13:2380");
}

TEST(EtcdSettings, OfANewClusterNeedAToken) {
  EXPECT_EQ(settings_of(DesiredBuilder().build(), BootNew{""}).error().kind, base::ErrorKind::Invalid);
}

TEST(EtcdSettings, OfAJoiningMemberTakeTheInitialClusterAsItWasGiven) {
  const std::string given = "b=https://10.0.0.12:2380,=https://10.0.0.14:2380,a=https://10.0.0.11:2380";
  const auto texts = texts_of(DesiredBuilder().build(), BootJoin{given});
  EXPECT_EQ(texts.at("initial-cluster-state"), "existing");
  EXPECT_EQ(texts.at("initial-cluster"), given);
  EXPECT_EQ(texts.count("initial-cluster-token"), 0u);
}

TEST(EtcdSettings, OfAJoiningMemberAreRefusedWhereEtcdWouldNotLetItIn) {
  const model::Desired cluster = DesiredBuilder().build();
  EXPECT_EQ(settings_of(cluster, BootJoin{"b=https://10.0.0.12:2380"}).error().message,
            "the initial cluster lacks a=https://10.0.0.11:2380, so etcd would not let this member in");
  EXPECT_FALSE(settings_of(cluster, BootJoin{"a=https://10.0.0.11:2381"}));
  EXPECT_FALSE(settings_of(cluster, BootJoin{"b=https://10.0.0.11:2380"}));
  EXPECT_FALSE(settings_of(cluster, BootJoin{"a=http://10.0.0.11:2380"}));
}

TEST(EtcdSettings, OfAJoiningMemberNeedEachOfItsUrls) {
  const auto two = [](model::Desired& cluster) {
    cluster.members[0].peer_urls = {{"https", "10.0.0.11", 2380}, {"https", "10.0.0.11", 2390}};
  };
  const model::Desired cluster = DesiredBuilder().with(two).build();
  EXPECT_FALSE(settings_of(cluster, BootJoin{"a=https://10.0.0.11:2380"}));
  EXPECT_TRUE(settings_of(cluster, BootJoin{"a=https://10.0.0.11:2390,a=https://10.0.0.11:2380"}));
}

TEST(EtcdSettings, OfAJoiningMemberAreRefusedWhenTheInitialClusterDoesNotParse) {
  const model::Desired cluster = DesiredBuilder().build();
  EXPECT_EQ(settings_of(cluster, BootJoin{"a=https://10.0.0.11:2380,nonsense"}).error().message,
            "the initial cluster has \"nonsense\", which is not name=url");
  EXPECT_EQ(settings_of(cluster, BootJoin{"a=https://10.0.0.11"}).error().message,
            "the initial cluster has \"a=https://10.0.0.11\", whose URL has no port");
  EXPECT_FALSE(settings_of(cluster, BootJoin{""}));
}

TEST(EtcdSettings, OfAMemberThatKeepsItsDirectoryNameItAlone) {
  const auto texts = texts_of(DesiredBuilder().build(), BootKeep{}, 1);
  EXPECT_EQ(texts.at("initial-cluster-state"), "existing");
  EXPECT_EQ(texts.at("initial-cluster"), "b=https://10.0.0.12:2380");
  EXPECT_EQ(texts.count("initial-cluster-token"), 0u);
}

TEST(EtcdSettings, OfIpv6PutTheAddressInBrackets) {
  const auto six = [](model::Desired& cluster) { cluster.members[0].peer_urls = {{"https", "fd00::1", 2380}}; };
  const model::Desired cluster = DesiredBuilder().with(six).build();
  EXPECT_EQ(texts_of(cluster).at("initial-cluster"), "a=https://[fd00::1]:2380");
  EXPECT_TRUE(settings_of(cluster, BootJoin{"a=https://[fd00:0::1]:2380"}));
}

TEST(EtcdSettings, OfMutualTlsAskEverybodyForCertificates) {
  const auto texts = texts_of(DesiredBuilder().tls(TlsMode::Mutual).build());
  EXPECT_EQ(texts.at("cert-file"), "/etc/quorate/pki/server.crt");
  EXPECT_EQ(texts.at("key-file"), "/etc/quorate/pki/server.key");
  EXPECT_EQ(texts.at("trusted-ca-file"), "/etc/quorate/pki/ca.crt");
  EXPECT_EQ(texts.at("client-cert-auth"), "true");
  EXPECT_EQ(texts.at("peer-cert-file"), "/etc/quorate/pki/peer.crt");
  EXPECT_EQ(texts.at("peer-key-file"), "/etc/quorate/pki/peer.key");
  EXPECT_EQ(texts.at("peer-trusted-ca-file"), "/etc/quorate/pki/peer-ca.crt");
  EXPECT_EQ(texts.at("peer-client-cert-auth"), "true");
}

TEST(EtcdSettings, OfServerTlsAskOnlyMembersForCertificates) {
  const auto texts = texts_of(DesiredBuilder().tls(TlsMode::Server).build());
  EXPECT_EQ(texts.count("cert-file"), 1u);
  EXPECT_EQ(texts.count("trusted-ca-file"), 0u);
  EXPECT_EQ(texts.count("client-cert-auth"), 0u);
  EXPECT_EQ(texts.at("peer-client-cert-auth"), "true");
}

TEST(EtcdSettings, WithoutTlsNameNoFiles) {
  for (const auto& [name, text] : texts_of(DesiredBuilder().tls(TlsMode::Off).build())) {
    EXPECT_EQ(name.find("-file"), std::string::npos) << name;
    EXPECT_EQ(name.find("cert"), std::string::npos) << name;
  }
}

TEST(EtcdSettings, AreInTheUnitsOfEtcd) {
  const auto texts = texts_of(DesiredBuilder().tuned().build());
  EXPECT_EQ(texts.at("quota-backend-bytes"), "8589934592");
  EXPECT_EQ(texts.at("heartbeat-interval"), "250");
  EXPECT_EQ(texts.at("election-timeout"), "2500");
  EXPECT_EQ(texts.at("auto-compaction-mode"), "periodic");
  EXPECT_EQ(texts.at("auto-compaction-retention"), "168h");
}

TEST(EtcdSettings, OfCompactionByRevisionAreANumber) {
  const auto texts =
      texts_of(DesiredBuilder()
                   .with([](model::Desired& cluster) {
                     cluster.etcd.auto_compaction = model::AutoCompaction{model::CompactionMode::Revision, {}, 10000};
                   })
                   .build());
  EXPECT_EQ(texts.at("auto-compaction-mode"), "revision");
  EXPECT_EQ(texts.at("auto-compaction-retention"), "10000");
}

TEST(EtcdSettings, LeaveToEtcdWhatTheFileDoesNotSay) {
  const auto texts = texts_of(DesiredBuilder().build());
  for (const char* name : {"quota-backend-bytes", "heartbeat-interval", "election-timeout", "snapshot-count",
                           "log-level", "metrics", "auto-compaction-mode", "wal-dir", "listen-metrics-urls"}) {
    EXPECT_EQ(texts.count(name), 0u) << name;
  }
  EXPECT_EQ(texts.at("strict-reconfig-check"), "true");
  EXPECT_EQ(texts.at("logger"), "zap");
}

TEST(EtcdSettings, HaveOnlyFlagsOfTheirVersion) {
  const auto flagged = [] { return DesiredBuilder().flag("max-learners", {"2"}).flag("pre-vote", {"true"}); };
  EXPECT_EQ(texts_of(flagged().version("3.6.1").build()).count("max-learners"), 1u);
  EXPECT_EQ(texts_of(flagged().version("3.5.16").build()).count("max-learners"), 0u);
  EXPECT_EQ(texts_of(flagged().build()).count("max-learners"), 0u);
  EXPECT_EQ(texts_of(flagged().build()).count("pre-vote"), 1u);
}

TEST(EtcdSettings, RefuseFlagsThatWouldSayTwoThingsAboutOneKey) {
  EXPECT_EQ(settings_of(DesiredBuilder().flag("name", {"x"}).build()).error().message, "etcd.flags may not set name");
  EXPECT_FALSE(settings_of(DesiredBuilder().flag("force-new-cluster", {"true"}).build()));
  EXPECT_EQ(settings_of(DesiredBuilder().flag("prevote", {"true"}).build()).error().message,
            "etcd has no option prevote");
  EXPECT_FALSE(settings_of(DesiredBuilder().flag("pre-vote", {"maybe"}).build()));
}

}  // namespace
}  // namespace quorate::renderers
