// quorate validate: one file after the other, so that memory grows with what is found and not with what is read.
#include "reconciler/validate/validate.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "reconciler/adapters/system/zones.h"
#include "reconciler/base/digest.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/state.h"
#include "reconciler/cli/terminal.h"
#include "reconciler/load/load.h"
#include "reconciler/report/findings.h"
#include "reconciler/validate/agent.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

struct Checked {
  report::FileResult result;
  bool is_agent = false;  // the node file and not a desired one
  std::optional<model::AgentSettings> settings;
  std::optional<model::Desired> desired;
  std::string sha256;
};

std::string runtime_name(const model::Runtime& runtime) {
  constexpr const char* kNames[] = {"process", "systemd", "static-pod", "kubernetes"};
  return kNames[runtime.index()];
}

std::string summary_of(const model::Desired& desired) {
  std::string text = desired.name + ": " + std::to_string(desired.members.size()) + " member" +
                     (desired.members.size() == 1 ? "" : "s");
  text += desired.etcd.version ? ", etcd " + base::to_string(*desired.etcd.version) : ", etcd of any version";
  text += ", runtime " + runtime_name(desired.runtime);
  if (!desired.owners.empty()) {
    text += ", owners";
    for (const std::string& owner : desired.owners) text += " " + owner;
  }
  return desired.description.empty() ? text : text + " (" + desired.description + ")";
}

Checked check(const std::string& path) {
  Checked checked;
  checked.result.file = path == "-" ? "stdin" : path;
  auto source = read_source(path);
  if (!source) {
    model::Finding finding;
    finding.code = model::Code::E001;
    finding.file = checked.result.file;
    finding.message = source.error().message;
    if (!source.error().help.empty()) finding.help.push_back(source.error().help);
    checked.result.findings.push_back(std::move(finding));
    return checked;
  }
  checked.sha256 = base::sha256_hex(source->text());
  auto loaded = load::load(std::move(*source));
  checked.result.findings = std::move(loaded.findings);
  if (loaded.spec && validate::is_agent_file(*loaded.spec)) {
    checked.is_agent = true;
    auto validated = validate::validate_agent(*loaded.spec);
    for (auto& finding : validated.findings) checked.result.findings.push_back(std::move(finding));
    model::sort_by_place(checked.result.findings);
    if (!model::has_errors(checked.result.findings)) {
      checked.settings = std::move(validated.settings);
      checked.result.summary = "node file, follows " + checked.settings->source_file;
    }
  } else if (loaded.spec) {
    auto validated = validate::validate(*loaded.spec, adapters::system::zone_file);
    for (auto& finding : validated.findings) checked.result.findings.push_back(std::move(finding));
    model::sort_by_place(checked.result.findings);
    // A document with YAML mistakes may lack what was refused: what it seems to mean is not to be used.
    if (!model::has_errors(checked.result.findings)) checked.desired = std::move(validated.desired);
  }
  if (checked.desired) checked.result.summary = summary_of(*checked.desired);
  return checked;
}

report::FindingOptions options_of(const Arguments& arguments) {
  report::FindingOptions options;
  options.style = style_of_stdout(arguments.color);
  if (arguments.quiet) options.detail = report::Detail::Quiet;
  if (arguments.verbose > 0) options.detail = report::Detail::Verbose;
  options.tool_version = kVersion;
  return options;
}

ExitCode write_reports(const Arguments& arguments, const std::vector<report::FileResult>& results) {
  ExitCode code = ExitCode::Ok;
  report::FindingOptions options;
  options.tool_version = kVersion;
  for (const std::string& wanted : arguments.reports) {
    const auto equals = wanted.find('=');
    const auto text = report::render_findings(wanted.substr(0, equals), results, options);
    const auto written = write_result(wanted.substr(equals + 1), text.value_or(""));
    if (written) continue;
    talk("quorate: " + written.error().message);
    code = ExitCode::Failed;
  }
  return code;
}

}  // namespace

ExitCode run_validate(const Arguments& arguments) {
  std::vector<std::string> files = arguments.files;
  if (files.empty()) {
    files.push_back(chosen_file(arguments));
  } else if (const char* usual = std::getenv("QUORATE_FILE");
             !arguments.file.empty() && (usual == nullptr || usual != arguments.file)) {
    files.insert(files.begin(), arguments.file);  // -f on the command line is one more file, not a wish to ignore
  }
  if (files.front().empty()) {
    talk("quorate: no file to validate: name one, set QUORATE_FILE, or stand where a quorate.yaml is");
    return ExitCode::Usage;
  }
  std::vector<report::FileResult> results;
  for (const std::string& file : files) results.push_back(check(file).result);
  const ExitCode code = model::worst(report::exit_code(results), write_reports(arguments, results));
  const std::string format = arguments.output.empty() ? "text" : arguments.output;
  return print(report::render_findings(format, results, options_of(arguments)).value_or(""), code);
}

OpenedSettings open_settings(const Arguments& arguments) {
  constexpr const char* kUsual = "/etc/quorate/agent.yaml";
  OpenedSettings opened;
  std::error_code error;
  // One that is there and cannot be read is an error; only one that is positively not there means the defaults.
  const bool none = !std::filesystem::exists(kUsual, error) && !error;
  if (arguments.config.empty() && none) return opened;
  const std::string file = arguments.config.empty() ? kUsual : arguments.config;
  Checked checked = check(file);
  if (checked.settings) return {*std::move(checked.settings), true, ExitCode::Ok};
  if (checked.desired) {
    talk("quorate: " + file + " is a desired-cluster file and no node file");
  } else {
    talk(report::render_findings("text", {std::move(checked.result)}, {}).value_or(""));
  }
  opened.code = ExitCode::Invalid;
  return opened;
}

Opened open_desired(const Arguments& arguments) {
  const std::string file = chosen_file(arguments);
  if (file.empty()) {
    talk("quorate: no desired-cluster file: name one with -f, set QUORATE_FILE, or stand where a quorate.yaml is");
    return {std::nullopt, "", ExitCode::Usage};
  }
  Checked checked = check(file);
  if (checked.desired) return {std::move(checked.desired), std::move(checked.sha256), ExitCode::Ok};
  if (checked.is_agent) {
    talk("quorate: " + file + " is a node file; name the desired-cluster file with -f");
    return {std::nullopt, "", ExitCode::Invalid};
  }
  const std::vector<report::FileResult> results = {std::move(checked.result)};
  talk(report::render_findings("text", results, {}).value_or(""));
  return {std::nullopt, "", report::exit_code(results)};
}

}  // namespace quorate::cli
