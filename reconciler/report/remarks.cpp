// Remarks as workflow commands, SARIF and JUnit.
#include "reconciler/report/remarks.h"

#include <algorithm>
#include <set>

#include "reconciler/base/digest.h"
#include "reconciler/report/escapes.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using base::Json;

std::string github_word(Remark::Level level) {
  if (level == Remark::Level::Error) return "error";
  return level == Remark::Level::Warning ? "warning" : "notice";
}

std::string sarif_word(Remark::Level level) {
  return level == Remark::Level::Note ? "note" : github_word(level);
}

Json sarif_result(const Remark& remark) {
  Json result = Json::object();
  result["ruleId"] = printable(remark.id);
  result["level"] = sarif_word(remark.level);
  result["message"] = {{"text", printable(remark.title + ". " + remark.text)}};
  // Code scanning refuses results without a place; the first line stands for the file.
  Json place = {{"artifactLocation", {{"uri", sarif_uri(remark.file.empty() ? "quorate.yaml" : remark.file)}}},
                {"region", {{"startLine", remark.line > 0 ? remark.line : 1}}}};
  result["locations"] = Json::array();
  result["locations"].push_back({{"physicalLocation", std::move(place)}});
  // Neither line nor values: an alert stays the same alert while they change.
  result["partialFingerprints"] = {
      {"quorate/v1", base::sha256_hex(remark.id + '\0' + remark.object + '\0' + remark.file)}};
  return result;
}

}  // namespace

Remark remark_of(const model::Notice& notice, const std::string& file) {
  Remark remark;
  remark.level = notice.level == model::Notice::Level::Info       ? Remark::Level::Note
                 : notice.level == model::Notice::Level::Critical ? Remark::Level::Error
                                                                  : Remark::Level::Warning;
  remark.id = notice.code;
  remark.object = notice.object + " " + notice.field;
  remark.title = notice.text;
  remark.text = difference_words(notice);
  if (!notice.help.empty()) remark.text += (remark.text.empty() ? "help: " : "\nhelp: ") + notice.help;
  remark.file = notice.file.empty() ? file : notice.file;
  remark.line = notice.line;
  return remark;
}

std::string remarks_github(const std::vector<Remark>& remarks) {
  std::string text;
  for (const Remark& remark : remarks) {
    text += "::" + github_word(remark.level) + " ";
    if (!remark.file.empty()) text += "file=" + github_property(remark.file) + ",";
    if (remark.line > 0) text += "line=" + std::to_string(remark.line) + ",";
    text += "title=" + github_property(printable_verbatim(remark.id)) +
            "::" + github_text(printable_verbatim(remark.title));
    for (std::size_t at = 0; at < remark.text.size();) {
      const std::size_t end = std::min(remark.text.find('\n', at), remark.text.size());
      text += github_text("\n") + github_text(printable_verbatim(remark.text.substr(at, end - at)));
      at = end + 1;
    }
    text += "\n";
  }
  return text;
}

std::string remarks_sarif(const std::vector<Remark>& remarks, std::string_view tool_version) {
  Json driver = {{"name", "quorate"}};
  if (!tool_version.empty()) driver["semanticVersion"] = tool_version;
  driver["rules"] = Json::array();
  std::set<std::string> rules;
  for (const Remark& remark : remarks) {
    if (!rules.insert(remark.id).second) continue;
    driver["rules"].push_back({{"id", printable(remark.id)}, {"shortDescription", {{"text", printable(remark.id)}}}});
  }
  Json run = {{"tool", {{"driver", std::move(driver)}}}, {"columnKind", "unicodeCodePoints"}};
  run["results"] = Json::array();
  for (const Remark& remark : remarks) run["results"].push_back(sarif_result(remark));
  Json root = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  root["runs"] = Json::array();
  root["runs"].push_back(std::move(run));
  return document(root);
}

std::string remarks_junit(const std::vector<Remark>& remarks, std::string_view command, std::string_view suite) {
  std::string cases;
  std::size_t failures = 0;
  for (const Remark& remark : remarks) {
    cases += "    <testcase" + xml_attribute("classname", printable(suite)) +
             xml_attribute("name", printable(remark.id + " " + remark.title)) + ">\n";
    if (remark.level == Remark::Level::Note) {
      cases += "      <system-out>" + xml_body(remark.text) + "</system-out>\n";
    } else {
      ++failures;
      cases += "      <failure" + xml_attribute("type", printable(remark.id)) +
               xml_attribute("message", printable(remark.title)) + ">" + xml_body(remark.text) + "</failure>\n";
    }
    cases += "    </testcase>\n";
  }
  std::size_t tests = remarks.size();
  if (failures == 0) {
    ++tests;
    cases += "    <testcase" + xml_attribute("classname", printable(suite)) + xml_attribute("name", "ok") + "/>\n";
  }
  const std::string counts = xml_attribute("tests", std::to_string(tests)) +
                             xml_attribute("failures", std::to_string(failures)) + " errors=\"0\"";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + xml_attribute("name", command) + counts +
         ">\n  <testsuite" + xml_attribute("name", printable(suite)) + counts + " skipped=\"0\">\n" + cases +
         "  </testsuite>\n</testsuites>\n";
}

}  // namespace quorate::report
