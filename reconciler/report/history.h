// What agents did, step by step, out of their journals.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/journal_entry.h"
#include "reconciler/report/plan_report.h"

namespace quorate::report {

enum class Outcome { Done, Failed, Unclear, Unfinished };

// An intent with what became of it.
struct HistoryStep {
  std::string cluster;
  std::string member;  // whose agent
  std::string plan;
  std::string step;
  std::string step_class;
  std::string desired_digest;
  base::Time began{};
  std::optional<base::Time> ended;  // nothing: it runs, or its agent ended before it did
  Outcome outcome = Outcome::Unfinished;
  std::string reason;       // why it was meant
  std::string result;       // what went wrong, or what was said at its end
  std::string approved_by;  // empty: nobody had to be asked, and nobody said anything
  std::string approved_why;
};

std::string_view name_of(Outcome outcome);

// One journal, oldest entry first.
std::vector<HistoryStep> steps_of(const std::string& cluster, const std::vector<model::JournalEntry>& journal);

// Of several journals, in the order of their beginnings.
void sort_history(std::vector<HistoryStep>& steps);

// Those of a plan, or of a step, by an ID as plan prints it; a step done again and again is all of its times.
std::vector<HistoryStep> with_id(const std::vector<HistoryStep>& steps, std::string_view id);

// Formats text, json and yaml. `whole`: with reasons and results, as `history show` has it.
std::optional<std::string> render_history(std::string_view format, const std::vector<HistoryStep>& steps, bool whole,
                                          const PlanOptions& options);

}  // namespace quorate::report
