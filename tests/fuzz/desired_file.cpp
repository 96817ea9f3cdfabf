// The whole pure road, bytes to files, with the laws that need no knowledge of the text.
#include "tests/fuzz/desired_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "reconciler/base/check.h"
#include "reconciler/base/utf8.h"
#include "reconciler/load/load.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/finding.h"
#include "reconciler/model/source.h"
#include "reconciler/report/findings.h"
#include "reconciler/validate/validate.h"
#include "renderers/registry.h"

namespace quorate::fuzz {
namespace {

using model::Code;
using model::Desired;
using model::Excerpt;
using model::Finding;

const std::string kName = "cluster.yaml";

struct Outcome {
  std::optional<Desired> desired;
  std::vector<Finding> findings;
};

Outcome judge(std::string_view bytes) {
  load::LoadResult loaded = load::load(model::Source(kName, std::string(bytes), "/etc/quorate"));
  Outcome outcome{std::nullopt, std::move(loaded.findings)};
  // Silence about a file that gave no tree would read as "valid".
  QUORATE_CHECK(loaded.spec || model::has_errors(outcome.findings));
  if (!loaded.spec) return outcome;

  validate::ValidateResult validated = validate::validate(*loaded.spec);
  QUORATE_CHECK(validated.desired.has_value() == !model::has_errors(validated.findings));
  for (Finding& finding : validated.findings) outcome.findings.push_back(std::move(finding));
  if (!model::has_errors(outcome.findings)) outcome.desired = std::move(validated.desired);
  return outcome;
}

bool is_text(std::string_view text) {
  return !base::first_invalid_utf8(text);
}

void check_excerpt(const Excerpt& excerpt, int lines) {
  const model::Position at = excerpt.span.at;
  QUORATE_CHECK(at.line >= 0 && at.line <= lines);
  QUORATE_CHECK(at.line == 0 || at.column >= 1);
  QUORATE_CHECK(excerpt.span.length >= 1);
  QUORATE_CHECK(excerpt.caret >= 1 && is_text(excerpt.note));
  QUORATE_CHECK(excerpt.line.find('\n') == std::string::npos);
}

// Whatever the file holds, its findings can be printed: no byte of it breaks a format or steers a terminal. SARIF is
// left out: it takes the same way as JSON, with all rules around it, and would cost a third of the time.
void check_formats(const std::vector<Finding>& findings) {
  for (const std::string_view format : report::finding_formats()) {
    if (format == "sarif") continue;
    const auto text = report::render_findings(format, {{kName, findings, ""}}, {});
    QUORATE_CHECK(text && is_text(*text));
    QUORATE_CHECK(std::none_of(text->begin(), text->end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
    }));
  }
}

// The place of a finding exists.
void check_finding(const Finding& finding, int lines) {
  QUORATE_CHECK(finding.file == kName);
  QUORATE_CHECK(!finding.message.empty() && is_text(finding.message));
  QUORATE_CHECK(is_text(finding.path));
  check_excerpt(finding.place, lines);
  for (const Excerpt& related : finding.related) check_excerpt(related, lines);
  for (const std::string& help : finding.help) QUORATE_CHECK(is_text(help));
}

bool same(const Finding& a, const Finding& b) {
  return a.code == b.code && a.message == b.message && a.path == b.path && a.help == b.help &&
         a.place.span.at.line == b.place.span.at.line && a.place.span.at.column == b.place.span.at.column;
}

bool same_files(const std::vector<renderers::File>& a, const std::vector<renderers::File>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.path == y.path && x.mode == y.mode && x.owner == y.owner && x.content == y.content;
  });
}

std::vector<renderers::Boot> boots_of(const model::Member& member) {
  std::string initial_cluster = "other=http://192.0.2.1:2380";
  for (const base::Url& url : member.peer_urls) initial_cluster += "," + member.name + "=" + base::to_string(url);
  return {renderers::BootNew{"token-0123"}, renderers::BootJoin{initial_cluster}, renderers::BootKeep{}};
}

// A value of the file must not be able to become structure of the rendered YAML.
void check_etcd_config(const renderers::Input& input, const std::vector<renderers::File>& files) {
  QUORATE_CHECK(files.size() == 1 && files.front().path == input.config_path);
  const YAML::Node config = YAML::Load(files.front().content);
  QUORATE_CHECK(config["name"].as<std::string>() == input.member.name);
  QUORATE_CHECK(config["data-dir"].as<std::string>() == input.member.data_dir);
  const bool is_new = std::holds_alternative<renderers::BootNew>(input.boot);
  QUORATE_CHECK(config["initial-cluster-state"].as<std::string>() == (is_new ? "new" : "existing"));
}

void check_files(const renderers::Input& input) {
  for (const renderers::Renderer& renderer : renderers::all_renderers()) {
    const auto files = renderer.member_files(input);
    if (!files) continue;  // not every renderer can do every cluster
    if (renderer.name == "etcd-config") check_etcd_config(input, *files);
    for (const renderers::File& file : *files) QUORATE_CHECK(!file.path.empty() && is_text(file.content));
  }
}

void check_member(const Desired& cluster, const model::Member& member) {
  const std::string config_path = renderers::config_path("/var/lib/quorate", cluster, member);
  std::optional<std::string> digest;
  for (const renderers::Boot& boot : boots_of(member)) {
    const renderers::Input input{cluster, member, boot, config_path};
    const auto bundle = renderers::render_member(input);
    // A file that is valid can be carried out: what a renderer refuses, validation has to name first.
    QUORATE_CHECK(bundle.has_value());
    QUORATE_CHECK(!digest || *digest == bundle->digest);
    digest = bundle->digest;
    if (!std::holds_alternative<renderers::BootKeep>(boot)) continue;
    const auto again = renderers::render_member(input);
    QUORATE_CHECK(again && same_files(bundle->files, again->files) && bundle->digest == again->digest);
    check_files(input);
  }
}

}  // namespace

void check_desired_file(std::string_view bytes) {
  const Outcome outcome = judge(bytes);
  const Outcome again = judge(bytes);
  QUORATE_CHECK(outcome.desired.has_value() == again.desired.has_value());
  QUORATE_CHECK(
      std::equal(outcome.findings.begin(), outcome.findings.end(), again.findings.begin(), again.findings.end(), same));
  const int lines = model::Source(kName, std::string(bytes), "/").line_count();
  for (const Finding& finding : outcome.findings) check_finding(finding, lines);
  check_formats(outcome.findings);
  if (!outcome.desired) return;

  QUORATE_CHECK(!outcome.desired->members.empty());
  for (const model::Member& member : outcome.desired->members) {
    if (member.managed) check_member(*outcome.desired, member);
  }
  QUORATE_CHECK(
      same_files(renderers::render_cluster(*outcome.desired).files, renderers::render_cluster(*again.desired).files));
}

}  // namespace quorate::fuzz
