// What ci/up says one may try is tried, word for word, on the file that it says it of.
#include <chrono>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/integration/etcd_process.h"
#include "tests/integration/process.h"

namespace quorate {
namespace {

using integration::Ended;
using integration::Json;
using integration::Seconds;

constexpr Seconds kPatience{90};

bool eventually(const std::function<bool()>& wanted) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!wanted()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // between two looks at something that has no event
  }
  return true;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  ASSERT_NE(text.find(from), std::string::npos) << from;
  text.replace(text.find(from), from.size(), to);
}

class Up : public testing::Test {
 protected:
  // desired/local.yaml at addresses and ports of this test, without a pause between members.
  void SetUp() override {
    std::string text = integration::read_file(std::string(QUORATE_SOURCE_DIR) + "/desired/local.yaml");
    for (int number = 1; number <= 3; ++number) {
      ASSERT_NO_FATAL_FAILURE(replace(text, "127.0.0.1" + std::to_string(number), integration::own_address(number)));
    }
    ASSERT_NO_FATAL_FAILURE(replace(text, "soak: 5s", "soak: 0s"));
    const std::string port = std::to_string(client_port_);
    text += "network: {ports: {client: " + port + ", peer: " + std::to_string(integration::free_port(3)) +
            ", agent: " + std::to_string(integration::free_port(3)) + "}}\n";
    integration::write_file(file(), text);
  }
  void TearDown() override {
    // Who is killed leaves its members; these have been stopped by up itself.
    if (!HasFailure()) return;
    for (const char* each : {"etcd-a", "etcd-b", "etcd-c"}) shell("pkill -9 -f " + config(each));
  }

  std::string file() const { return folder_ / "local.yaml"; }
  std::string config(const std::string& member) const { return folder_ / (".quorate/local/" + member + "/etcd.yaml"); }
  Ended quorate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), QUORATE_BINARY);
    return integration::run({arguments, {}});
  }
  bool settles() const {
    return eventually([&] {
      return quorate({"wait", "--for", "synced", "--timeout", "10s", "-f", file()}).exit_code == 0;
    });
  }

  // Out of a file: a shell that has it on its own command line would be found by pgrep.
  Ended shell(const std::string& script) const {
    integration::write_file(folder_ / "script", script);
    return integration::run({{"bash", folder_ / "script"}, {}});
  }
  // The text of ci/up as bash prints it, with the places of this test; its commands stand deeper than all else.
  std::vector<std::string> commands() const {
    const std::string up = integration::read_file(std::string(QUORATE_SOURCE_DIR) + "/ci/up");
    const std::size_t begin = up.find("cat <<TEXT");
    const std::size_t end = up.find("\nTEXT\n", begin);
    const std::string places = "file=" + file() + "\nstate=" + (folder_ / ".quorate") + "\n";
    const Ended shown = shell(places + up.substr(begin, end - begin) + "\nTEXT\n");
    std::vector<std::string> all;
    std::istringstream lines(shown.output);
    for (std::string line; std::getline(lines, line);) {
      if (line.compare(0, 7, "       ") == 0) all.push_back(line.substr(7));
    }
    return all;
  }

  std::string pid_of(const std::string& member) const { return shell("pgrep -f " + config(member)).output; }
  std::string id_of(const std::string& member) const {
    const integration::Etcdctl ctl{
        "3.5.16", "http://" + integration::own_address(1) + ":" + std::to_string(client_port_), {}};
    const Ended listed = ctl({"member", "list"});
    std::istringstream lines(listed.output);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(", " + member + ", ") != std::string::npos) return line.substr(0, line.find(','));
    }
    return "";
  }
  bool has(const std::string& member, const std::string& text) const {
    return std::filesystem::exists(config(member)) &&
           integration::read_file(config(member)).find(text) != std::string::npos;
  }

  const int client_port_ = integration::free_port(3);
  integration::TempDir folder_;
};

TEST_F(Up, TheThreeThingsToTryDoWhatCiUpSaysOfThem) {
  const std::vector<std::string> tries = commands();
  ASSERT_EQ(tries.size(), 3U);
  const std::string etcd = integration::tool_path("etcd-3.5.16/usr/bin/etcd");
  integration::Process up({{"env", "PATH=" + etcd.substr(0, etcd.rfind('/')) + ":/usr/bin:/bin", QUORATE_BINARY, "up",
                            "--create", "-f", file()},
                           {}});
  ASSERT_TRUE(settles()) << up.log();

  ASSERT_EQ(shell(tries[0]).exit_code, 0);
  EXPECT_TRUE(eventually([&] { return has("etcd-a", "4294967296") && has("etcd-c", "4294967296"); })) << up.log();
  ASSERT_TRUE(settles()) << up.log();

  const std::string pid = pid_of("etcd-b");
  ASSERT_FALSE(pid.empty());
  ASSERT_EQ(shell(tries[1]).exit_code, 0);
  EXPECT_TRUE(eventually([&] { return !pid_of("etcd-b").empty() && pid_of("etcd-b") != pid; })) << up.log();
  ASSERT_TRUE(settles()) << up.log();

  const std::string id = id_of("etcd-c");
  ASSERT_FALSE(id.empty());
  ASSERT_EQ(shell(tries[2]).exit_code, 0);
  EXPECT_TRUE(eventually([&] { return !id_of("etcd-c").empty() && id_of("etcd-c") != id; })) << up.log();
  ASSERT_TRUE(settles()) << up.log();

  const std::string ours = shell("pgrep -f -- '--create -f " + file() + "'").output;
  ASSERT_EQ(shell("kill -INT " + ours).exit_code, 0);
  EXPECT_TRUE(up.wait_for_exit(Seconds{60})) << up.log();
  for (const char* each : {"etcd-a", "etcd-b", "etcd-c"}) EXPECT_EQ(pid_of(each), "") << "it stops its members";
}

}  // namespace
}  // namespace quorate
