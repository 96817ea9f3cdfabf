// Commands, flags and environment variables.
#include "reconciler/cli/command_table.h"

#include <algorithm>
#include <map>

#include "reconciler/cli/command_table_agents.h"
#include "reconciler/cli/command_table_backup.h"
#include "reconciler/cli/command_table_cluster.h"
#include "reconciler/cli/command_table_node.h"
#include "reconciler/cli/option_checks.h"
#include "reconciler/report/drift.h"
#include "reconciler/report/plan_report.h"
#include "renderers/registry.h"

namespace quorate::cli {
namespace {

std::string exit_codes() {
  std::string text = "Exit codes:\n";
  for (const auto& info : exit_codes_by_number()) {
    std::string number = std::to_string(static_cast<int>(info.code));
    number.insert(0, 4 - std::min<std::size_t>(number.size(), 3), ' ');
    text += number + "  " + std::string(info.name) + ": " + std::string(info.meaning) + "\n";
  }
  return text;
}

std::string footer(const std::string& command, const std::string& examples) {
  std::string text = "Examples:\n" + examples + "\n";
  if (!command.empty()) {
    text += "Formats (-o):";
    for (const auto& format : formats_of(command)) text += " " + std::string(format);
    text +=
        "\n\nGlobal options: -f FILE, -o FORMAT, --report FORMAT=FILE, --color WHEN, -q, -v; see quorate --help\n\n";
  }
  return text + exit_codes();
}

void add_globals(CLI::App& app, Arguments& arguments) {
  const std::string group = "Global options";
  app.add_option("-f,--file", arguments.file, "desired-cluster file, or - for stdin")
      ->envname("QUORATE_FILE")
      ->type_name("FILE")
      ->group(group);
  app.add_option("-o,--output,-w,--write-out", arguments.output, "format of the result; see the command's help")
      ->envname("QUORATE_OUTPUT")
      ->type_name("FORMAT")
      ->group(group);
  app.add_option("--report", arguments.reports, "also write the result in FORMAT to FILE; repeatable")
      ->type_name("FORMAT=FILE")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--color", arguments.color, "auto, always or never")
      ->envname("QUORATE_COLOR")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group(group);
  app.add_flag("-q,--quiet", arguments.quiet, "the result only")->envname("QUORATE_QUIET")->group(group);
  app.add_flag("--no-input", arguments.no_input, "never ask anybody; so it is where CI=true")
      ->envname("QUORATE_NO_INPUT")
      ->group(group);
  app.add_flag("-v,--verbose", arguments.verbose, "say more")->envname("QUORATE_VERBOSE")->group(group);
}

void add_validate(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand("validate", "check desired-cluster files; contacts nothing");
  command->add_option("files", arguments.files, "files to check; - for stdin")->type_name("FILE");
  command->footer(footer("validate",
                         "  quorate validate quorate.yaml\n"
                         "  quorate validate clusters/*/quorate.yaml -o github --report sarif=validate.sarif\n"));
}

std::string renderer_names() {
  std::string names;
  for (const auto& renderer : renderers::all_renderers()) {
    names += (names.empty() ? "" : ", ") + std::string(renderer.name);
  }
  return names;
}

void add_render(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand("render", "show the files that each member would get");
  command->add_option("--member", arguments.member, "only this member")->type_name("NAME")->check(not_empty);
  command->add_option("--renderer", arguments.renderer, "only the files of one renderer: " + renderer_names())
      ->type_name("NAME");
  auto* directory = command->add_option("--dir", arguments.directory, "write the files below this directory")
                        ->type_name("DIR")
                        ->check(not_empty);
  command
      ->add_option("--diff", arguments.compare_with,
                   "compare with what --dir wrote there; exit code 2 where they differ")
      ->type_name("DIR")
      ->check(not_empty)
      ->excludes(directory);
  command
      ->add_option("--boot", arguments.boot,
                   "how etcd is to start: keep (an initialised member), new (forms a cluster) or join")
      ->type_name("MODE")
      ->check(CLI::IsMember({"keep", "new", "join"}));
  command->add_option("--token", arguments.token, "initial-cluster-token, with --boot new")->type_name("TOKEN");
  command->add_option("--initial-cluster", arguments.initial_cluster, "as etcd's member add answered, with --boot join")
      ->type_name("NAME=URL,...");
  command
      ->add_option("--state-dir", arguments.state_directory,
                   "where the etcd configuration files stand on a node (QUORATE_STATE_DIR)")
      ->type_name("DIR")
      ->capture_default_str();
  command->footer(
      footer("render",
             "  quorate render -f quorate.yaml --member etcd-a\n"
             "  quorate render -f quorate.yaml --dir rendered && git diff --stat rendered\n"
             "  quorate render -f quorate.yaml --diff rendered\n"
             "  quorate render -f quorate.yaml --member etcd-a --renderer etcd-config --boot new --token prod-1\n"));
}

void add_reference(CLI::App& app, Arguments& arguments) {
  CLI::App* schema =
      app.add_subcommand("schema", "print the JSON Schema of the desired file, for editors, or of another one");
  schema->add_option("topic", arguments.topic, "cluster (the desired file), agent (the node file), observation or plan")
      ->type_name("DOCUMENT")
      ->check(CLI::IsMember({"cluster", "agent", "observation", "plan"}));
  schema->footer(footer("schema",
                        "  quorate schema > cluster.schema.json\n"
                        "  quorate schema -o markdown\n"
                        "  quorate schema plan > plan.schema.json\n"));

  CLI::App* explain = app.add_subcommand("explain", "what a field or a finding means");
  explain->add_option("topic", arguments.topic, "a field such as etcd.quota, a code such as E103, or exit-codes")
      ->type_name("PATH|CODE");
  explain->add_flag("--origin", arguments.origin, "with -f: the value in the file, and which line it comes from");
  explain->footer(footer("explain",
                         "  quorate explain etcd.quota\n"
                         "  quorate explain E103\n"
                         "  quorate explain members.etcd-a.address --origin -f quorate.yaml\n"));
}

void add_tools(CLI::App& app, Arguments& arguments) {
  CLI::App* completion = app.add_subcommand("completion", "print the completion script of a shell");
  completion->add_option("shell", arguments.shell, "bash, zsh or fish")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(footer("completion", "  quorate completion bash > /etc/bash_completion.d/quorate\n"));
  app.add_subcommand("man", "print the man page")->footer(footer("man", "  quorate man | man -l -\n"));
  app.add_subcommand("version", "print the version")->footer(footer("version", "  quorate version -o json\n"));
}

}  // namespace

std::unique_ptr<CLI::App> command_table(Arguments& arguments) {
  auto app = std::make_unique<CLI::App>("keeps etcd clusters the way a file in git says they should be", "quorate");
  app->set_help_flag("-h,--help", "print this help")->group("Global options");
  app->set_version_flag("--version", "quorate " QUORATE_VERSION, "print the version")->group("Global options");
  app->get_formatter()->column_width(34);
  add_globals(*app, arguments);
  add_validate(*app, arguments);
  add_render(*app, arguments);
  for (const ClusterCommand& each : add_cluster_commands(*app, arguments)) {
    each.command->footer(footer(each.command->get_name(), each.examples));
  }
  for (const ClusterCommand& each : add_agent_commands(*app, arguments)) {
    each.command->footer(footer(each.command->get_name(), each.examples));
  }
  for (const ClusterCommand& each : add_node_commands(*app, arguments)) {
    each.command->footer(footer(each.command->get_name(), each.examples));
  }
  for (const ClusterCommand& each : add_backup_commands(*app, arguments)) {
    each.command->footer(footer(each.command->get_name(), each.examples));
  }
  add_reference(*app, arguments);
  add_tools(*app, arguments);
  app->footer(footer("",
                     "  quorate validate quorate.yaml\n"
                     "  quorate render -f quorate.yaml --member etcd-a\n"
                     "  quorate plan -f quorate.yaml\n"
                     "  quorate up --create -f desired/local.yaml\n"));
  // Global flags may stand behind the command, and what nobody takes is ours to explain.
  for (CLI::App* command : app->get_subcommands({})) {
    command->fallthrough();
    command->allow_extras();
  }
  app->allow_extras();
  // What these take may be called like a command.
  for (const char* name :
       {"schema", "explain", "show", "history", "check-start", "approve", "deny", "apply", "backup", "restore"}) {
    CLI::App* taking = app->get_subcommand(name);
    taking->preparse_callback([taking](std::size_t /*words*/) {
      for (CLI::App* other : taking->get_parent()->get_subcommands({})) {
        if (other != taking) other->disabled();
      }
    });
  }
  return app;
}

std::vector<model::ExitCodeInfo> exit_codes_by_number() {
  auto codes = model::all_exit_codes();
  std::sort(codes.begin(), codes.end(), [](const auto& a, const auto& b) { return a.code < b.code; });
  return codes;
}

const std::vector<std::string_view>& formats_of(std::string_view command) {
  static const std::map<std::string_view, std::vector<std::string_view>> formats = {
      {"validate", {"text", "json", "github", "sarif", "junit"}},
      {"render", {"text", "json"}},
      {"plan", report::plan_formats()},
      {"up", {"text"}},
      {"agent", {"text"}},
      {"apply", {"text", "ndjson"}},
      {"restore", {"text", "ndjson"}},
      {"wait", {"text"}},
      {"pause", {"text"}},
      {"resume", {"text"}},
      {"deny", {"text", "json"}},
      {"show", report::plan_formats()},
      {"status", {"text", "json", "yaml"}},
      {"drift", report::drift_formats()},
      {"observe", {"json"}},
      {"member", {"text", "wide", "json", "yaml"}},
      {"check-start", {"text", "json"}},
      {"history", {"text", "json", "yaml"}},
      {"doctor", {"text", "json", "yaml"}},
      {"backup", {"text", "json", "yaml"}},
      {"approve", {"text", "json"}},
      {"schema", {"json", "markdown"}},
      {"explain", {"text", "json"}},
      {"completion", {"text"}},
      {"man", {"text"}},
      {"version", {"text", "json"}},
  };
  return formats.at(command);
}

}  // namespace quorate::cli
