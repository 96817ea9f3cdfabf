// Commands that need no agent: what lies on this machine, what was done, what is in the way, what people agree to.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "reconciler/model/memory.h"
#include "tests/support/temp_folder.h"

namespace quorate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Ended {
  int code = -1;
  std::string out;  // stdout and stderr as a terminal shows them
};

class NodeCommands : public testing::Test {
 protected:
  void SetUp() override {
    write("quorate.yaml",
          "apiVersion: quorate/v1\nname: prod\nmembers: {etcd-a: 127.0.0.11, etcd-b: 127.0.0.12, etcd-c: 127.0.0.13}\n"
          "tls: {mode: \"off\"}\nstorage: {dir: data}\netcd: {binary: " +
              (folder_ / "etcd") + "}\nnetwork: {ports: {client: 61379, peer: 61380, agent: 61381}}\n");
  }

  Ended run(const std::string& words) const {
    const std::string command =
        "cd '" + folder_.path() +
        "' && env -u QUORATE_FILE -u QUORATE_STATE_DIR -u QUORATE_CONFIG '" QUORATE_BINARY "' " + words + " 2>&1";
    Ended ended;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      ended.out.append(buffer.data(), count);
    }
    const int status = ::pclose(pipe);
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ended;
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  void remember(const std::string& member, bool initialised, bool withdrawn = false) const {
    model::Memory memory;
    memory.cluster = "prod";
    memory.member = member;
    memory.initialised = initialised;
    memory.withdrawn = withdrawn;
    write(".quorate/prod/" + member + "/memory.json", model::to_json(memory));
  }

  void journal(const std::string& member, const std::string& step, const std::string& event) const {
    const std::string path = folder_ / (".quorate/prod/" + member + "/journal");
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::app) << "{\"at\":\"2026-09-24T09:00:0" << (event == "intent" ? "1" : "4")
                                       << "Z\",\"event\":\"" << event << "\",\"member\":\"" << member
                                       << "\",\"plan\":\"1a2b3c4d\",\"step\":\"" << step
                                       << "\",\"class\":\"heal\",\"desired_digest\":\"e3b0\",\"text\":\""
                                       << (event == "intent" ? "it is dead" : "") << "\"}\n";
  }

  tests::TempFolder folder_;
};

std::string golden(const std::string& name) {
  return "'" QUORATE_SOURCE_DIR "/tests/golden/plan/B03-waits-for-approval/" + name + "'";
}

}  // namespace

TEST_F(NodeCommands, AFreshMemberMayStart) {
  const Ended ended = run("check-start etcd-a");
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("etcd-a has no data yet"));
}

TEST_F(NodeCommands, AnEmptiedMemberMayNot) {
  remember("etcd-a", true);
  const Ended ended = run("check-start etcd-a");
  EXPECT_EQ(ended.code, 4) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("data/etcd-a is empty, and etcd-a had data there"));
  const Ended json = run("check-start etcd-a -o json");
  EXPECT_EQ(json.code, 4);
  EXPECT_THAT(json.out, HasSubstr("\"may_start\": false"));
  EXPECT_EQ(run("check-start etcd-b").code, 0) << "another member has a memory of its own";
}

TEST_F(NodeCommands, AMemberOutOfServiceMayNotStart) {
  remember("etcd-a", false, true);
  EXPECT_EQ(run("check-start etcd-a").code, 4);
}

TEST_F(NodeCommands, DamagedDataAreRefusedAndAMemoryThatCannotBeReadIsNoPermission) {
  write("data/etcd-a/member/wal/0000000000000000-0000000000000000.wal", std::string(4096, 'x'));
  EXPECT_EQ(run("check-start etcd-a").code, 4);
  write(".quorate/prod/etcd-b/memory.json", "{}");
  EXPECT_EQ(run("check-start etcd-b").code, 6);
}

TEST_F(NodeCommands, CheckStartNamesTheMemberThatWasMeant) {
  const Ended ended = run("check-start etcd-aa");
  EXPECT_EQ(ended.code, 64);
  EXPECT_THAT(ended.out, HasSubstr("did you mean etcd-a?"));
  EXPECT_EQ(run("check-start").code, 64);
}

TEST_F(NodeCommands, TheNodeFileSaysWhereStateAndDataAre) {
  write("agent.yaml", "apiVersion: quorate/v1\nkind: Agent\nnode: etcd-a\nstateDir: " + (folder_ / "state") +
                          "\noverrides: {storage: {dir: " + (folder_ / "nvme") + "}}\n");
  remember("etcd-a", true);
  fs::rename(folder_ / ".quorate", folder_ / "state");
  const Ended ended = run("check-start etcd-a --config agent.yaml");
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.out, HasSubstr("nvme/etcd-a is empty"));
  EXPECT_EQ(run("check-start etcd-a --config none.yaml").code, 3);
  EXPECT_EQ(run("check-start etcd-a --config quorate.yaml").code, 3);
}

TEST_F(NodeCommands, ANodeFileIsValidatedAsOneAndIsNoClusterFile) {
  write("agent.yaml", "apiVersion: quorate/v1\nkind: Agent\n");
  EXPECT_EQ(run("validate agent.yaml quorate.yaml").code, 0);
  const Ended ended = run("plan -f agent.yaml --endpoints 127.0.0.1:1");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, HasSubstr("agent.yaml is a node file"));
  write("agent.yaml", "apiVersion: quorate/v1\nkind: Agent\nmembers: {a: 10.0.0.1}\n");
  EXPECT_THAT(run("validate agent.yaml").out, HasSubstr("agent.yaml:3:1: error[E102]"));
  EXPECT_THAT(run("schema agent").out, HasSubstr("agent.schema.json"));
}

TEST_F(NodeCommands, HistoryShowsWhatAgentsDid) {
  journal("etcd-a", "remove/etcd-c@1", "intent");
  journal("etcd-a", "remove/etcd-c@1", "done");
  journal("etcd-b", "write-manifest/etcd-b@abc", "intent");
  const Ended all = run("history");
  EXPECT_EQ(all.code, 0) << all.out;
  EXPECT_THAT(all.out, HasSubstr("remove/etcd-c@1"));
  EXPECT_THAT(all.out, HasSubstr("unfinished"));
  EXPECT_THAT(run("history --member etcd-b").out, Not(HasSubstr("remove/etcd-c@1")));
  const Ended one = run("history show remove/etcd-c@1");
  EXPECT_EQ(one.code, 0);
  EXPECT_THAT(one.out, HasSubstr("it is dead"));
  EXPECT_THAT(run("history show 1a2b3c4d -o json").out, HasSubstr("\"kind\": \"history\""));
}

TEST_F(NodeCommands, HistorySaysWhereItFoundNothing) {
  const Ended none = run("history --state-dir nowhere");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.out, HasSubstr("no agent has kept a journal below"));
  journal("etcd-a", "remove/etcd-c@1", "intent");
  const Ended unknown = run("history show remove/etcd-c@2");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.out, HasSubstr("did you mean remove/etcd-c@1?"));
  EXPECT_EQ(run("history show").code, 64);
  EXPECT_EQ(run("history list").code, 64);
}

TEST_F(NodeCommands, DoctorSaysWhatIsInTheWayAndWhatToDo) {
  const Ended ended = run("doctor --command-timeout 500ms");
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("fail  etcd does not answer at http://127.0.0.11:61379"));
  EXPECT_THAT(ended.out, HasSubstr("fail  the peer port is not reached"));
  EXPECT_THAT(ended.out, HasSubstr("127.0.0.11 port 61380, for peers: free"));
  EXPECT_THAT(ended.out, HasSubstr("is on disk after"));
  EXPECT_THAT(ended.out, HasSubstr("install etcd, or name the program"));
  EXPECT_THAT(ended.out, HasSubstr("etcd-c, on this machine"));
  const Ended json = run("doctor --command-timeout 500ms -o json 2>/dev/null");
  EXPECT_EQ(json.code, 1);
  EXPECT_THAT(json.out, HasSubstr("\"exit_code\": 1"));
}

TEST_F(NodeCommands, ApprovePrintsTheEntryForAStepThatWaits) {
  const std::string seen =
      "-f " + golden("desired.yaml") + " --observed " + golden("observed.json") + " --max-age 9999d";
  EXPECT_EQ(run("plan " + seen + " --out plan.json").code, 5);
  const Ended whole = run("approve plan.json --print --by ana --for 4h");
  EXPECT_EQ(whole.code, 0) << whole.out;
  EXPECT_THAT(whole.out, HasSubstr("approvals:\n"));
  EXPECT_THAT(whole.out, HasSubstr("by: ana"));
  EXPECT_EQ(run("approve no-such/step --print " + seen).code, 1);
}

}  // namespace quorate
