// One line for each thing that was looked at; what is well is left out where only the result is wanted.
#include "reconciler/report/doctor.h"

#include <algorithm>

#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using base::Json;

constexpr std::size_t kIndent = 8;

std::string mark(Finds finds, const Style& style) {
  const std::string word = padded(name_of(finds), 4);
  if (finds == Finds::Ok) return style.green(word);
  return finds == Finds::Warn ? style.yellow(word) : style.red(word);
}

std::size_t count(const std::vector<Examined>& examined, Finds finds) {
  return static_cast<std::size_t>(
      std::count_if(examined.begin(), examined.end(), [&](const Examined& each) { return each.finds == finds; }));
}

std::string doctor_text(const std::vector<Examined>& examined, const PlanOptions& options) {
  std::string text;
  std::string part;
  for (const Examined& each : examined) {
    if (options.quiet && each.finds == Finds::Ok) continue;
    if (each.part != part) {
      text += (text.empty() ? "" : "\n") + options.style.bold(printable(each.part)) + "\n";
      part = each.part;
    }
    const std::string lines = wrapped(each.text, options.style.width, kIndent);
    text += "  " + mark(each.finds, options.style) + "  " + lines.substr(kIndent);
    if (!each.help.empty()) text += wrapped("> " + each.help, options.style.width, kIndent);
  }
  const std::string summary = std::to_string(count(examined, Finds::Ok)) + " ok, " +
                              count_of(count(examined, Finds::Warn), "warning") + ", " +
                              count_of(count(examined, Finds::Fail), "failure") + ".\n";
  return text + (text.empty() ? "" : "\n") + summary;
}

Json tree_of(const std::vector<Examined>& examined) {
  Json list = Json::array();
  for (const Examined& each : examined) {
    list.push_back({{"finds", name_of(each.finds)}, {"part", each.part}, {"text", each.text}, {"help", each.help}});
  }
  return {{"format_version", "1.0"},
          {"kind", "doctor"},
          {"exit_code", static_cast<int>(doctor_code(examined))},
          {"examined", list}};
}

}  // namespace

std::string_view name_of(Finds finds) {
  switch (finds) {
    case Finds::Ok:
      return "ok";
    case Finds::Warn:
      return "warn";
    case Finds::Fail:
      return "fail";
  }
  return "";
}

model::ExitCode doctor_code(const std::vector<Examined>& examined) {
  return count(examined, Finds::Fail) == 0 ? model::ExitCode::Ok : model::ExitCode::Failed;
}

std::optional<std::string> render_doctor(std::string_view format, const std::vector<Examined>& examined,
                                         const PlanOptions& options) {
  if (format == "json") return document(tree_of(examined));
  if (format == "yaml") return base::to_yaml(tree_of(examined));
  if (format != "text") return std::nullopt;
  return doctor_text(examined, options);
}

}  // namespace quorate::report
