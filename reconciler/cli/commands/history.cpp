// quorate history: what the agents of this machine did, out of their journals; nobody is asked.
#include "reconciler/report/history.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/journal.h"
#include "reconciler/base/path.h"
#include "reconciler/base/suggest.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/results.h"
#include "reconciler/cli/state.h"
#include "reconciler/model/state_paths.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

struct Read {
  std::vector<report::HistoryStep> steps;
  std::size_t journals = 0;
  bool complete = true;  // false: something could not be read, and stderr says what
};

std::vector<std::string> names_in(const std::string& folder, Read& read) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored) && !ignored) return {};
  const auto names = adapters::system::list_folder(folder);
  if (names) return names->value_or(std::vector<std::string>{});
  read.complete = false;
  complain(names.error(), ExitCode::Failed);
  return {};
}

void read_journal(const std::string& cluster, const std::string& folder, Read& read) {
  const std::string path = base::join_path(folder, model::kJournalFile);
  const auto inside = names_in(folder, read);
  const bool is_there = std::any_of(inside.begin(), inside.end(), [](const std::string& name) {
    return name == model::kJournalFile || name == std::string(model::kJournalFile) + ".1";
  });
  if (!is_there) return;
  const auto entries = adapters::system::make_journal(path)->read();
  if (!entries) {
    read.complete = false;
    complain(entries.error(), ExitCode::Failed);
    return;
  }
  ++read.journals;
  for (report::HistoryStep& step : report::steps_of(cluster, *entries)) read.steps.push_back(std::move(step));
}

Read read_all(const std::string& state_dir, const std::string& only_cluster, const std::string& only_member) {
  Read read;
  for (const std::string& cluster : names_in(state_dir, read)) {
    if (!only_cluster.empty() && cluster != only_cluster) continue;
    const std::string of_cluster = base::join_path(state_dir, cluster);
    for (const std::string& member : names_in(of_cluster, read)) {
      if (!only_member.empty() && member != only_member) continue;
      read_journal(cluster, base::join_path(of_cluster, member), read);
    }
  }
  report::sort_history(read.steps);
  return read;
}

ExitCode not_found(const Arguments& arguments, const std::vector<report::HistoryStep>& steps) {
  const std::string& id = arguments.topic;
  std::set<std::string> known;
  for (const report::HistoryStep& step : steps) known.insert({step.step, step.plan});
  known.erase("");
  const auto near = base::nearest(id, {known.begin(), known.end()}, 1);
  return complain(arguments,
                  {base::ErrorKind::Invalid, "no journal here has a step or plan " + id,
                   near.empty() ? "quorate history lists them" : "did you mean " + near[0] + "?"},
                  ExitCode::Failed);
}

}  // namespace

ExitCode run_history(const Arguments& arguments) {
  const OpenedSettings settings = open_settings(arguments);
  if (settings.code != ExitCode::Ok) return settings.code;
  const std::string state_dir = state_directory(arguments, settings);
  std::string cluster;
  if (!arguments.file.empty()) {
    Opened opened = open_desired(arguments);
    if (!opened.desired) return opened.code;
    cluster = opened.desired->name;
  }
  const Read read = read_all(state_dir, cluster, arguments.member);
  if (read.journals == 0) {
    return complain(arguments,
                    {base::ErrorKind::Invalid, "no agent has kept a journal below " + state_dir,
                     "name the folder with --state-dir; only root may read the one of a service"},
                    read.complete ? ExitCode::Failed : ExitCode::Unknown);
  }
  const bool whole = !arguments.topic.empty();
  const auto steps = whole ? report::with_id(read.steps, arguments.topic) : read.steps;
  if (whole && steps.empty()) return not_found(arguments, read.steps);
  const auto render = [&](const std::string& format, const report::PlanOptions& options) {
    return report::render_history(format, steps, whole, options).value_or("");
  };
  return print_results(arguments, render, read.complete ? ExitCode::Ok : ExitCode::Unknown);
}

}  // namespace quorate::cli
