// A plan as remarks: what stops it, each step that waits or is blocked, and the notices that no step tells already.
#include "reconciler/report/plan_report.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/remarks.h"

namespace quorate::report {
namespace {

using model::Gated;
using model::PlanContext;
using model::Verdict;

Remark remark_of(const Verdict& verdict, std::string title) {
  Remark remark;
  remark.level = is_end(verdict) ? Remark::Level::Error : Remark::Level::Note;
  remark.id = verdict.rule;
  remark.title = std::move(title);
  remark.text = verdict.rule + ": " + verdict.text;
  if (!verdict.arithmetic.empty()) remark.text += "\n" + verdict.arithmetic;
  for (const model::Way& way : verdict.instead) {
    remark.text += "\ninstead: " + way.text + (way.command.empty() ? "" : ": " + way.command);
  }
  return remark;
}

Remark remark_of_step(const Gated& gated, std::size_t index, const PlanContext& context) {
  const model::Step& step = gated.plan.steps[index];
  const std::string sentence = "step " + std::to_string(index + 1) + ": " + step_sentence(step);
  Remark remark;
  if (const Verdict* verdict = verdict_of(gated, index)) {
    remark = remark_of(*verdict, sentence + ", " + verdict_words(*verdict));
  } else {
    remark.level = Remark::Level::Note;
    remark.id = step.reason.code;
    remark.title = sentence;
    remark.text = reason_sentence(step.reason);
  }
  remark.object = step.id;
  remark.file = step.reason.file.empty() ? context.file : step.reason.file;
  remark.line = step.reason.line;
  return remark;
}

std::vector<Remark> remarks_of(const Gated& gated, const PlanContext& context, bool every_step) {
  std::vector<Remark> all;
  if (gated.whole && gated.whole->ruling != model::Ruling::Go) {
    all.push_back(remark_of(*gated.whole, headline(gated)));
    all.back().level = Remark::Level::Error;
    all.back().object = "plan";
    all.back().file = context.file;
  }
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    if (every_step || verdict_of(gated, i) != nullptr) all.push_back(remark_of_step(gated, i, context));
  }
  for (const model::Notice& notice : gated.plan.notices) {
    if (!notice.ignored.empty() || is_told_by_steps(gated.plan, notice)) continue;
    all.push_back(report::remark_of(notice, context.file));
  }
  return all;
}

}  // namespace

std::string plan_github(const Gated& gated, const PlanContext& context, const PlanOptions& /*options*/) {
  return remarks_github(remarks_of(gated, context, false));
}

std::string plan_sarif(const Gated& gated, const PlanContext& context, const PlanOptions& options) {
  return remarks_sarif(remarks_of(gated, context, false), options.tool_version);
}

std::string plan_junit(const Gated& gated, const PlanContext& context, const PlanOptions& /*options*/) {
  return remarks_junit(remarks_of(gated, context, true), "quorate plan", gated.plan.cluster);
}

}  // namespace quorate::report
