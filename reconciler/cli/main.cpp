// From argv to the command that it names.
#include <csignal>
#include <exception>
#include <string>

#include "reconciler/cli/arguments.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"

namespace {

using quorate::cli::Arguments;
using quorate::cli::Command;
using quorate::model::ExitCode;

ExitCode run(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::Validate:
      return quorate::cli::run_validate(arguments);
    case Command::Render:
      return quorate::cli::run_render(arguments);
    case Command::Plan:
      return quorate::cli::run_plan(arguments);
    case Command::Show:
      return quorate::cli::run_show(arguments);
    case Command::Status:
      return quorate::cli::run_status(arguments);
    case Command::Drift:
      return quorate::cli::run_drift(arguments);
    case Command::Observe:
      return quorate::cli::run_observe(arguments);
    case Command::Member:
      return quorate::cli::run_member(arguments);
    case Command::Agent:
      return quorate::cli::run_agent(arguments);
    case Command::Apply:
      return quorate::cli::run_apply(arguments);
    case Command::Backup:
      return quorate::cli::run_backup(arguments);
    case Command::Restore:
      return quorate::cli::run_restore(arguments);
    case Command::Wait:
      return quorate::cli::run_wait(arguments);
    case Command::Pause:
      return quorate::cli::run_pause(arguments);
    case Command::Resume:
      return quorate::cli::run_resume(arguments);
    case Command::Deny:
      return quorate::cli::run_approve(arguments);
    case Command::Up:
      return quorate::cli::run_up(arguments);
    case Command::CheckStart:
      return quorate::cli::run_check_start(arguments);
    case Command::History:
      return quorate::cli::run_history(arguments);
    case Command::Doctor:
      return quorate::cli::run_doctor(arguments);
    case Command::Approve:
      return quorate::cli::run_approve(arguments);
    case Command::Schema:
      return quorate::cli::run_schema(arguments);
    case Command::Explain:
      return quorate::cli::run_explain(arguments);
    case Command::Completion:
      return quorate::cli::run_completion(arguments);
    case Command::Man:
      return quorate::cli::run_man(arguments);
    case Command::Version:
      return quorate::cli::run_version(arguments);
  }
  return ExitCode::Failed;
}

ExitCode answer_or_run(int argc, const char* const* argv) {
  const auto parsed = quorate::cli::parse(argc, argv);
  if (const auto* answer = std::get_if<quorate::cli::Answer>(&parsed)) {
    if (answer->code == ExitCode::Ok) return quorate::cli::print(answer->text, answer->code);
    quorate::cli::talk(answer->text);
    return quorate::cli::end_of_wrong_words(argc, argv, *answer);
  }
  return run(std::get<Arguments>(parsed));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a result that could not be written, and is reported as such
  try {
    return static_cast<int>(answer_or_run(argc, argv));
  } catch (const std::exception& error) {
    quorate::cli::talk(std::string("quorate: ") + error.what());
    return static_cast<int>(ExitCode::Failed);
  }
}
