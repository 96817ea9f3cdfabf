// Reading argv against the table, with our own words for what does not fit.
#include "reconciler/cli/arguments.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>

#include "reconciler/base/suggest.h"
#include "reconciler/base/units.h"
#include "reconciler/cli/clash.h"
#include "reconciler/cli/command_table.h"
#include "reconciler/cli/commands.h"

namespace quorate::cli {
namespace {

Answer usage(std::string problem, const std::string& help, const CLI::App& app) {
  std::string text = "quorate: " + std::move(problem) + "\n";
  if (!help.empty()) text += "  " + help + "\n";
  const CLI::App* parent = app.get_parent();
  text += "Try: quorate " + (parent != nullptr ? app.get_name() + " " : std::string()) + "--help\n";
  return {text, model::ExitCode::Usage};
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
  }
  return flags;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known) {
  const auto near = base::nearest(typed, known, 1);
  return near.empty() ? "" : "did you mean " + near[0] + "?";
}

// What the table has no place for: a flag nobody knows, or a word too many.
Answer explain_extra(const std::string& extra, const CLI::App& app) {
  if (extra.size() > 1 && extra.front() == '-') {
    const std::string flag = extra.substr(0, extra.find('='));
    return usage("unknown flag " + flag, did_you_mean(flag, flags_of(app)), app);
  }
  if (app.get_parent() == nullptr) {
    const auto commands = commands_of(app);
    std::string help = did_you_mean(extra, commands);
    if (help.empty()) {
      help = "commands: ";
      for (const std::string& name : commands) help += (name == commands.front() ? "" : ", ") + name;
    }
    return usage("unknown command " + extra, help, app);
  }
  return usage("unexpected argument " + extra, "", app);
}

std::optional<Answer> check_formats(const Arguments& arguments, const CLI::App& command) {
  const auto& formats = formats_of(command.get_name());
  const auto check = [&](const std::string& format) -> std::optional<Answer> {
    if (std::find(formats.begin(), formats.end(), format) != formats.end()) return std::nullopt;
    std::string help = "formats: ";
    for (const auto& known : formats) help += (known == formats.front() ? "" : ", ") + std::string(known);
    return usage(command.get_name() + " has no format " + format, help, command);
  };
  constexpr Command kReporting[] = {Command::Validate, Command::Render, Command::Plan,   Command::Show,
                                    Command::Status,   Command::Drift,  Command::Member, Command::History,
                                    Command::Doctor,   Command::Backup};
  const bool reports =
      std::find(std::begin(kReporting), std::end(kReporting), arguments.command) != std::end(kReporting);
  if (!arguments.reports.empty() && !reports) {
    return usage(command.get_name() + " writes no reports", "use -o FORMAT > FILE", command);
  }
  if (!arguments.output.empty()) {
    if (auto answer = check(arguments.output)) return answer;
  }
  for (const std::string& report : arguments.reports) {
    const auto equals = report.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == report.size()) {
      return usage("--report wants FORMAT=FILE, found " + report, "for example --report json=result.json", command);
    }
    if (auto answer = check(report.substr(0, equals))) return answer;
  }
  return std::nullopt;
}

// Into files goes only what is absolute; what is read here may be named from here.
std::optional<Answer> check_state_directory(const Arguments& arguments, const CLI::App& command) {
  if (arguments.state_directory.empty()) return usage("--state-dir may not be empty", "", command);
  const bool reads_only = arguments.command == Command::History || arguments.command == Command::CheckStart ||
                          arguments.command == Command::Doctor;
  if (reads_only || arguments.state_directory.front() == '/') return std::nullopt;
  return usage("--state-dir must be absolute, found " + arguments.state_directory, "", command);
}

std::optional<Answer> check_render(const Arguments& arguments, const CLI::App& command) {
  if (arguments.boot == "new" && arguments.token.empty()) {
    return usage("--boot new needs --token", "a fresh one for each cluster that is formed: it is part of its identity",
                 command);
  }
  if (arguments.token == "etcd-cluster") {
    return usage("--token etcd-cluster is etcd's default, and every cluster made with it has one identity", "",
                 command);
  }
  if (arguments.boot == "join" && arguments.initial_cluster.empty()) {
    return usage("--boot join needs --initial-cluster", "etcdctl member add prints it as ETCD_INITIAL_CLUSTER",
                 command);
  }
  if (arguments.boot != "new" && !arguments.token.empty()) {
    return usage("--token goes with --boot new only", "", command);
  }
  if (arguments.boot != "join" && !arguments.initial_cluster.empty()) {
    return usage("--initial-cluster goes with --boot join only", "", command);
  }
  return check_state_directory(arguments, command);
}

std::optional<Answer> check_look(const Arguments& arguments, const CLI::App& command) {
  if (arguments.observed.empty() && !(arguments.observed_signers.empty() && arguments.max_age.empty())) {
    return usage("--observed-signers and --max-age go with --observed only", "what etcd itself answers is of now",
                 command);
  }
  if (!arguments.observed.empty() && arguments.observed == "-" && arguments.file == "-") {
    return usage("-f - and --observed - cannot both be read from stdin", "", command);
  }
  for (const std::string& timeout : {arguments.timeout, arguments.answer_timeout}) {
    if (timeout.empty() || base::parse_duration(timeout)) continue;
    return usage("a timeout of " + timeout + " is no duration", "write a number and a unit, such as 5s", command);
  }
  if (arguments.password_file == "-" && (arguments.file == "-" || arguments.observed == "-")) {
    return usage("stdin holds one thing: --password-file - goes with no other -", "", command);
  }
  if (!arguments.password_file.empty() && arguments.user.find(':') != std::string::npos) {
    return usage("the password is given twice: by --user and by --password-file", "", command);
  }
  return check_state_directory(arguments, command);
}

// `history` and `history show ID`.
std::optional<Answer> check_history(const Arguments& arguments, const CLI::App& command) {
  if (!arguments.action.empty() && arguments.action != "show") {
    return usage("history knows no " + arguments.action, "quorate history show ID, with the ID of a plan or a step",
                 command);
  }
  if (arguments.action.empty() == arguments.topic.empty()) return std::nullopt;
  return usage("history show needs the ID of a plan or a step", "quorate history lists them", command);
}

}  // namespace

bool is_of_a_file(const Arguments& arguments) {
  return arguments.action == "inspect" && arguments.backup.store.empty() && !arguments.topic.empty() &&
         arguments.topic != "latest";
}

namespace {

std::optional<Answer> check_backup(const Arguments& arguments, const CLI::App& command) {
  const BackupArguments& backup = arguments.backup;
  const bool has_store = !backup.store.empty() || !chosen_file(arguments).empty();
  if (!has_store && !is_of_a_file(arguments)) {
    return usage("backup " + arguments.action + " needs --store, or a desired-cluster file that names one",
                 "for example --store file:///mnt/backups", command);
  }
  const bool keeps =
      backup.keep_last + backup.keep_hourly + backup.keep_daily + backup.keep_weekly + backup.keep_monthly > 0 ||
      !backup.keep_within.empty();
  if (arguments.action == "prune" && !keeps && !backup.store.empty()) {
    return usage("backup prune needs to know what to keep", "for example --keep-last 24 --keep-daily 14", command);
  }
  if (arguments.action != "prune" && (keeps || backup.dry_run || !backup.cluster_id.empty())) {
    return usage("--keep-..., --dry-run and --cluster-id go with backup prune only", "", command);
  }
  if ((arguments.action == "pin" || arguments.action == "unpin") && arguments.topic.empty()) {
    return usage("backup " + arguments.action + " needs the name of a backup", "quorate backup list shows them",
                 command);
  }
  if (arguments.topic.empty() ||
      (arguments.action != "create" && arguments.action != "list" && arguments.action != "prune")) {
    return std::nullopt;
  }
  return usage("unexpected argument " + arguments.topic, "", command);
}

std::optional<Answer> check(const Arguments& arguments, const CLI::App& command) {
  if (auto answer = check_formats(arguments, command)) return answer;
  if (auto answer = check_look(arguments, command)) return answer;
  if (const std::string clash = clash_of_files(arguments); !clash.empty()) return usage(clash, "", command);
  if (arguments.command == Command::Render) return check_render(arguments, command);
  if (arguments.command == Command::History) return check_history(arguments, command);
  if (arguments.command == Command::Backup) return check_backup(arguments, command);
  if (arguments.origin && arguments.topic.empty()) return usage("--origin needs the path of a field", "", command);
  return std::nullopt;
}

Command command_named(const std::string& name) {
  static const std::map<std::string, Command> commands = {
      {"validate", Command::Validate},
      {"render", Command::Render},
      {"schema", Command::Schema},
      {"explain", Command::Explain},
      {"man", Command::Man},
      {"version", Command::Version},
      {"completion", Command::Completion},
      {"plan", Command::Plan},
      {"show", Command::Show},
      {"status", Command::Status},
      {"drift", Command::Drift},
      {"observe", Command::Observe},
      {"member", Command::Member},
      {"up", Command::Up},
      {"agent", Command::Agent},
      {"apply", Command::Apply},
      {"wait", Command::Wait},
      {"pause", Command::Pause},
      {"resume", Command::Resume},
      {"deny", Command::Deny},
      {"history", Command::History},
      {"backup", Command::Backup},
      {"restore", Command::Restore},
      {"doctor", Command::Doctor},
      {"approve", Command::Approve},
      {"check-start", Command::CheckStart},
  };
  return commands.at(name);
}

// Flags that several commands have. Not in the table: there each command would read the variable for itself, also those
// that were not called, and over what the called one was told.
void read_environment(Arguments& arguments, const CLI::App& command) {
  struct Variable {
    const char* flag;
    std::string* value;
    std::vector<const char*> names;  // the first that is set counts
  };
  const Variable variables[] = {
      {"--endpoints", &arguments.endpoints, {"QUORATE_ENDPOINTS", "ETCDCTL_ENDPOINTS"}},
      {"--cacert", &arguments.cacert, {"QUORATE_CACERT", "ETCDCTL_CACERT"}},
      {"--cert", &arguments.cert, {"QUORATE_CERT", "ETCDCTL_CERT"}},
      {"--key", &arguments.key, {"QUORATE_KEY", "ETCDCTL_KEY"}},
      {"--server-name", &arguments.server_name, {"QUORATE_SERVER_NAME"}},
      {"--user", &arguments.user, {"QUORATE_USER", "ETCDCTL_USER"}},
      {"--password-file", &arguments.password_file, {"QUORATE_PASSWORD_FILE"}},
      {"--timeout", &arguments.timeout, {"QUORATE_TIMEOUT"}},
      {"--command-timeout",
       &arguments.answer_timeout,
       {"QUORATE_COMMAND_TIMEOUT", "ETCDCTL_COMMAND_TIMEOUT", "ETCDCTL_DIAL_TIMEOUT"}},
      {"--state-dir", &arguments.state_directory, {"QUORATE_STATE_DIR"}},
      {"--agent", &arguments.agent, {"QUORATE_AGENT"}},
      {"--config", &arguments.config, {"QUORATE_CONFIG"}},
      {"--store", &arguments.backup.store, {"QUORATE_STORE"}},
      {"--key-file", &arguments.backup.key_file, {"QUORATE_KEY_FILE"}},
  };
  for (const Variable& variable : variables) {
    const CLI::Option* option = command.get_option_no_throw(variable.flag);
    if (option == nullptr || option->count() > 0) continue;
    for (const char* name : variable.names) {
      const char* given = std::getenv(name);
      if (given == nullptr || *given == '\0') continue;
      *variable.value = given;
      break;
    }
  }
}

const CLI::App& deepest(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

}  // namespace

std::variant<Arguments, Answer> parse(int argc, const char* const* argv) {
  Arguments arguments;
  const auto app = command_table(arguments);
  try {
    app->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Answer{app->help(), model::ExitCode::Ok};
  } catch (const CLI::CallForVersion& version) {
    return Answer{std::string(version.what()) + "\n", model::ExitCode::Ok};
  } catch (const CLI::ParseError& error) {
    return usage(error.what(), "", deepest(*app));
  }
  const auto chosen = app->get_subcommands();
  for (const std::string& extra : app->remaining(true)) {
    if (extra != "--")
      return explain_extra(extra, deepest(*app));  // the mark in front of file names that look like flags
  }
  if (chosen.empty()) return Answer{app->help(), model::ExitCode::Usage};
  if (chosen.size() > 1)
    return usage("one command at a time, found " + chosen[0]->get_name() + " and " + chosen[1]->get_name(), "", *app);
  arguments.name = chosen.front()->get_name();
  arguments.command = command_named(arguments.name);
  read_environment(arguments, *chosen.front());
  const CLI::Option* state_dir = chosen.front()->get_option_no_throw("--state-dir");
  arguments.state_directory_given =
      (state_dir != nullptr && state_dir->count() > 0) || std::getenv("QUORATE_STATE_DIR") != nullptr;
  // A format from the environment is a wish for the commands that have it.
  const auto& formats = formats_of(chosen.front()->get_name());
  const char* usual = std::getenv("QUORATE_OUTPUT");
  if (usual != nullptr && arguments.output == usual &&
      std::find(formats.begin(), formats.end(), arguments.output) == formats.end()) {
    arguments.output.clear();
  }
  if (auto answer = check(arguments, *chosen.front())) return *answer;
  return arguments;
}

}  // namespace quorate::cli
