// The binary as people use it: what it prints, what it writes, how it ends.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <sys/wait.h>

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
  for (const char* command : {"validate", "render", "schema", "explain", "completion", "man", "version"}) {
    EXPECT_THAT(ended.out, HasSubstr(".SS " + std::string(command)));
  }
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
