// The commands: each takes the arguments, writes its result to stdout and its talk to stderr, and says how it ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/cli/arguments.h"
#include "reconciler/model/desired.h"
#include "reconciler/model/exit_code.h"
#include "reconciler/model/finding.h"

namespace quorate::cli {

model::ExitCode run_validate(const Arguments& arguments);
model::ExitCode run_render(const Arguments& arguments);
model::ExitCode run_plan(const Arguments& arguments);
model::ExitCode run_show(const Arguments& arguments);
model::ExitCode run_status(const Arguments& arguments);
model::ExitCode run_drift(const Arguments& arguments);
model::ExitCode run_observe(const Arguments& arguments);
model::ExitCode run_member(const Arguments& arguments);
model::ExitCode run_up(const Arguments& arguments);
model::ExitCode run_agent(const Arguments& arguments);
model::ExitCode run_apply(const Arguments& arguments);
model::ExitCode run_restore(const Arguments& arguments);
model::ExitCode run_wait(const Arguments& arguments);
model::ExitCode run_pause(const Arguments& arguments);
model::ExitCode run_resume(const Arguments& arguments);
model::ExitCode run_check_start(const Arguments& arguments);
model::ExitCode run_history(const Arguments& arguments);
model::ExitCode run_doctor(const Arguments& arguments);
model::ExitCode run_backup(const Arguments& arguments);
model::ExitCode run_approve(const Arguments& arguments);
model::ExitCode run_schema(const Arguments& arguments);
model::ExitCode run_explain(const Arguments& arguments);
model::ExitCode run_completion(const Arguments& arguments);
model::ExitCode run_man(const Arguments& arguments);
model::ExitCode run_version(const Arguments& arguments);

inline constexpr const char* kVersion = QUORATE_VERSION;

// Result to stdout, talk to stderr. A result that cannot be written turns any success into a failure.
model::ExitCode print(const std::string& result, model::ExitCode code);
void talk(const std::string& line);

// The file that -f, QUORATE_FILE or the usual places name; empty when there is none.
std::string chosen_file(const Arguments& arguments);

// Loads and validates -f for a command that needs the cluster itself; findings of a wrong file go to stderr.
struct Opened {
  std::optional<model::Desired> desired;
  std::string sha256;  // of the text of the file
  model::ExitCode code = model::ExitCode::Ok;
};
Opened open_desired(const Arguments& arguments);

}  // namespace quorate::cli
