// quorate completion: scripts made from the command table, so that they know every flag that exists and no other.
#include <string>
#include <vector>

#include "reconciler/base/yaml_text.h"
#include "reconciler/cli/command_table.h"
#include "reconciler/cli/commands.h"
#include "reconciler/report/fields.h"
#include "renderers/registry.h"
#include "schema/embedded.h"

namespace quorate::cli {
namespace {

// What can stand behind a flag or as an argument; empty words: a file.
struct Values {
  std::string name;  // "--boot", or "topic" for an argument
  std::vector<std::string> words;
};

std::vector<std::string> as_strings(const std::vector<std::string_view>& views) {
  return std::vector<std::string>(views.begin(), views.end());
}

std::vector<std::string> topics() {
  std::vector<std::string> words = {"exit-codes"};
  for (const auto& code : model::all_codes()) words.emplace_back(code.id);
  for (const auto& field : report::list_fields(base::Json::parse(schema::cluster()))) {
    if (field.path.find_first_of("<[") == std::string::npos) words.push_back(field.path);
  }
  return words;
}

std::vector<std::string> words_of(const std::string& command, const std::string& name) {
  if (name == "--output" || name == "--write-out") return as_strings(formats_of(command));
  if (name == "--color") return {"auto", "always", "never"};
  if (name == "--boot") return {"keep", "new", "join"};
  if (name == "action") return {command == "history" ? "show" : "list"};
  if (name == "shell") return {"bash", "zsh", "fish"};
  if (name == "topic" && command == "schema") return {"cluster", "agent", "observation", "plan"};
  if (name == "topic") return topics();
  if (name == "--renderer") {
    std::vector<std::string> names;
    for (const auto& renderer : renderers::all_renderers()) names.emplace_back(renderer.name);
    return names;
  }
  return {};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// All long flags of a command with those that it inherits.
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  if (command.get_parent() != nullptr) {
    for (const CLI::Option* option : command.get_parent()->get_options()) options.push_back(option);
  }
  return options;
}

std::string argument_of(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) return option->get_name(true, false);
  }
  return {};
}

std::string bash(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    std::string flags;
    std::string values;
    for (const CLI::Option* option : options_of(*command)) {
      for (const std::string& name : option->get_lnames()) {
        flags += (flags.empty() ? "--" : " --") + name;
        const auto words = words_of(command->get_name(), "--" + name);
        if (!words.empty()) {
          values +=
              "        --" + name + ") COMPREPLY=($(compgen -W '" + joined(words) + "' -- \"$cur\")); return ;;\n";
        }
      }
    }
    const auto words = words_of(command->get_name(), argument_of(*command));
    cases += "    " + command->get_name() + ")\n      case $prev in\n" + values + "      esac\n" +
             "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '" + flags + "' -- \"$cur\"))\n" +
             (words.empty() ? std::string("      fi ;;\n")  // nothing of ours: the shell completes files
                            : "      else COMPREPLY=($(compgen -W '" + joined(words) + "' -- \"$cur\")); fi ;;\n");
  }
  return "# bash completion of quorate\n"
         "_quorate() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word command=\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case $word in " +
         [&] {
           std::string pattern;
           for (const CLI::App* command : app.get_subcommands({}))
             pattern += (pattern.empty() ? "" : "|") + command->get_name();
           return pattern;
         }() +
         ") command=$word; break ;; esac\n"
         "  done\n"
         "  case $command in\n" +
         cases + "    *) COMPREPLY=($(compgen -W '" + commands + "' -- \"$cur\")) ;;\n  esac\n}\n" +
         "complete -o default -F _quorate quorate\n";
}

std::string in_single_quotes(const std::string& text) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + quoted + "'";
}

// In a zsh description, brackets and colons would end it.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += "    " + in_single_quotes(command->get_name() + ":" + zsh_text(command->get_description())) + "\n";
    cases += "    " + command->get_name() + ")\n      _arguments -s";
    for (const CLI::Option* option : options_of(*command)) {
      for (const std::string& name : option->get_lnames()) {
        std::string spec = "--" + name + "[" + zsh_text(option->get_description()) + "]";
        const auto words = words_of(command->get_name(), "--" + name);
        if (!words.empty()) {
          spec += ":value:(" + joined(words) + ")";
        } else if (option->get_expected_max() > 0) {
          spec += ":value:_files";
        }
        cases += " \\\n        " + in_single_quotes(spec);
      }
    }
    const auto words = words_of(command->get_name(), argument_of(*command));
    cases += " \\\n        " + (words.empty() ? std::string("'*:file:_files'") : "'1:value:(" + joined(words) + ")'") +
             " ;;\n";
  }
  return "#compdef quorate\n"
         "_quorate() {\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  local context state line\n"
         "  _arguments -C '1:command:->command' '*::argument:->argument'\n"
         "  if [[ $state == command ]]; then _describe command commands; return; fi\n"
         "  case $line[1] in\n" +
         cases + "  esac\n}\ncompdef _quorate quorate\n";
}

std::string fish(const CLI::App& app) {
  std::string text = "# fish completion of quorate\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    text += "complete -c quorate -n __fish_use_subcommand -f -a " + command->get_name() + " -d " +
            in_single_quotes(command->get_description()) + "\n";
    const std::string seen = "complete -c quorate -n '__fish_seen_subcommand_from " + command->get_name() + "'";
    for (const CLI::Option* option : options_of(*command)) {
      for (const std::string& name : option->get_lnames()) {
        const auto words = words_of(command->get_name(), "--" + name);
        text += seen + " -l " + name;
        if (!words.empty()) {
          text += " -x -a " + in_single_quotes(joined(words));
        } else if (option->get_expected_max() > 0) {
          text += " -r";
        }
        text += " -d " + in_single_quotes(option->get_description()) + "\n";
      }
    }
    const auto words = words_of(command->get_name(), argument_of(*command));
    if (!words.empty()) text += seen + " -f -a " + in_single_quotes(joined(words)) + "\n";
  }
  return text;
}

}  // namespace

model::ExitCode run_completion(const Arguments& arguments) {
  Arguments unused;
  const auto app = command_table(unused);
  const std::string script = arguments.shell == "bash" ? bash(*app) : arguments.shell == "zsh" ? zsh(*app) : fish(*app);
  return print(script, model::ExitCode::Ok);
}

}  // namespace quorate::cli
