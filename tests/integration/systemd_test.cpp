// Rendered units in front of systemd's own checks. They exit 0 on an unknown key, so what they print is what counts.
#include <iostream>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/etcd_process.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::integration {
namespace {

// systemd's own words: up to 2.0 is "OK", and an ordinary service without any sandbox has 9.6.
constexpr double kMostExposure = 2.0;

class Systemd : public testing::Test {
 protected:
  // The unit of member a, with an etcd that exists.
  std::string unit(const std::string& blocks = {}) const {
    const RenderedCluster cluster(
        "apiVersion: quorate/v1\nname: lab\nmembers: {a: 10.0.0.1}\netcd: {version: \"3.5.16\", binary: " +
            etcd_program("3.5.16") + "}\nruntime: {type: systemd, unit: lab-etcd.service}\n" + blocks,
        "/var/lib/quorate");
    const auto files = cluster.render("systemd", cluster.member("a"), renderers::BootKeep{});
    EXPECT_EQ(files.size(), 1u);
    EXPECT_EQ(files.front().path, "/etc/systemd/system/lab-etcd.service");
    return files.front().content;
  }

  Ended analyze(const std::string& text, const std::vector<std::string>& arguments) const {
    const std::string path = folder_ / "lab-etcd.service";
    write_file(path, text);
    std::vector<std::string> all = {"systemd-analyze"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.push_back(path);
    return run({all, {"SYSTEMD_LOG_LEVEL=notice"}});
  }

  // Everything that `systemd-analyze verify` has to say.
  std::string verify(const std::string& text) const {
    const Ended ended = analyze(text, {"verify", "--man=no"});
    return ended.output + ended.errors + (ended.exit_code == 0 ? "" : "and it failed");
  }

  TempDir folder_;
};

TEST_F(Systemd, HasNothingToSayAboutAUnit) {
  EXPECT_EQ(verify(unit()), "");
}

// Etcd outlives the agent, and the agent is one that says when it is ready and that it lives.
TEST_F(Systemd, HasNothingToSayAboutTheAgentsOwnUnit) {
  std::string text = read_file(std::string(QUORATE_SOURCE_DIR) + "/desired/quorate-agent.service.in");
  for (const char* line : {"Type=notify", "KillMode=process", "Delegate=yes", "Restart=always"}) {
    EXPECT_NE(text.find(std::string("\n") + line + "\n"), std::string::npos) << line;
  }
  EXPECT_TRUE(std::regex_search(text, std::regex("\nWatchdogSec=[0-9]+\n")));
  const std::string folder = "@CMAKE_INSTALL_FULL_BINDIR@/quorate";
  const std::size_t at = text.find(folder);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(verify(text.replace(at, folder.size(), "/bin/true")), "");
}

TEST_F(Systemd, HasNothingToSayAboutAUnitWithOddPaths) {
  EXPECT_EQ(verify(unit("storage: {dir: \"/srv/100% et$d/it's\", wal: /home/etcd/wal}\ntls: {mode: \"off\"}\n")), "");
}

TEST_F(Systemd, HasNothingToSayAboutAUnitOnALowPort) {
  EXPECT_EQ(verify(unit("network: {ports: {client: 379, peer: 380}}\n")), "");
}

// The judge itself, since it exits 0 whatever it finds.
TEST_F(Systemd, WouldNameAnUnknownKeyAndAProgramThatIsNotThere) {
  std::string text = unit();
  const std::string section = "[Service]\n";
  const std::string unknown = std::string(text).insert(text.find(section) + section.size(), "NoNewPrivilege=yes\n");
  EXPECT_NE(verify(unknown).find("Unknown key 'NoNewPrivilege'"), std::string::npos);
  const std::string program = etcd_program("3.5.16");
  text.replace(text.find(program), program.size(), "/nowhere/etcd");
  EXPECT_NE(verify(text).find("/nowhere/etcd is not executable"), std::string::npos);
}

TEST_F(Systemd, FindsALittleExposedUnit) {
  const Ended ended = analyze(unit(), {"security", "--offline=true", "--no-pager"});
  std::smatch match;
  ASSERT_TRUE(std::regex_search(ended.output, match, std::regex("Overall exposure level for .*: ([0-9.]+) ")))
      << ended.output << ended.errors;
  std::cout << "exposure " << match[1] << "\n";
  EXPECT_LE(std::stod(match[1]), kMostExposure) << ended.output;
}

}  // namespace
}  // namespace quorate::integration
