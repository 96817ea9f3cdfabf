// The JSON document and the workflow commands: field names, numbers and escapes that scripts rely on.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/base/yaml_text.h"
#include "reconciler/report/findings.h"
#include "tests/unit/report/bad_file.h"

namespace quorate::report {
namespace {

using base::Json;
using model::Code;
using test::at;
using test::bad_file;
using test::finding;

Json json_of(const std::vector<FileResult>& results) {
  return Json::parse(*render_findings("json", results, {}));
}

std::string github_of(const model::Finding& one) {
  return *render_findings("github", {FileResult{one.file, {one}, {}}}, {});
}

TEST(Formats, AreListedAndUnknownOnesAreRefused) {
  EXPECT_EQ(finding_formats(), (std::vector<std::string_view>{"text", "json", "github", "sarif", "junit"}));
  for (const std::string_view format : finding_formats()) EXPECT_TRUE(render_findings(format, {bad_file()}, {}));
  for (const char* unknown : {"", "yaml", "TEXT", "text "}) EXPECT_FALSE(render_findings(unknown, {bad_file()}, {}));
}

TEST(Formats, EndInALineBreakAndStandEmptyInput) {
  for (const std::string_view format : finding_formats()) {
    const std::string text = *render_findings(format, {bad_file()}, {});
    EXPECT_EQ(text.back(), '\n') << format;
    EXPECT_TRUE(render_findings(format, {}, {})) << format;
  }
}

TEST(FindingsAsJson, TheEnvelopeNamesFormatKindAndExitCode) {
  const Json root = json_of({bad_file(), {"good.yaml", {}, "s"}});
  EXPECT_EQ(root["format_version"], "1.0");
  EXPECT_EQ(root["kind"], "validation");
  EXPECT_EQ(root["exit_code"], 3);
  EXPECT_EQ(root["summary"], (Json{{"errors", 6}, {"warnings", 1}, {"files", 2}}));
  ASSERT_EQ(root["files"].size(), 2u);
  EXPECT_EQ(root["files"][0]["valid"], false);
  EXPECT_EQ(root["files"][1], (Json{{"file", "good.yaml"}, {"valid", true}, {"findings", Json::array()}}));
}

TEST(FindingsAsJson, AFindingHasExactlyTheFieldsOfTheContract) {
  const Json root = json_of({bad_file()});
  EXPECT_EQ(root["files"][0]["findings"][1].dump(),
            R"json({"code":"E103","severity":"error","message":"etcd-b and etcd-c have the same address",)json"
            R"json("line":7,"column":11,"end_column":20,"path":"members.etcd-c.address",)json"
            R"json("expected":"an address no other member uses",)json"
            R"json("related":[{"line":6,"column":11,"end_column":20,"note":"first used here"}],)json"
            R"json("help":["etcd-c was 10.0.0.13 in the last applied commit (4be1d27)"]})json");
}

TEST(FindingsAsJson, WarningsAloneAreValidAndExitZero) {
  const Json root = json_of({{"a", {finding(Code::W201, at(1, 1, 1, "x", ""), "m")}, {}}});
  EXPECT_EQ(root["exit_code"], 0);
  EXPECT_EQ(root["files"][0]["valid"], true);
  EXPECT_EQ(root["files"][0]["findings"][0]["severity"], "warning");
}

TEST(FindingsAsJson, AFindingOfTheWholeFileHasNoPlace) {
  const Json root = json_of({{"a", {finding(Code::E001, {}, "m")}, {}}});
  const Json& one = root["files"][0]["findings"][0];
  EXPECT_TRUE(one["line"].is_null() && one["column"].is_null() && one["end_column"].is_null());
}

TEST(FindingsAsJson, ForeignBytesNeverBreakTheDocument) {
  const Json root = json_of({{"a\xff.yaml", {finding(Code::E004, at(1, 1, 1, "\xff", "\xfe"), "\x80\x01")}, {}}});
  EXPECT_EQ(root["files"][0]["file"], "a\xEF\xBF\xBD.yaml");
}

TEST(FindingsAsGithub, FollowTheContract) {
  const std::string text = *render_findings("github", {bad_file()}, {});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "::warning file=bad.quorate.yaml,line=4,col=1,endColumn=8,title=W201::4 voters survive 1 failure, the same "
            "as 3, and need one more vote for every write. Expected 3 or 5 voters (etcd-a, etcd-b, etcd-c, etcd-d).");
  EXPECT_NE(text.find("::error file=bad.quorate.yaml,line=7,col=11,endColumn=20,title=E103::etcd-b and etcd-c have the "
                      "same address. Expected an address no other member uses.%0Ahelp: etcd-c was"),
            std::string::npos);
  EXPECT_NE(text.find("unknown key \"quotta\" in etcd. Did you mean \"quota\"?\n"), std::string::npos);
}

TEST(FindingsAsGithub, EscapesMoreInPropertiesThanInData) {
  model::Finding one = finding(Code::E102, {}, "100% a,b: c\r\nd");
  one.file = "a,b:c%\n.yaml";
  EXPECT_EQ(github_of(one), "::error file=a%2Cb%3Ac%25%0A.yaml,title=E102::100%25 a,b: c%0D%0Ad\n");
}

TEST(FindingsAsGithub, AreSilentWhenAllIsWell) {
  EXPECT_EQ(*render_findings("github", {FileResult{"a", {}, {}}}, {}), "");
}

}  // namespace
}  // namespace quorate::report
