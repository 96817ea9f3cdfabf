// Only news: three agents make the same plan, and a plan that shrinks is the plan that was shown.
#include "reconciler/cli/screen.h"

#include <algorithm>

#include "reconciler/model/health.h"
#include "reconciler/report/plan_report.h"
#include "reconciler/report/prose.h"
#include "reconciler/report/status.h"

namespace quorate::cli {
namespace {

constexpr base::Duration kLasts{3000};

// What of a status is news: who is in, who is up, who leads, and whether it is as it should be.
std::string gist_of(const model::Observed& observed, const model::Gated& gated) {
  std::string gist = std::string(model::name_of(gated.plan.status)) + gated.plan.desired_digest;
  if (!observed.membership) return gist;
  gist += base::to_string(observed.membership->cluster) + base::to_string(model::leader_of(observed));
  for (const model::ObservedMember& member : observed.membership->members) {
    gist +=
        base::to_string(member.listed.id) + (member.listed.learner ? "l" : "v") + (model::is_up(member) ? "u" : "d");
  }
  return gist;
}

}  // namespace

bool Screen::take(const std::string& member, const loop::Pass& pass) {
  if (pass.plan.gated.plan.id.empty()) return false;  // nothing was planned
  const std::lock_guard lock(mutex_);
  latest_[member] = Latest{pass.plan, pass.observed, pass.waits};
  last_member_ = member;
  return true;
}

std::string Screen::plan_news(const Latest& latest, base::Time now) {
  const auto& steps = latest.plan.gated.plan.steps;
  if (steps.empty()) {
    silence_.clear();
    return "";
  }
  const bool known = std::all_of(steps.begin(), steps.end(),
                                 [&](const model::Step& step) { return shown_steps_.count(step.id) != 0; });
  if (known) return "";
  // The silence of a member that restarts: it passes in a moment, or it lasts.
  const auto& verdicts = latest.plan.gated.verdicts;
  if (!verdicts.empty() && verdicts.front().ruling == model::Ruling::Hold && verdicts.front().rule == "F2") {
    if (silence_ != steps.front().id) silence_since_ = now;
    silence_ = steps.front().id;
    if (now - silence_since_ < kLasts) return "";
  }
  shown_steps_.clear();
  for (const model::Step& step : steps) shown_steps_.insert(step.id);
  report::PlanOptions options;
  options.style = style_;
  options.now = now;
  return report::plan_text(latest.plan.gated, latest.plan.context, options) + "\n";
}

std::string Screen::status_news(const Latest& latest, const model::Desired& desired, base::Time now) {
  const model::Plan& plan = latest.plan.gated.plan;
  if (!plan.steps.empty() || plan.stop != model::ExitCode::Ok) return "";
  const std::string gist = gist_of(latest.observed, latest.plan.gated);
  if (gist == shown_status_) return "";
  shown_status_ = gist;
  shown_steps_.clear();
  report::PlanOptions options;
  options.style = style_;
  options.now = now;
  const report::StatusView view{desired, latest.observed, latest.plan.gated, latest.plan.context};
  return report::render_status("text", view, options).value_or("") + "\n";
}

std::string Screen::news(const model::Desired& desired, base::Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(last_member_);
  if (found == latest_.end()) return "";
  std::string text = plan_news(found->second, now);
  text += status_news(found->second, desired, now);
  const std::string& waits = found->second.waits;
  if (waits != waits_) {
    waits_ = waits;
    waits_since_ = now;
    waits_shown_ = false;
  }
  // What passes in a moment is no news.
  if (!waits.empty() && !waits_shown_ && now - waits_since_ >= kLasts) {
    waits_shown_ = true;
    text += "waiting for " + report::printable(waits) + "\n";
  }
  return text;
}

}  // namespace quorate::cli
