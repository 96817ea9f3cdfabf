// quorate render: the bundles of the members, printed, written or compared.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/base/suggest.h"
#include "reconciler/base/yaml_text.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/terminal.h"
#include "reconciler/report/diff.h"
#include "renderers/registry.h"

namespace quorate::cli {
namespace {

using base::Json;
using model::ExitCode;
using renderers::Bundle;
using renderers::File;

// A bundle under the name that people see: a member's, or the cluster as a whole.
struct Rendered {
  std::string member;  // empty: the cluster
  Bundle bundle;
};

renderers::Boot boot_of(const Arguments& arguments) {
  if (arguments.boot == "new") return renderers::BootNew{arguments.token};
  if (arguments.boot == "join") return renderers::BootJoin{arguments.initial_cluster};
  return renderers::BootKeep{};
}

base::Result<Bundle> bundle_of(const Arguments& arguments, const renderers::Input& input) {
  if (arguments.renderer.empty()) return renderers::render_member(input);
  Bundle bundle;
  auto files = renderers::find_renderer(arguments.renderer)->member_files(input);
  if (!files) return tl::unexpected(files.error());
  bundle.files = std::move(*files);
  return bundle;
}

base::Result<std::vector<Rendered>> render_all(const Arguments& arguments, const model::Desired& desired) {
  std::vector<Rendered> all;
  const renderers::Boot boot = boot_of(arguments);
  for (const auto& member : desired.members) {
    if (!member.managed || (!arguments.member.empty() && member.name != arguments.member)) continue;
    auto bundle = bundle_of(
        arguments, {desired, member, boot, renderers::config_path(arguments.state_directory, desired, member)});
    if (!bundle) return tl::unexpected(bundle.error());
    all.push_back({member.name, std::move(*bundle)});
  }
  if (!arguments.member.empty()) return all;
  Bundle cluster = renderers::render_cluster(desired);
  const auto* only = arguments.renderer.empty() ? nullptr : renderers::find_renderer(arguments.renderer);
  if (only != nullptr)
    cluster.files = only->cluster_files != nullptr ? only->cluster_files(desired) : std::vector<File>{};
  if (!cluster.files.empty()) all.push_back({"", std::move(cluster)});
  return all;
}

std::string octal(int mode) {
  std::string text = "0000";
  for (std::size_t at = 4; at-- > 0; mode >>= 3) text[at] = static_cast<char>('0' + (mode & 7));
  return text;
}

std::string as_text(const std::vector<Rendered>& all, const report::Style& style) {
  // One file alone is printed as it is, for a pipe.
  if (all.size() == 1 && all[0].bundle.files.size() == 1) return all[0].bundle.files[0].content;
  std::string text;
  for (const Rendered& rendered : all) {
    for (const File& file : rendered.bundle.files) {
      const std::string who = rendered.member.empty() ? "cluster" : rendered.member;
      const std::string owner = file.owner.empty() ? "" : ", owner " + file.owner;
      if (!text.empty()) text += "\n";
      text += style.cyan("# " + who + ": " + file.path + " (" + octal(file.mode) + owner + ")") + "\n" + file.content;
      if (!file.content.empty() && file.content.back() != '\n') text += "\n";
    }
  }
  return text;
}

Json files_json(const Bundle& bundle) {
  Json files = Json::array();
  for (const File& file : bundle.files) {
    files.push_back({{"path", file.path},
                     {"mode", octal(file.mode)},
                     {"owner", file.owner.empty() ? "root" : file.owner},
                     {"content", file.content}});
  }
  return files;
}

std::string as_json(const std::vector<Rendered>& all, const model::Desired& desired, const std::string& boot) {
  Json document = {{"format_version", "1.0"}, {"kind", "rendering"}, {"cluster", desired.name}, {"boot", boot}};
  document["members"] = Json::array();
  for (const Rendered& rendered : all) {
    Json bundle = {{"files", files_json(rendered.bundle)}};
    if (!rendered.bundle.digest.empty()) bundle["digest"] = rendered.bundle.digest;
    if (rendered.member.empty()) {
      document["shared"] = std::move(bundle);
    } else {
      bundle["name"] = rendered.member;
      document["members"].push_back(std::move(bundle));
    }
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Where a file stands below the directory of --dir and --diff.
std::string below(const std::string& directory, const Rendered& rendered, const File& file) {
  const std::string part = rendered.member.empty() ? "cluster" : "members/" + rendered.member;
  return directory + "/" + part + (file.path.front() == '/' ? "" : "/") + file.path;
}

ExitCode write_all(const Arguments& arguments, const std::vector<Rendered>& all) {
  std::string text;
  std::size_t changed = 0;
  std::size_t files = 0;
  for (const Rendered& rendered : all) {
    for (const File& file : rendered.bundle.files) {
      const std::string path = below(arguments.directory, rendered, file);
      const auto written = write_file(path, file.content, file.mode);
      if (!written) {
        talk("quorate: " + written.error().message);
        return ExitCode::Failed;
      }
      ++files;
      if (!*written) continue;
      ++changed;
      text += "wrote " + path + "\n";
    }
  }
  if (!arguments.quiet) {
    text +=
        std::to_string(changed) + " of " + std::to_string(files) + " files written, the others were right already\n";
  }
  return print(text, ExitCode::Ok);
}

// What stands in the directory and would not be rendered.
std::string left_over(const Arguments& arguments, const std::vector<std::string>& expected,
                      const report::Style& style) {
  std::string text;
  std::error_code error;
  const std::string part = arguments.member.empty() ? "" : "/members/" + arguments.member;
  auto walk = std::filesystem::recursive_directory_iterator(arguments.compare_with + part, error);
  std::vector<std::string> found;
  for (; !error && walk != std::filesystem::recursive_directory_iterator(); walk.increment(error)) {
    if (walk->is_regular_file(error)) found.push_back(walk->path().string());
  }
  std::sort(found.begin(), found.end());
  for (const std::string& path : found) {
    if (std::find(expected.begin(), expected.end(), path) != expected.end()) continue;
    text += report::unified_diff(path, read_file(path).value_or("\n"), "/dev/null", "", style);
  }
  return text;
}

// A configuration that others may read is a difference, too.
std::string mode_difference(const std::string& path, int wanted) {
  std::error_code error;
  const auto mode = static_cast<int>(std::filesystem::status(path, error).permissions());
  if (error || mode == wanted) return {};
  return path + " has mode " + octal(mode) + ", wanted " + octal(wanted) + "\n";
}

ExitCode compare(const Arguments& arguments, const std::vector<Rendered>& all) {
  std::error_code error;
  if (!std::filesystem::is_directory(arguments.compare_with, error)) {
    talk("quorate: --diff wants a directory that --dir wrote, and " + arguments.compare_with + " is none");
    return ExitCode::Usage;
  }
  const report::Style style = style_of_stdout(arguments.color);
  std::string text;
  std::vector<std::string> expected;
  for (const Rendered& rendered : all) {
    for (const File& file : rendered.bundle.files) {
      const std::string path = below(arguments.compare_with, rendered, file);
      expected.push_back(path);
      const bool exists = std::filesystem::exists(path, error);
      const auto before = exists ? read_file(path) : base::Result<std::string>("");
      if (!before) {
        talk("quorate: " + before.error().message);
        return ExitCode::Failed;
      }
      text += report::unified_diff(exists ? path : "/dev/null", *before, path, file.content, style);
      if (exists) text += mode_difference(path, file.mode);
    }
  }
  if (arguments.renderer.empty()) text += left_over(arguments, expected, style);
  if (!text.empty()) return print(text, ExitCode::Different);
  if (!arguments.quiet) text = "No differences in " + std::to_string(expected.size()) + " files.\n";
  return print(text, ExitCode::Ok);
}

// A name on the command line that the cluster or the table does not know.
ExitCode unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  talk("quorate: there is no " + what + " " + name);
  const auto near = base::nearest(name, known, 1);
  std::string all;
  for (const std::string& word : known) all += (all.empty() ? "" : ", ") + word;
  talk(near.empty() ? "  known: " + all : "  did you mean " + near[0] + "?");
  return ExitCode::Usage;
}

std::optional<ExitCode> check_names(const Arguments& arguments, const model::Desired& desired) {
  std::vector<std::string> members;
  for (const auto& member : desired.members) members.push_back(member.name);
  std::vector<std::string> names;
  for (const auto& renderer : renderers::all_renderers()) names.emplace_back(renderer.name);
  if (!arguments.renderer.empty() && renderers::find_renderer(arguments.renderer) == nullptr) {
    return unknown("renderer", arguments.renderer, names);
  }
  if (!arguments.member.empty() && std::find(members.begin(), members.end(), arguments.member) == members.end()) {
    return unknown("member", arguments.member, members);
  }
  for (const auto& member : desired.members) {
    if (member.managed || member.name != arguments.member) continue;
    talk("quorate: no agent manages " + member.name + ", so nothing is rendered for it");
    talk("  the file says managed: false; whoever runs the member has its files");
    return ExitCode::Usage;
  }
  return std::nullopt;
}

ExitCode write_reports(const Arguments& arguments, const std::vector<Rendered>& all, const model::Desired& desired) {
  for (const std::string& wanted : arguments.reports) {
    const auto equals = wanted.find('=');
    const bool json = wanted.substr(0, equals) == "json";
    const auto written =
        write_result(wanted.substr(equals + 1), json ? as_json(all, desired, arguments.boot) : as_text(all, {}));
    if (written) continue;
    talk("quorate: " + written.error().message);
    return ExitCode::Failed;
  }
  return ExitCode::Ok;
}

}  // namespace

ExitCode run_render(const Arguments& arguments) {
  const Opened opened = open_desired(arguments);
  if (!opened.desired) return opened.code;
  if (const auto code = check_names(arguments, *opened.desired)) return *code;
  const auto all = render_all(arguments, *opened.desired);
  if (!all) {
    talk("quorate: " + all.error().message);
    if (!all.error().help.empty()) talk("  " + all.error().help);
    return ExitCode::Usage;
  }
  if (const auto code = write_reports(arguments, *all, *opened.desired); code != ExitCode::Ok) return code;
  if (!arguments.directory.empty()) return write_all(arguments, *all);
  if (!arguments.compare_with.empty()) return compare(arguments, *all);
  if (arguments.output == "json") return print(as_json(*all, *opened.desired, arguments.boot), ExitCode::Ok);
  return print(as_text(*all, style_of_stdout(arguments.color)), ExitCode::Ok);
}

}  // namespace quorate::cli
