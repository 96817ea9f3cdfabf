// Colour and ages are for stdout alone; what goes into a file is bare.
#include "reconciler/cli/results.h"

#include "reconciler/cli/commands.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/terminal.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {

model::ExitCode print_results(const Arguments& arguments, const RenderResult& render, model::ExitCode code) {
  report::PlanOptions bare;
  bare.tool_version = kVersion;
  for (const std::string& wanted : arguments.reports) {
    const auto equals = wanted.find('=');
    const auto written = write_result(wanted.substr(equals + 1), render(wanted.substr(0, equals), bare));
    if (written) continue;
    talk("quorate: " + report::printable(written.error().message));
    code = model::worst(code, model::ExitCode::Failed);
  }
  report::PlanOptions options = bare;
  options.style = style_of_stdout(arguments.color);
  options.quiet = arguments.quiet;
  options.now = now();
  return print(render(arguments.output.empty() ? "text" : arguments.output, options), code);
}

bool prints_text(const Arguments& arguments) {
  return arguments.output.empty() || arguments.output == "text" || arguments.output == "wide";
}

}  // namespace quorate::cli
