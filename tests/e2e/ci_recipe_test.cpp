// The lines of desired/ci/ that call quorate do what they say, on a repository like the one they are written for.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reconciler/base/time.h"
#include "reconciler/model/signed_observation.h"
#include "tests/integration/process.h"
#include "tests/support/golden.h"
#include "tests/support/plan_case.h"

namespace quorate {
namespace {

using integration::Ended;
using testing::StartsWith;

// Lines of a recipe that call quorate, as a shell would run them.
std::vector<std::string> calls_of(const std::string& recipe) {
  const std::string text = integration::read_file(std::string(QUORATE_SOURCE_DIR) + "/desired/ci/" + recipe);
  std::vector<std::string> calls;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t call = line.find("quorate ");
    if (call == std::string::npos || line.find('#') < call) continue;
    calls.push_back(line.substr(call));
  }
  return calls;
}

class CiRecipe : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto golden = support::golden_path("plan") / "C01-replaces-an-emptied-member";
    integration::write_file(folder_ / "clusters/prod/quorate.yaml", support::text_of(golden / "desired.yaml"));
    integration::write_file(folder_ / "key/made", "");
    ASSERT_EQ(
        integration::run({{"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder_ / "key/ops"}, {}}).exit_code,
        0);
    integration::write_file(folder_ / "clusters/prod/signers", "ops namespaces=\"quorate-observation\" " +
                                                                   integration::read_file(folder_ / "key/ops.pub"));
    observation_ = nlohmann::ordered_json::parse(support::text_of(golden / "observed.json"));
  }

  void publish(base::Time at) {
    observation_["at"] = base::to_string(at);
    const std::string text = observation_.dump();
    integration::write_file(folder_ / "observation", text);
    ASSERT_EQ(integration::run({{"ssh-keygen", "-Y", "sign", "-n", "quorate-observation", "-f", folder_ / "key/ops",
                                 folder_ / "observation"},
                                {}})
                  .exit_code,
              0);
    integration::write_file(folder_ / "observed.json",
                            model::signed_observation(text, integration::read_file(folder_ / "observation.sig")));
    std::filesystem::remove(folder_ / "observation.sig");
  }

  Ended run(const std::string& call) const {
    const std::string binary = QUORATE_BINARY;
    const std::string path = binary.substr(0, binary.rfind('/'));
    return integration::run({{"sh", "-c", "cd '" + folder_.path() + "' && PATH='" + path + "':$PATH && " + call}, {}});
  }

  integration::TempDir folder_;
  nlohmann::ordered_json observation_;
};

// The commands of the step of a workflow that is called `name`, as its shell gets them.
std::string script_of(const std::string& name) {
  const std::string text = integration::read_file(std::string(QUORATE_SOURCE_DIR) + "/desired/ci/github.yml");
  const std::string mark = "        run: |\n";
  const std::string pad(10, ' ');
  std::string script;
  for (std::size_t at = text.find(mark, text.find("- name: " + name + "\n")) + mark.size(); at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, pad.size(), pad) != 0) break;
    script += text.substr(at + pad.size(), end - at - pad.size()) + "\n";
    at = end + 1;
  }
  return script;
}

base::Time now() {
  return std::chrono::floor<base::Duration>(std::chrono::system_clock::now());
}

}  // namespace

TEST_P(CiRecipe, ValidatesAndPlansWithoutTheCluster) {
  publish(now());
  const auto calls = calls_of(GetParam());
  ASSERT_EQ(calls.size(), 2U);
  const Ended validated = run(calls[0]);
  EXPECT_EQ(validated.exit_code, 0) << validated.output << validated.errors;
  const Ended planned = run(calls[1]);
  EXPECT_EQ(planned.exit_code, GetParam() == "github.yml" ? 0 : 2) << planned.output << planned.errors;
  EXPECT_THAT(integration::read_file(folder_ / "plan.md"), StartsWith("<!-- quorate:plan cluster=prod -->\n"));
  const auto plan = nlohmann::json::parse(integration::read_file(folder_ / "plan.json"));
  EXPECT_EQ(plan["exit_code"], 2);
  EXPECT_EQ(plan["applicable"], false);
}

TEST_P(CiRecipe, FailsWhereTheObservationIsOld) {
  publish(now() - std::chrono::minutes{30});
  EXPECT_NE(run(calls_of(GetParam()).back()).exit_code, 0);
}

// gh is a script that writes down how it was called; what it finds of earlier comments is in a file.
TEST(CiComment, EditsTheOneWithItsMarkAndNoOther) {
  const integration::TempDir folder;
  integration::write_file(folder / "bin/gh",
                          "#!/bin/sh\necho \"$*\" >> calls\n"
                          "case \"$*\" in *--jq*) printf '%s' \"$MARK\" > mark; cat found ;; esac\n",
                          0755);
  integration::write_file(folder / "plan.md", "<!-- quorate:plan cluster=prod -->\n### prod\n");
  integration::write_file(folder / "comment.sh", script_of("comment"));
  const auto called = [&](const std::string& found) {
    std::filesystem::remove(folder / "calls");
    integration::write_file(folder / "found", found);
    const Ended ended = integration::run({{"sh", "-c",
                                           "cd '" + folder.path() +
                                               "' && PATH=\"$PWD/bin:$PATH\" GITHUB_REPOSITORY=us/prod PULL=7 "
                                               "sh -e comment.sh"},
                                          {}});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return integration::read_file(folder / "calls");
  };
  EXPECT_THAT(called("41\n42\n"), testing::HasSubstr("PATCH repos/us/prod/issues/comments/41 -F body=@plan.md"));
  EXPECT_EQ(integration::read_file(folder / "mark"), "<!-- quorate:plan cluster=prod -->");
  const std::string first = called("");
  EXPECT_THAT(first, testing::HasSubstr("pr comment 7 --body-file plan.md"));
  EXPECT_THAT(first, testing::Not(testing::HasSubstr("PATCH")));
}

INSTANTIATE_TEST_SUITE_P(Recipes, CiRecipe, testing::Values("github.yml", "gitlab.yml"),
                         [](const auto& each) { return each.param.substr(0, each.param.find('.')); });

}  // namespace quorate
