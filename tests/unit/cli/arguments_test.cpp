// Command lines: what they mean, and what we say to the wrong ones.
#include "reconciler/cli/arguments.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "reconciler/cli/password.h"

namespace quorate::cli {
namespace {

using model::ExitCode;
using testing::ElementsAre;
using testing::HasSubstr;

std::variant<Arguments, Answer> parse_words(std::vector<const char*> words) {
  words.insert(words.begin(), "quorate");
  return parse(static_cast<int>(words.size()), words.data());
}

Arguments arguments_of(const std::vector<const char*>& words) {
  auto parsed = parse_words(words);
  if (const auto* answer = std::get_if<Answer>(&parsed)) ADD_FAILURE() << answer->text;
  return std::holds_alternative<Arguments>(parsed) ? std::get<Arguments>(parsed) : Arguments{};
}

Answer answer_to(const std::vector<const char*>& words) {
  auto parsed = parse_words(words);
  return std::holds_alternative<Answer>(parsed) ? std::get<Answer>(parsed) : Answer{"it was taken", ExitCode::Ok};
}

}  // namespace

TEST(Arguments, TakesGlobalFlagsBeforeAndBehindTheCommand) {
  for (const auto& words : {std::vector<const char*>{"-o", "json", "validate", "a.yaml"},
                            std::vector<const char*>{"validate", "a.yaml", "-o", "json"}}) {
    const Arguments arguments = arguments_of(words);
    EXPECT_EQ(arguments.command, Command::Validate);
    EXPECT_EQ(arguments.output, "json");
    EXPECT_THAT(arguments.files, ElementsAre("a.yaml"));
  }
}

TEST(Arguments, TakesFilesThatLookLikeFlagsBehindTwoDashes) {
  EXPECT_THAT(arguments_of({"validate", "--", "-odd.yaml", "a.yaml"}).files, ElementsAre("-odd.yaml", "a.yaml"));
}

TEST(Arguments, TakesTheFileFromTheEnvironmentUnlessAFlagNamesOne) {
  ::setenv("QUORATE_FILE", "/tmp/environment.yaml", 1);
  EXPECT_EQ(arguments_of({"render"}).file, "/tmp/environment.yaml");
  EXPECT_EQ(arguments_of({"render", "-f", "flag.yaml"}).file, "flag.yaml");
  ::unsetenv("QUORATE_FILE");
}

TEST(Arguments, TakesIdsThatAreCalledLikeACommand) {
  EXPECT_EQ(arguments_of({"history", "show", "plan"}).topic, "plan");
  EXPECT_EQ(arguments_of({"history", "show", "plan"}).action, "show");
  EXPECT_EQ(arguments_of({"check-start", "render"}).topic, "render");
  EXPECT_EQ(arguments_of({"approve", "plan", "--print"}).topic, "plan");
}

TEST(Arguments, TakesARelativeStateDirectoryWhereItIsOnlyRead) {
  EXPECT_EQ(arguments_of({"history", "--state-dir", ".quorate"}).state_directory, ".quorate");
  EXPECT_TRUE(arguments_of({"history", "--state-dir", ".quorate"}).state_directory_given);
  EXPECT_FALSE(arguments_of({"history"}).state_directory_given);
  EXPECT_EQ(answer_to({"status", "--state-dir", ".quorate"}).code, ExitCode::Usage);
}

TEST(Arguments, KnowsWhatHistoryCanShow) {
  EXPECT_THAT(answer_to({"history", "show"}).text, HasSubstr("history show needs the ID"));
  EXPECT_THAT(answer_to({"history", "list"}).text, HasSubstr("history knows no list"));
}

TEST(Arguments, SuggestsTheCommandThatWasMeant) {
  const Answer answer = answer_to({"valdate", "a.yaml"});
  EXPECT_EQ(answer.code, ExitCode::Usage);
  EXPECT_THAT(answer.text, HasSubstr("unknown command valdate"));
  EXPECT_THAT(answer.text, HasSubstr("did you mean validate?"));
}

TEST(Arguments, SuggestsTheFlagThatWasMeant) {
  EXPECT_THAT(answer_to({"render", "--membre", "a"}).text, HasSubstr("did you mean --member?"));
  EXPECT_THAT(answer_to({"validate", "--colour=always"}).text, HasSubstr("did you mean --color?"));
  EXPECT_EQ(answer_to({"render", "--force"}).code, ExitCode::Usage);
}

TEST(Arguments, NamesTheFormatsThatACommandHas) {
  EXPECT_THAT(answer_to({"render", "-o", "sarif"}).text, HasSubstr("formats: text, json"));
  EXPECT_THAT(answer_to({"validate", "--report", "sarif"}).text, HasSubstr("FORMAT=FILE"));
  EXPECT_THAT(arguments_of({"validate", "--report", "sarif=a", "--report", "json=b", "c.yaml"}).reports,
              ElementsAre("sarif=a", "json=b"));
}

TEST(Arguments, ABootModeNeedsWhatItStandsFor) {
  EXPECT_THAT(answer_to({"render", "--boot", "new"}).text, HasSubstr("needs --token"));
  EXPECT_THAT(answer_to({"render", "--boot", "join"}).text, HasSubstr("needs --initial-cluster"));
  EXPECT_THAT(answer_to({"render", "--token", "x"}).text, HasSubstr("--boot new only"));
  EXPECT_THAT(answer_to({"render", "--boot", "again"}).text, HasSubstr("again"));
  EXPECT_EQ(arguments_of({"render", "--boot", "new", "--token", "t"}).token, "t");
}

TEST(Arguments, DirAndDiffExcludeEachOther) {
  EXPECT_EQ(answer_to({"render", "--dir", "a", "--diff", "b"}).code, ExitCode::Usage);
}

TEST(Arguments, TakesWhatEtcdctlWasToldUnlessSomethingElseIsSaid) {
  ::setenv("ETCDCTL_ENDPOINTS", "https://etcdctl:2379", 1);
  ::setenv("ETCDCTL_COMMAND_TIMEOUT", "7s", 1);
  EXPECT_EQ(arguments_of({"plan"}).endpoints, "https://etcdctl:2379");
  EXPECT_EQ(arguments_of({"plan"}).answer_timeout, "7s");
  ::setenv("QUORATE_ENDPOINTS", "https://quorate:2379", 1);
  EXPECT_EQ(arguments_of({"plan"}).endpoints, "https://quorate:2379");
  EXPECT_EQ(arguments_of({"plan", "--endpoints", "https://flag:2379"}).endpoints, "https://flag:2379");
  EXPECT_EQ(arguments_of({"plan", "--dial-timeout", "3s"}).answer_timeout, "3s");
  EXPECT_EQ(arguments_of({"plan", "--timeout", "9s"}).timeout, "9s");
  ::unsetenv("ETCDCTL_ENDPOINTS");
  ::unsetenv("ETCDCTL_COMMAND_TIMEOUT");
  ::unsetenv("QUORATE_ENDPOINTS");
}

TEST(Arguments, WhatIsShownOrExplainedMayBeCalledLikeACommand) {
  EXPECT_EQ(arguments_of({"schema", "plan"}).topic, "plan");
  EXPECT_EQ(arguments_of({"show", "plan"}).topic, "plan");
  EXPECT_EQ(arguments_of({"show", "-o", "json", "plan"}).output, "json");
}

TEST(Arguments, APlanTakesBothNamesOfItsExitCode) {
  EXPECT_TRUE(arguments_of({"plan", "--exit-code"}).exit_code);
  EXPECT_TRUE(arguments_of({"plan", "--detailed-exitcode"}).exit_code);
  EXPECT_FALSE(arguments_of({"plan"}).exit_code);
  EXPECT_THAT(arguments_of({"plan", "--assume-up", "a", "--assume-up", "b"}).assume_up, ElementsAre("a", "b"));
}

TEST(Arguments, WhatGoesWithAnObservationNeedsOne) {
  EXPECT_EQ(answer_to({"plan", "--max-age", "10m"}).code, ExitCode::Usage);
  EXPECT_EQ(answer_to({"plan", "--observed-signers", "s"}).code, ExitCode::Usage);
  EXPECT_EQ(answer_to({"plan", "--observed", "-", "-f", "-"}).code, ExitCode::Usage);
  EXPECT_THAT(answer_to({"plan", "--observed", "o", "--max-age", "10"}).text, HasSubstr("10 is no duration"));
  EXPECT_EQ(arguments_of({"plan", "--observed", "o", "--max-age", "10m"}).max_age, "10m");
}

TEST(Arguments, StdinHoldsOneThing) {
  EXPECT_EQ(answer_to({"plan", "-f", "-", "--password-file", "-"}).code, ExitCode::Usage);
  EXPECT_EQ(answer_to({"plan", "-f", "f", "--observed", "-", "--password-file", "-"}).code, ExitCode::Usage);
  EXPECT_EQ(arguments_of({"plan", "-f", "f", "--password-file", "-"}).password_file, "-");
}

TEST(Arguments, NoFileIsWrittenTwiceOrOverWhatIsRead) {
  EXPECT_THAT(answer_to({"plan", "-f", "f", "--report", "json=a", "--report", "yaml=./a"}).text,
              HasSubstr("--report and --report would both write ./a"));
  EXPECT_THAT(answer_to({"plan", "-f", "f", "--report", "json=a", "--out", "a"}).text, HasSubstr("--report and --out"));
  EXPECT_THAT(answer_to({"plan", "-f", "f", "--report", "json=f"}).text,
              HasSubstr("--report would write over f, which is read as -f"));
  EXPECT_EQ(answer_to({"validate", "f", "--report", "json=f"}).code, ExitCode::Usage);
  EXPECT_EQ(answer_to({"show", "p", "--report", "json=p"}).code, ExitCode::Usage);
  EXPECT_EQ(arguments_of({"plan", "-f", "f", "--report", "json=/dev/null", "--out", "/dev/null"}).out, "/dev/null");
}

TEST(Arguments, NobodyIsAskedWhereSomebodySaysSo) {
  EXPECT_FALSE(arguments_of({"plan"}).no_input);
  EXPECT_TRUE(arguments_of({"plan", "--no-input"}).no_input);
  ::setenv("QUORATE_NO_INPUT", "1", 1);
  EXPECT_TRUE(arguments_of({"plan"}).no_input);
  ::unsetenv("QUORATE_NO_INPUT");
}

TEST(Arguments, CiThatIsFalseIsNoCi) {
  const char* before = std::getenv("CI");
  const std::string was = before == nullptr ? "" : before;
  ::setenv("CI", "true", 1);
  EXPECT_FALSE(may_ask_people(false));
  ::setenv("CI", "false", 1);
  EXPECT_TRUE(may_ask_people(false));
  EXPECT_FALSE(may_ask_people(true));
  before == nullptr ? ::unsetenv("CI") : ::setenv("CI", was.c_str(), 1);
}

TEST(Arguments, AMemberCommandNamesItsAction) {
  EXPECT_EQ(arguments_of({"member", "list"}).topic, "list");
  EXPECT_EQ(answer_to({"member"}).code, ExitCode::Usage);
  EXPECT_EQ(answer_to({"member", "remove"}).code, ExitCode::Usage);
}

TEST(Arguments, HelpNamesEveryExitCode) {
  for (const auto& words : {std::vector<const char*>{"--help"}, std::vector<const char*>{"validate", "--help"}}) {
    const Answer answer = answer_to(words);
    EXPECT_EQ(answer.code, ExitCode::Ok);
    for (const auto& info : model::all_exit_codes()) {
      EXPECT_THAT(answer.text, HasSubstr(std::to_string(static_cast<int>(info.code)) + "  " + std::string(info.name)));
    }
  }
}

TEST(Arguments, NoCommandIsAUsageErrorThatShowsTheHelp) {
  const Answer answer = answer_to({});
  EXPECT_EQ(answer.code, ExitCode::Usage);
  EXPECT_THAT(answer.text, HasSubstr("validate"));
}

}  // namespace quorate::cli
