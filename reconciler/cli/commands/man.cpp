// quorate man: the man page, made from the command table and the table of exit codes.
#include <string>

#include "reconciler/cli/command_table.h"
#include "reconciler/cli/commands.h"

namespace quorate::cli {
namespace {

// A line may not start with a dot or a quote, and a dash is a minus sign in a name that people copy.
std::string roff(const std::string& text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts = at == 0 || text[at - 1] == '\n';
    if (starts && (text[at] == '.' || text[at] == '\'')) escaped += "\\&";
    if (text[at] == '\\' || text[at] == '-') escaped += '\\';
    escaped += text[at] == '\\' ? 'e' : text[at];
  }
  return escaped;
}

std::string option_names(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  if (names.empty())
    names = option.get_type_name();
  else if (option.get_expected_max() > 0)
    names += " " + option.get_type_name();
  return names;
}

std::string options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    // Every command has --help; it is said once, with the global ones.
    if (app.get_parent() != nullptr && option == app.get_help_ptr()) continue;
    text += ".TP\n.B " + roff(option_names(*option)) + "\n" + roff(option->get_description());
    if (!option->get_envname().empty()) text += " (environment: " + roff(option->get_envname()) + ")";
    text += "\n";
  }
  return text;
}

std::string commands(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : app.get_subcommands({})) {
    std::string formats;
    for (const auto& format : formats_of(command->get_name()))
      formats += (formats.empty() ? "" : ", ") + std::string(format);
    text += ".SS " + command->get_name() + "\n" + roff(command->get_description()) + ".\nFormats: " + formats + ".\n" +
            options(*command);
  }
  return text;
}

}  // namespace

model::ExitCode run_man(const Arguments& /*arguments*/) {
  Arguments unused;
  const auto app = command_table(unused);
  std::string page = ".TH QUORATE 1 \"\" \"quorate " + std::string(kVersion) + "\" \"User Commands\"\n";
  page += ".SH NAME\nquorate \\- " + roff(app->get_description()) + "\n";
  page += ".SH SYNOPSIS\n.B quorate\n[global options] command [options] [arguments]\n";
  page += ".SH COMMANDS\n" + commands(*app);
  page += ".SH GLOBAL OPTIONS\nThey may stand before or behind the command.\n" + options(*app);
  page += ".SH EXIT STATUS\n";
  for (const auto& info : exit_codes_by_number()) {
    page += ".TP\n.B " + std::to_string(static_cast<int>(info.code)) + " " + std::string(info.name) + "\n" +
            roff(std::string(info.meaning)) + "\n";
  }
  page +=
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colours, unless \\-\\-color always.\n"
      ".TP\n.B FORCE_COLOR, CLICOLOR_FORCE\nColours also where stdout is no terminal.\n"
      ".TP\n.B COLUMNS\nWidth of the text.\n";
  page +=
      ".SH FILES\n.TP\n.I quorate.yaml\nThe desired\\-cluster file where no other is named.\n"
      ".TP\n.I /etc/quorate/cluster.yaml\nThe desired\\-cluster file of a node.\n";
  return print(page, model::ExitCode::Ok);
}

}  // namespace quorate::cli
