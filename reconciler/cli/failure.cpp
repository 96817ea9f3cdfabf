// One JSON object with the exit code, the sentence and what to do next.
#include "reconciler/cli/failure.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "reconciler/cli/commands.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

model::ExitCode print_document(const std::string& message, const std::string& help, model::ExitCode code) {
  base::Json root = {{"format_version", "1.0"}, {"kind", "error"}, {"exit_code", static_cast<int>(code)}};
  root["message"] = message;
  root["help"] = help.empty() ? base::Json(nullptr) : base::Json(help);
  return print(report::document(root), code);
}

// As CLI11 takes them: -o json, -ojson, -o=json, --output json, --output=json.
bool asks_for_json(int argc, const char* const* argv) {
  const char* usual = std::getenv("QUORATE_OUTPUT");
  std::string format = usual == nullptr ? "" : usual;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    for (const std::string_view flag : {"--output", "--write-out", "-o", "-w"}) {
      if (word.substr(0, flag.size()) != flag) continue;
      std::string_view rest = word.substr(flag.size());
      const bool is_short = flag.size() == 2;
      if (rest.empty() && i + 1 < argc) {
        format = argv[i + 1];
      } else if (!rest.empty() && (rest.front() == '=' || is_short)) {
        if (rest.front() == '=') rest.remove_prefix(1);
        format = rest;
      }
      break;
    }
  }
  return format == "json";
}

}  // namespace

model::ExitCode end_without_result(const Arguments& arguments, const base::Error& why, model::ExitCode code) {
  return arguments.output == "json" ? print_document(why.message, why.help, code) : code;
}

model::ExitCode complain(const base::Error& why, model::ExitCode code) {
  talk("quorate: " + report::printable(why.message));
  if (!why.help.empty()) talk("  " + report::printable(why.help));
  return code;
}

model::ExitCode complain(const Arguments& arguments, const base::Error& why, model::ExitCode code) {
  return end_without_result(arguments, why, complain(why, code));
}

model::ExitCode end_of_wrong_words(int argc, const char* const* argv, const Answer& answer) {
  if (!asks_for_json(argc, argv)) return answer.code;
  const std::string_view mark = "quorate: ";
  std::string_view text = answer.text;
  if (text.substr(0, mark.size()) == mark) text.remove_prefix(mark.size());
  const std::string_view message = text.substr(0, text.find('\n'));
  std::string help;
  for (std::size_t at = message.size() + 1; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    help += (help.empty() ? "" : " ") + std::string(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    at = end + 1;
  }
  return print_document(std::string(message), help, answer.code);
}

}  // namespace quorate::cli
