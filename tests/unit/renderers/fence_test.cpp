// A fence stands in etcd's configuration file as a block of its own, and goes without a trace.
#include "renderers/etcd_config/fence.h"

#include <gtest/gtest.h>

#include "renderers/etcd_config/etcd_config.h"
#include "renderers/registry.h"
#include "tests/support/desired_builder.h"

namespace quorate::renderers {
namespace {

using support::DesiredBuilder;

const FenceFiles kFiles{"/s/prod/a/fence/ca.pem", "/s/prod/a/fence/pass.pem", "/s/prod/a/fence/key.pem"};

std::string config(const model::Desired& cluster) {
  return etcd_config_text(Input{cluster, cluster.members[0], BootKeep{}, "/s/prod/a/etcd.yaml"}).value();
}

bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

model::Desired with_listener(model::TlsMode mode) {
  const bool plain = mode == model::TlsMode::Off;
  return DesiredBuilder()
      .tls(mode)
      .with([&](model::Desired& cluster) {
        base::UrlProblem problem;
        for (const char* host : {"10.0.0.11", "127.0.0.1"}) {
          const std::string url = std::string(plain ? "http://" : "https://") + host + ":2379";
          cluster.members[0].listen_client.push_back(base::parse_url(url, problem).value());
        }
      })
      .build();
}

TEST(Fence, GoesWithoutATrace) {
  for (const auto mode : {model::TlsMode::Off, model::TlsMode::Server, model::TlsMode::Mutual}) {
    const std::string open = config(with_listener(mode));
    const std::string fenced = with_fence(open, kFiles);
    EXPECT_FALSE(has_fence(open));
    EXPECT_TRUE(has_fence(fenced));
    EXPECT_EQ(without_fence(fenced), open);
    EXPECT_EQ(without_fence(open), open);
    EXPECT_EQ(with_fence(fenced, kFiles), fenced) << "twice is once";
  }
}

TEST(Fence, ListensWithTlsWhateverTheModeAndTrustsItsOwnAuthorityAlone) {
  for (const auto mode : {model::TlsMode::Off, model::TlsMode::Server, model::TlsMode::Mutual}) {
    const std::string fenced = with_fence(config(with_listener(mode)), kFiles);
    const std::string block = fenced.substr(fenced.find("\n# fence:"));
    EXPECT_NE(block.find("https://10.0.0.11:2379,https://127.0.0.1:2379"), std::string::npos) << block;
    EXPECT_EQ(block.find("http://"), std::string::npos);
    EXPECT_TRUE(has_line(block, "  client-cert-auth: true"));
    EXPECT_TRUE(has_line(block, "  trusted-ca-file: /s/prod/a/fence/ca.pem"));
    for (const char* key : {"\nlisten-client-urls:", "\nclient-transport-security:"}) {
      EXPECT_NE(fenced.find(key), std::string::npos);
      EXPECT_EQ(fenced.find(key), fenced.rfind(key)) << "a mapping may stand there once";
    }
    EXPECT_NE(fenced.find("\nadvertise-client-urls:"), std::string::npos) << "it is found where it always is";
  }
}

TEST(Fence, IsNoDrift) {
  const model::Desired cluster = with_listener(model::TlsMode::Off);
  const Boot keep = BootKeep{};
  Bundle bundle = render_member(Input{cluster, cluster.members[0], keep, "/s/prod/a/etcd.yaml"}).value();
  for (File& file : bundle.files) file.content = with_fence(file.content, kFiles);
  EXPECT_EQ(digest_of(bundle.files), bundle.digest);
}

TEST(Fence, StaysWhenTheBootModeChanges) {
  const model::Desired cluster = with_listener(model::TlsMode::Mutual);
  const std::string joining = etcd_config_text(Input{cluster, cluster.members[0], BootNew{"token"}, "/s/a"}).value();
  const std::string kept = with_boot_mode_of(with_fence(joining, kFiles), config(cluster));
  EXPECT_TRUE(has_fence(kept));
  EXPECT_EQ(without_fence(kept), config(cluster));
  EXPECT_TRUE(keeps(kept, config(cluster)));
}

}  // namespace
}  // namespace quorate::renderers
