// The configuration file and the environment: whose they are, and how values are quoted.
#include "renderers/etcd_config/etcd_config.h"

#include <gtest/gtest.h>

#include "renderers/environment/environment.h"
#include "tests/support/desired_builder.h"

namespace quorate::renderers {
namespace {

using support::DesiredBuilder;

const Boot kKeep = BootKeep{};

File config_of(const model::Desired& cluster) {
  return render_etcd_config(Input{cluster, cluster.members[0], kKeep, "/s/prod/a/etcd.yaml"}).value().front();
}

std::string config_in(const model::Desired& cluster, const Boot& boot) {
  return etcd_config_text(Input{cluster, cluster.members[0], boot, "/s/prod/a/etcd.yaml"}).value();
}

TEST(EtcdConfig, IsReadableByItsMemberAlone) {
  const File file = config_of(DesiredBuilder().systemd().build());
  EXPECT_EQ(file.path, "/s/prod/a/etcd.yaml");
  EXPECT_EQ(file.mode, 0600);
  EXPECT_EQ(file.owner, "etcd");
  EXPECT_EQ(config_of(DesiredBuilder().build()).owner, "");
  const auto as_root = [](auto& cluster) { std::get<model::SystemdRuntime>(cluster.runtime).user = "root"; };
  EXPECT_EQ(config_of(DesiredBuilder().systemd().with(as_root).build()).owner, "");
}

TEST(EtcdConfig, SaysFirstThatItIsNoPlaceForChanges) {
  EXPECT_EQ(config_of(DesiredBuilder().build())
                .content.rfind("# written by quorate for member a of cluster prod; changes here are put back\n", 0),
            0u);
}

TEST(EtcdConfig, QuotesNamesThatYamlWouldReadAsSomethingElse) {
  const auto renamed = [](model::Desired& cluster) { cluster.members[0].name = "on"; };
  EXPECT_NE(config_of(DesiredBuilder().with(renamed).build()).content.find("\nname: \"on\"\n"), std::string::npos);
}

TEST(EtcdConfig, HasEachMappingOnce) {
  const std::string text = config_of(DesiredBuilder()
                                         .version("3.6")
                                         .flag("peer-skip-client-san-verification", {"true"})
                                         .flag("client-cert-allowed-hostname", {"x.example.com"})
                                         .build())
                               .content;
  for (const char* key : {"\nclient-transport-security:\n", "\npeer-transport-security:\n"}) {
    EXPECT_NE(text.find(key), std::string::npos);
    EXPECT_EQ(text.find(key), text.rfind(key));
  }
  EXPECT_NE(text.find("  skip-client-san-verification: true\n"), std::string::npos);
}

TEST(EtcdConfig, SaysKeepOnlyInModeKeep) {
  const model::Desired cluster = DesiredBuilder().build();
  const std::string kept = config_in(cluster, BootKeep{});
  EXPECT_TRUE(keeps(kept, kept));
  EXPECT_FALSE(keeps(config_in(cluster, BootNew{"prod-d1"}), kept));
  EXPECT_FALSE(keeps(config_in(cluster, BootJoin{"a=https://10.0.0.11:2380,b=https://10.0.0.12:2380"}), kept));
  EXPECT_FALSE(keeps("", kept));
  EXPECT_FALSE(keeps("name: a\n", kept));
}

TEST(EtcdConfig, KeepIsToldWhateverElseTheFileSays) {
  const std::string kept = config_in(DesiredBuilder().build(), BootKeep{});
  const std::string other = config_in(DesiredBuilder().tuned().build(), BootKeep{});
  ASSERT_NE(other, kept);
  EXPECT_TRUE(keeps(other, kept));
}

TEST(EtcdConfig, TakesTheBootModeOfAnotherAndKeepsTheRest) {
  const model::Desired old = DesiredBuilder().tuned().build();
  const std::string kept = config_in(DesiredBuilder().build(), BootKeep{});
  for (const Boot& boot :
       {Boot{BootNew{"prod-d1"}}, Boot{BootJoin{"a=https://10.0.0.11:2380,b=https://10.0.0.12:2380"}}, kKeep}) {
    const std::string text = with_boot_mode_of(config_in(old, boot), kept);
    EXPECT_EQ(text, config_in(old, BootKeep{}));
    EXPECT_TRUE(keeps(text, kept));
    EXPECT_EQ(without_boot_mode(text), without_boot_mode(config_in(old, boot)));
  }
}

TEST(EtcdConfig, AFileThatSomebodyHasCutGetsItsBootModeToo) {
  const std::string kept = config_in(DesiredBuilder().build(), BootKeep{});
  for (const char* text : {"", "name: a", "name: a\n", "initial-cluster-state: new"}) {
    EXPECT_TRUE(keeps(with_boot_mode_of(text, kept), kept)) << text;
  }
  EXPECT_EQ(with_boot_mode_of("name: a\n", kept).substr(0, 8), "name: a\n");
}

TEST(Environment, StandsBesideTheConfigurationFile) {
  const model::Desired cluster = DesiredBuilder().build();
  const File file =
      render_environment(Input{cluster, cluster.members[0], kKeep, "/s/prod/a/etcd.yaml"}).value().front();
  EXPECT_EQ(file.path, "/s/prod/a/etcd.env");
  EXPECT_EQ(file.mode, 0600);
}

TEST(Environment, IsQuotedForShellsAndSystemdAlike) {
  EXPECT_EQ(quote_for_environment("plain"), "\"plain\"");
  EXPECT_EQ(quote_for_environment(""), "\"\"");
  EXPECT_EQ(quote_for_environment("a b'c#d;e"), "\"a b'c#d;e\"");
  EXPECT_EQ(quote_for_environment("$x `y` \"z\" \\"), "\"\\$x \\`y\\` \\\"z\\\" \\\\\"");
}

}  // namespace
}  // namespace quorate::renderers
