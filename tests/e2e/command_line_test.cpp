// The binary as people use it: what it prints, what it writes, how it ends.
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace quorate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Ended {
  int code = -1;
  std::string out;  // stdout and stderr as a terminal shows them
};

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "quorate-e2e-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(directory_); }

  Ended run(const std::string& words) const {
    const std::string command = "cd '" + directory_.string() + "' && env -u QUORATE_FILE " + environment_ + " '" +
                                QUORATE_BINARY "' " + words + " 2>&1";
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

  void write(const std::string& name, const std::string& text) const { std::ofstream(directory_ / name) << text; }
  std::string read(const std::string& name) const {
    std::ifstream stream(directory_ / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write_minimal() const {
    write("quorate.yaml",
          "apiVersion: quorate/v1\nname: prod\nmembers: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}\n");
  }

  // A file and an observation of a cluster in which something is to be done.
  std::string plan_words() const {
    const fs::path golden = QUORATE_SOURCE_DIR "/tests/golden/plan/C01-replaces-an-emptied-member";
    fs::copy_file(golden / "desired.yaml", directory_ / "quorate.yaml", fs::copy_options::overwrite_existing);
    fs::copy_file(golden / "observed.json", directory_ / "observed.json", fs::copy_options::overwrite_existing);
    return "plan --observed observed.json --max-age 999999h";
  }

  fs::path directory_;
  std::string environment_;
};

std::string desired(const std::string& name) {
  return "'" QUORATE_SOURCE_DIR "/desired/" + name + "'";
}

}  // namespace

TEST_F(CommandLine, ValidatesTheFileOfTheFolderItStandsIn) {
  write_minimal();
  const Ended ended = run("validate");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "1 file is valid. Nothing was contacted.\n");
}

TEST_F(CommandLine, EveryExampleIsValid) {
  for (const auto& entry : fs::directory_iterator(QUORATE_SOURCE_DIR "/desired")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(run("validate '" + entry.path().string() + "'").out, "1 file is valid. Nothing was contacted.\n")
        << entry.path();
  }
}

TEST_F(CommandLine, ReportsAllFilesAtOnceAndEndsWithThree) {
  write_minimal();
  write("bad.yaml", "apiVersion: quorate/v1\nname: prod\nmembers: {a: 10.0.0.1}\nquotta: 1\n");
  const Ended ended = run("validate bad.yaml quorate.yaml missing.yaml");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, HasSubstr("bad.yaml:4:1: error[E102]"));
  EXPECT_THAT(ended.out, HasSubstr("missing.yaml: error[E001]: cannot open missing.yaml: No such file or directory"));
  EXPECT_THAT(ended.out, HasSubstr("2 errors in 2 of 3 files"));
}

TEST_F(CommandLine, ReadsStdin) {
  const Ended ended = run("validate - < " + desired("local.yaml"));
  EXPECT_EQ(ended.code, 0);
}

TEST_F(CommandLine, WritesReportsBesideTheResult) {
  write("bad.yaml", "apiVersion: quorate/v1\nname: prod\n");
  const Ended ended = run("validate bad.yaml -o github --report sarif=out/a.sarif --report junit=b.xml");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, HasSubstr("::error file=bad.yaml,line=1,col=1"));
  EXPECT_THAT(read("out/a.sarif"), HasSubstr("\"E100\""));
  EXPECT_THAT(read("b.xml"), HasSubstr("<testsuites"));
}

TEST_F(CommandLine, ChecksTheFileOfTheFlagAndTheOthers) {
  write_minimal();
  write("bad.yaml", "name: prod\n");
  EXPECT_EQ(run("validate -f bad.yaml quorate.yaml").code, 3);
}

TEST_F(CommandLine, AReportGoesThroughASymlinkAndIntoADevice) {
  write_minimal();
  write("real.json", "old");
  fs::create_symlink("real.json", directory_ / "link.json");
  EXPECT_EQ(run("validate --report json=link.json --report junit=/dev/null").code, 0);
  EXPECT_TRUE(fs::is_symlink(directory_ / "link.json"));
  EXPECT_THAT(read("real.json"), HasSubstr("\"exit_code\": 0"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(CommandLine, AnEmptyDirectoryIsAVariableThatWasNotSet) {
  write_minimal();
  EXPECT_EQ(run("render --diff ''").code, 64);
  EXPECT_EQ(run("render --dir ''").code, 64);
}

TEST_F(CommandLine, AConfigurationThatOthersMayReadIsADifference) {
  write_minimal();
  run("render --dir out");
  fs::permissions(directory_ / "out/members/etcd-a/var/lib/quorate/prod/etcd-a/etcd.yaml", fs::perms::others_read,
                  fs::perm_options::add);
  const Ended ended = run("render --diff out");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.out, HasSubstr("has mode 0604, wanted 0600"));
}

TEST_F(CommandLine, AFormatFromTheEnvironmentIsAWishForTheCommandsThatHaveIt) {
  write_minimal();
  environment_ = "QUORATE_OUTPUT=sarif";
  EXPECT_EQ(run("man").code, 0);
  EXPECT_THAT(run("validate").out, HasSubstr("2.1.0"));
}

TEST_F(CommandLine, AReportThatCannotBeWrittenIsAFailure) {
  write_minimal();
  EXPECT_EQ(run("validate --report json=/proc/no/such.json").code, 1);
}

TEST_F(CommandLine, AResultThatCannotBeWrittenIsAFailure) {
  write_minimal();
  EXPECT_EQ(run("validate >/dev/full").code, 1);
}

TEST_F(CommandLine, ColorsOnlyWhenAskedTo) {
  write("bad.yaml", "name: prod\n");
  EXPECT_THAT(run("validate bad.yaml").out, Not(HasSubstr("\033[")));
  EXPECT_THAT(run("validate bad.yaml --color always").out, HasSubstr("\033["));
  environment_ = "FORCE_COLOR=1";
  EXPECT_THAT(run("validate bad.yaml").out, HasSubstr("\033["));
  environment_ = "FORCE_COLOR=1 NO_COLOR=1";
  EXPECT_THAT(run("validate bad.yaml").out, Not(HasSubstr("\033[")));
  EXPECT_THAT(run("validate bad.yaml --color always").out, HasSubstr("\033["));
}

TEST_F(CommandLine, RendersOneFileAsItIs) {
  write_minimal();
  const Ended ended = run("render --member etcd-a");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("\ninitial-cluster-state: existing\n"));
  EXPECT_THAT(ended.out, Not(HasSubstr("# etcd-a: /var/lib")));
}

TEST_F(CommandLine, RendersIntoADirectoryOnceAndFindsDifferencesLater) {
  write_minimal();
  EXPECT_THAT(run("render --dir out").out, HasSubstr("3 of 3 files written"));
  EXPECT_THAT(run("render --dir out").out, HasSubstr("0 of 3 files written"));
  const fs::path file = directory_ / "out/members/etcd-b/var/lib/quorate/prod/etcd-b/etcd.yaml";
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(run("render --diff out").code, 0);

  std::ofstream(file, std::ios::app) << "quota-backend-bytes: 1\n";
  fs::create_directories(directory_ / "out/members/etcd-z");
  std::ofstream(directory_ / "out/members/etcd-z/old.yaml") << "left over\n";
  const Ended ended = run("render --diff out");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.out, HasSubstr("\n-quota-backend-bytes: 1\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n-left over\n"));
}

TEST_F(CommandLine, RefusesToRenderAnInvalidFile) {
  write("quorate.yaml", "apiVersion: quorate/v1\nname: prod\n");
  const Ended ended = run("render");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, HasSubstr("E100"));
}

TEST_F(CommandLine, RefusesAJoinThatDoesNotNameTheMember) {
  write_minimal();
  const Ended ended = run("render --member etcd-a --boot join --initial-cluster etcd-b=https://10.0.0.12:2380");
  EXPECT_EQ(ended.code, 64);
  EXPECT_THAT(ended.out, HasSubstr("etcd-a"));
}

TEST_F(CommandLine, RendersNothingForMembersThatNoAgentManages) {
  const Ended all = run("render --boot new --token t -f " + desired("adopt.yaml"));
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, HasSubstr("# cp-0: "));
  EXPECT_THAT(all.out, HasSubstr("boot-0=https://10.9.0.1:2380"));  // a peer like any other
  EXPECT_THAT(all.out, Not(HasSubstr("# boot-0: ")));
  const Ended one = run("render --member boot-0 -f " + desired("adopt.yaml"));
  EXPECT_EQ(one.code, 64);
  EXPECT_THAT(one.out, HasSubstr("no agent manages boot-0"));
}

TEST_F(CommandLine, WarnsOfAPasswordThatEverybodyCanSee) {
  const Ended ended = run("member list --endpoints 127.0.0.1:1 --user root:secret");
  EXPECT_EQ(ended.code, 6);
  EXPECT_THAT(ended.out, HasSubstr("--password-file"));
  EXPECT_THAT(ended.out, Not(HasSubstr("secret")));
}

TEST_F(CommandLine, AsksNobodyForAPasswordWhereNobodyIs) {
  const Ended ended = run("member list --endpoints 127.0.0.1:1 --user root < /dev/null");
  EXPECT_EQ(ended.code, 64);
  EXPECT_THAT(ended.out, HasSubstr("--password-file"));
}

TEST_F(CommandLine, LookingNeedsAnEndpoint) {
  EXPECT_EQ(run("member list").code, 64);
  EXPECT_EQ(run("plan").code, 64);
}

TEST_F(CommandLine, ShowsNothingThatIsNoPlan) {
  write("plan.json", "{\"kind\": \"observation\"}");
  EXPECT_EQ(run("show plan.json").code, 3);
  EXPECT_EQ(run("show missing.json").code, 1);
}

TEST_F(CommandLine, SavedPlansAreForTheirOwnerAlone) {
  write_minimal();
  EXPECT_EQ(run("plan --endpoints 127.0.0.1:1 --out plan.json").code, 6);
  EXPECT_EQ(static_cast<int>(fs::status(directory_ / "plan.json").permissions()), 0600);
  EXPECT_EQ(run("show plan.json").code, 0);
  EXPECT_THAT(run("show plan.json").out, HasSubstr("127.0.0.1:1: connection refused"));
}

TEST_F(CommandLine, NamesTheMemberThatWasMeant) {
  write_minimal();
  const Ended ended = run("render --member etcd-aa");
  EXPECT_EQ(ended.code, 64);
  EXPECT_THAT(ended.out, HasSubstr("did you mean etcd-a?"));
}

TEST_F(CommandLine, ExplainsFieldsAndCodes) {
  EXPECT_THAT(run("explain etcd.quota").out, HasSubstr("NOSPACE"));
  EXPECT_THAT(run("explain e103").out, HasSubstr("E103"));
  EXPECT_THAT(run("explain exit-codes").out, HasSubstr("64"));
  const Ended unknown = run("explain etcd.quotta");
  EXPECT_EQ(unknown.code, 64);
  EXPECT_THAT(unknown.out, HasSubstr("did you mean etcd.quota?"));
}

TEST_F(CommandLine, SaysWhereAValueComesFrom) {
  write_minimal();
  EXPECT_THAT(run("explain members.etcd-b --origin").out, HasSubstr("10.0.0.12  (quorate.yaml:3:38)"));
  EXPECT_THAT(run("explain members.etcd-b.address --origin").out, HasSubstr("10.0.0.12  (quorate.yaml:3:38)"));
  EXPECT_THAT(run("explain network.ports.client --origin").out,
              HasSubstr("2379  (default; quorate.yaml does not say it)"));
}

TEST_F(CommandLine, PrintsTheSchemaThatEditorsUse) {
  EXPECT_THAT(run("schema").out, HasSubstr("\"http://json-schema.org/draft-07/schema#\""));
  EXPECT_EQ(run("schema cluster").out, run("schema").out);
  EXPECT_THAT(run("schema observation").out, HasSubstr("observation.schema.json"));
  EXPECT_THAT(run("schema plan").out, HasSubstr("plan.schema.json"));
  EXPECT_THAT(run("schema agent").out, HasSubstr("agent.schema.json"));
  EXPECT_EQ(run("schema plan -o markdown").code, 64);
  EXPECT_EQ(run("schema weather").code, 64);
}

TEST_F(CommandLine, CompletionScriptsAreValidInTheirShells) {
  EXPECT_EQ(run("completion bash | bash -n").out, "");
  const Ended bash =
      run("completion bash > c.bash && bash -c '. ./c.bash; COMP_WORDS=(quorate ren); COMP_CWORD=1; _quorate; "
          "echo ${COMPREPLY[@]}'");
  EXPECT_EQ(bash.out, "render\n");
  EXPECT_THAT(run("completion fish").out, HasSubstr("complete -c quorate"));
  EXPECT_THAT(run("completion zsh").out, HasSubstr("#compdef quorate"));
}

TEST_F(CommandLine, TheManPageNamesEveryCommand) {
  const Ended ended = run("man");
  for (const char* command : {"validate", "render", "schema", "explain", "completion", "man", "version", "check-start",
                              "history", "doctor", "approve"}) {
    EXPECT_THAT(ended.out, HasSubstr(".SS " + std::string(command)));
  }
}

TEST_F(CommandLine, APlanIsWrittenThroughWhateverItsNameStandsFor) {
  const std::string plan = plan_words();
  EXPECT_EQ(run(plan + " --out /dev/null").code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_directory(directory_ / "real");
  for (const char* old : {"old", ""}) {
    if (*old != '\0') write("real/plan.json", old);
    fs::create_symlink("real/plan.json", directory_ / "link.json");
    EXPECT_EQ(run(plan + " --out link.json").code, 0);
    EXPECT_TRUE(fs::is_symlink(directory_ / "link.json"));
    EXPECT_THAT(read("real/plan.json"), HasSubstr("\"plan\"")) << (*old == '\0' ? "a link to nothing" : old);
    EXPECT_EQ(fs::status(directory_ / "real/plan.json").permissions(), fs::perms::owner_read | fs::perms::owner_write);
    fs::remove(directory_ / "link.json");
    fs::remove(directory_ / "real/plan.json");
  }
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  run("version; cat pipe > got & '" QUORATE_BINARY "' " + plan + " --out pipe; wait");
  EXPECT_TRUE(fs::is_fifo(directory_ / "pipe"));
  EXPECT_THAT(read("got"), HasSubstr("\"plan\""));
}

TEST_F(CommandLine, AnObservationForAFileIsAsOpenAsTheUmaskLeavesIt) {
  const std::string observe = " observe --endpoints http://127.0.0.1:1 --out ";
  EXPECT_EQ(run("version; umask 077; '" QUORATE_BINARY "'" + observe + "seen.json").code, 6);
  EXPECT_EQ(fs::status(directory_ / "seen.json").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(run(observe + "/dev/null").code, 6);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(CommandLine, AReportThatIsStdoutStandsBesideTheResult) {
  run(plan_words() + " --report markdown=/dev/stdout > both");
  EXPECT_THAT(read("both"), testing::AllOf(HasSubstr("<!-- quorate:plan"), HasSubstr("Plan: ")));
  EXPECT_THAT(run(plan_words() + " --report markdown=-").out, HasSubstr("<!-- quorate:plan"));
  EXPECT_FALSE(fs::exists(directory_ / "-"));
}

TEST_F(CommandLine, WrongEndpointsAreNamedWithoutTheirSecrets) {
  for (const char* wrong : {"http://root:se/cret@10.0.0.1:2379", "root:secret@10.0.0.1:2379", "ftp://10.0.0.1:2379",
                            "http://10.0.0.1", "unix:///tmp/x", "10.0.0.1:99999"}) {
    const Ended ended = run("member list --endpoints '" + std::string(wrong) + "'");
    EXPECT_EQ(ended.code, 64) << wrong << ended.out;
    EXPECT_THAT(ended.out, testing::AllOf(Not(HasSubstr("cret")), Not(HasSubstr("root")))) << wrong;
  }
  EXPECT_THAT(run("member list --endpoints http://u:p@10.0.0.1:2379").out,
              HasSubstr("the address 10.0.0.1:2379 names a user"));
}

TEST_F(CommandLine, ACertificateNeedsItsKey) {
  EXPECT_EQ(run("member list --endpoints https://127.0.0.1:1 --cert c").code, 64);
  EXPECT_EQ(run("member list --endpoints https://127.0.0.1:1 --key k").code, 64);
}

TEST_F(CommandLine, AnObservationThatIsNotThereIsNoLook) {
  write_minimal();
  EXPECT_EQ(run("plan --observed missing.json").code, 6);
  const Ended folder = run("plan --observed .");
  EXPECT_EQ(folder.code, 6);
  EXPECT_THAT(folder.out, HasSubstr("cannot read .: Is a directory"));
  write("bad.json", "{");
  EXPECT_EQ(run("plan --observed bad.json").code, 3);
}

TEST_F(CommandLine, WhatCannotBeCheckedIsNotUntrusted) {
  plan_words();
  const Ended unsigned_one = run("plan --observed observed.json --observed-signers quorate.yaml");
  EXPECT_EQ(unsigned_one.code, 9) << unsigned_one.out;
  auto json = read("observed.json");
  write("text", json);
  EXPECT_EQ(
      run("version; ssh-keygen -q -t ed25519 -N '' -f key; ssh-keygen -q -Y sign -n quorate-observation -f key text")
          .code,
      0);
  const auto escaped = [](const std::string& text) {
    std::string result;
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c == '\n' ? "\\n" : std::string(1, c);
    }
    return result;
  };
  write("signed.json", R"({"format_version":"1.0","kind":"signed-observation","signature":")" +
                           escaped(read("text.sig")) + R"(","observation":")" + escaped(json) + "\"}");
  EXPECT_EQ(run("plan --observed signed.json --observed-signers missing").code, 64);
  write("signers", "ops " + read("key.pub"));
  environment_ = "TMPDIR=/nowhere";
  EXPECT_EQ(run("plan --observed signed.json --observed-signers signers").code, 1);
  environment_ = "";
  EXPECT_EQ(run("plan --observed signed.json --observed-signers signers --max-age 99999h").code, 0);
}

TEST_F(CommandLine, NobodyToAssumeIsNoLook) {
  write_minimal();
  environment_ = "QUORATE_ENDPOINTS=http://127.0.0.1:1";
  EXPECT_EQ(run("plan --assume-up etcd-a").code, 6);
}

TEST_F(CommandLine, ACommandWithoutAResultEndsWithADocument) {
  const auto expect_document = [&](const std::string& words, int code) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.code, code) << words;
    EXPECT_THAT(ended.out, testing::AllOf(HasSubstr("\"kind\": \"error\""), HasSubstr("\"message\": "),
                                          HasSubstr("\"exit_code\": " + std::to_string(code))))
        << words;
  };
  write("quorate.yaml", "name: prod\n");
  for (const char* command : {"plan", "status", "drift", "observe"}) {
    expect_document(command + std::string(" -o json"), 3);
    expect_document(command + std::string(" --no-such -ojson"), 64);
  }
  write_minimal();
  expect_document("plan -o json --endpoints http://u@h:1", 64);
  expect_document("plan --observed missing --output=json", 6);
  EXPECT_THAT(run("plan --observed missing").out, Not(HasSubstr("{")));
}

TEST_F(CommandLine, OldObservationsAreOldForEveryCommand) {
  plan_words();
  for (const char* words : {"status", "member list", "drift", "plan"}) {
    const Ended ended = run(words + std::string(" --observed observed.json --max-age 1h"));
    EXPECT_EQ(ended.code, 6) << words;
    EXPECT_THAT(ended.out, testing::ContainsRegex("at most[ \n]+1h[ \n]+is[ \n]+allowed")) << words;
  }
  EXPECT_EQ(run("plan --observed observed.json --max-age 0s").code, 6);
}

TEST_F(CommandLine, APromptThatIsInterruptedLeavesTheTerminalAsItWas) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const int person = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(person, 0);
  std::array<int, 2> talk{};
  ASSERT_EQ(::pipe(talk.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(person, 0);
    ::dup2(talk[1], 2);
    ::close(talk[0]);
    ::unsetenv("CI");
    ::signal(SIGINT, SIG_DFL);
    ::execl(QUORATE_BINARY, "quorate", "member", "list", "--endpoints", "http://127.0.0.1:1", "--user", "root",
            nullptr);
    ::_exit(127);
  }
  ::close(talk[1]);
  std::string said;
  char c = 0;
  while (said.find("Password of root: ") == std::string::npos && ::read(talk[0], &c, 1) == 1) said += c;
  const auto echoes = [&] {
    termios now{};
    ::tcgetattr(person, &now);
    return (now.c_lflag & ECHO) != 0;
  };
  EXPECT_FALSE(echoes()) << said;
  ::kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_TRUE(echoes());
  for (const int each : {terminal, person, talk[0]}) ::close(each);
}

TEST_F(CommandLine, AWrongCommandLineIsNeverTakenForDrift) {
  EXPECT_EQ(run("").code, 64);
  EXPECT_EQ(run("plna").code, 64);
  EXPECT_EQ(run("validate --no-such-flag").code, 64);
  EXPECT_EQ(run("validate").code, 64);
}

TEST_F(CommandLine, PrintsItsVersion) {
  EXPECT_THAT(run("version").out, HasSubstr("quorate 0."));
}

}  // namespace quorate
