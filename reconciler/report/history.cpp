// Journals hold intents and outcomes; people ask what was done and what became of it.
#include "reconciler/report/history.h"

#include <algorithm>
#include <map>
#include <utility>

#include "reconciler/report/prose.h"
#include "reconciler/report/status.h"

namespace quorate::report {
namespace {

using base::Json;
using model::JournalEntry;
using model::JournalEvent;

constexpr std::size_t kIndent = 4;

Outcome outcome_of(JournalEvent event) {
  switch (event) {
    case JournalEvent::Intent:
      return Outcome::Unfinished;
    case JournalEvent::Done:
      return Outcome::Done;
    case JournalEvent::Failed:
      return Outcome::Failed;
    case JournalEvent::Unclear:
      return Outcome::Unclear;
  }
  return Outcome::Unclear;
}

HistoryStep begun(const std::string& cluster, const JournalEntry& entry) {
  HistoryStep step;
  step.cluster = cluster;
  step.member = entry.member;
  step.plan = entry.plan;
  step.step = entry.step;
  step.step_class = entry.step_class;
  step.desired_digest = entry.desired_digest;
  step.began = entry.at;
  step.approved_by = entry.approved_by;
  step.approved_why = entry.approved_why;
  return step;
}

std::string took(const HistoryStep& step) {
  if (!step.ended) return "-";
  return base::age_text(std::max(*step.ended - step.began, base::Duration{}));
}

std::string dressed(const HistoryStep& step, const Style& style) {
  const std::string_view name = name_of(step.outcome);
  if (step.outcome == Outcome::Done) return style.green(name);
  return step.outcome == Outcome::Failed ? style.red(name) : style.yellow(name);
}

// One that an agent tried again and again with one end is one row.
struct Tries {
  const HistoryStep* first = nullptr;
  const HistoryStep* last = nullptr;
  std::size_t times = 1;
};

std::vector<Tries> folded(const std::vector<HistoryStep>& steps) {
  std::vector<Tries> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> latest;  // row of each agent
  for (const HistoryStep& step : steps) {
    const auto [row, added] = latest.emplace(std::make_pair(step.cluster, step.member), rows.size());
    if (!added) {
      Tries& tries = rows[row->second];
      const HistoryStep& before = *tries.last;
      if (before.step == step.step && before.plan == step.plan && before.outcome == step.outcome) {
        tries.last = &step;
        ++tries.times;
        continue;
      }
      row->second = rows.size();
    }
    rows.push_back({&step, &step});
  }
  return rows;
}

std::string row_text(const std::vector<HistoryStep>& steps, const PlanOptions& options) {
  std::vector<std::vector<std::string>> rows = {
      {"WHEN", "STEP", "OUTCOME", "TOOK", "CLASS", "AGENT", "PLAN", "APPROVED BY"}};
  for (const Tries& tries : folded(steps)) {
    const HistoryStep& step = *tries.last;
    std::string when = base::to_string(tries.first->began);
    if (options.now) when += " (" + base::age_text(std::max(*options.now - step.began, base::Duration{})) + " ago)";
    std::string outcome(name_of(step.outcome));
    if (tries.times > 1) outcome += ", " + std::to_string(tries.times) + " times";
    rows.push_back({when, printable(step.step), outcome, took(step), printable(step.step_class),
                    printable(step.cluster + "/" + step.member), printable(step.plan),
                    step.approved_by.empty() ? "-" : printable(step.approved_by)});
  }
  return table_text(rows, options.style);
}

std::string approval_of(const HistoryStep& step) {
  if (step.approved_by.empty()) return "";
  return "by " + step.approved_by + (step.approved_why.empty() ? "" : ": " + step.approved_why);
}

std::string whole_text(const std::vector<HistoryStep>& steps, const PlanOptions& options) {
  std::string text;
  for (const HistoryStep& step : steps) {
    if (!text.empty()) text += "\n";
    text += dressed(step, options.style) + "  " + options.style.bold(printable(step.step)) + "\n";
    const auto line = [&](const std::string& name, const std::string& value) {
      if (value.empty()) return;
      const std::string label = std::string(kIndent, ' ') + padded(name, 9);
      const std::string below = wrapped(value, options.style.width, label.size());
      text += label + below.substr(label.size());
    };
    line("began", base::to_string(step.began));
    line("took", step.ended ? took(step) : "no end is recorded: it runs, or its agent ended before it did");
    line("class", step.step_class);
    line("agent", step.cluster + "/" + step.member);
    line("plan", step.plan);
    line("file", step.desired_digest.empty() ? "" : "sha256 " + step.desired_digest);
    line("reason", step.reason);
    line("approved", approval_of(step));
    line("result", step.result);
  }
  return text;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json tree_of(const std::vector<HistoryStep>& steps) {
  Json list = Json::array();
  for (const HistoryStep& step : steps) {
    list.push_back({{"step", step.step},
                    {"outcome", name_of(step.outcome)},
                    {"began", base::to_string(step.began)},
                    {"ended", step.ended ? Json(base::to_string(*step.ended)) : Json(nullptr)},
                    {"class", step.step_class},
                    {"cluster", step.cluster},
                    {"member", step.member},
                    {"plan", step.plan},
                    {"desired_digest", step.desired_digest},
                    {"reason", step.reason},
                    {"result", step.result},
                    {"approved_by", text_or_null(step.approved_by)},
                    {"approved_why", text_or_null(step.approved_why)}});
  }
  return {{"format_version", "1.0"}, {"kind", "history"}, {"steps", list}};
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Done:
      return "done";
    case Outcome::Failed:
      return "failed";
    case Outcome::Unclear:
      return "unclear";
    case Outcome::Unfinished:
      return "unfinished";
  }
  return "";
}

std::vector<HistoryStep> steps_of(const std::string& cluster, const std::vector<JournalEntry>& journal) {
  std::vector<HistoryStep> steps;
  for (const JournalEntry& entry : journal) {
    if (entry.event == JournalEvent::Intent) {
      steps.push_back(begun(cluster, entry));
      steps.back().reason = entry.text;
      continue;
    }
    // An agent has one step at a time, so the intent is near the end; an older journal may have taken it away.
    const auto open = std::find_if(steps.rbegin(), steps.rend(), [&](const HistoryStep& step) {
      return step.outcome == Outcome::Unfinished && step.step == entry.step && step.plan == entry.plan;
    });
    const bool found = open != steps.rend();
    if (!found) steps.push_back(begun(cluster, entry));
    HistoryStep& step = found ? *open : steps.back();
    step.outcome = outcome_of(entry.event);
    step.ended = entry.at;
    step.result = entry.text;
  }
  return steps;
}

void sort_history(std::vector<HistoryStep>& steps) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const HistoryStep& a, const HistoryStep& b) { return a.began < b.began; });
}

std::vector<HistoryStep> with_id(const std::vector<HistoryStep>& steps, std::string_view id) {
  std::vector<HistoryStep> found;
  for (const HistoryStep& step : steps) {
    if (step.step == id || step.plan == id) found.push_back(step);
  }
  return found;
}

std::optional<std::string> render_history(std::string_view format, const std::vector<HistoryStep>& steps, bool whole,
                                          const PlanOptions& options) {
  if (format == "json") return document(tree_of(steps));
  if (format == "yaml") return base::to_yaml(tree_of(steps));
  if (format != "text") return std::nullopt;
  if (steps.empty()) return "Nothing was done.\n";
  return whole ? whole_text(steps, options) : row_text(steps, options);
}

}  // namespace quorate::report
