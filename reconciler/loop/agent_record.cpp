// What a plan comes to here and now: what the gate says of each step and who has agreed to it; and the journal's lines.
#include <algorithm>
#include <utility>

#include "reconciler/gate/consent.h"
#include "reconciler/loop/agent.h"
#include "reconciler/loop/preview.h"
#include "reconciler/model/plan_context.h"

namespace quorate::loop {

void Agent::heed(std::vector<model::Allowed> allowed, std::optional<model::Paused> paused) {
  const std::lock_guard lock(mutex_);
  allowed_ = std::move(allowed);
  paused_ = std::move(paused);
}

// What was said on this node was said when etcd could not take it: later than what stands there of the same thing.
std::vector<model::Allowed> Agent::heard(const AgentView& view) {
  std::vector<model::Allowed> all;
  const std::lock_guard lock(mutex_);
  if (view.agents.records) {
    for (const model::Allowed& each : view.agents.records->allowed) {
      const auto is_newer = [&](const model::Allowed& here) {
        return here.what == each.what && here.denied == each.denied;
      };
      if (std::none_of(allowed_.begin(), allowed_.end(), is_newer)) all.push_back(each);
    }
  }
  all.insert(all.end(), allowed_.begin(), allowed_.end());
  return all;
}

void Agent::judge(AgentView& view) {
  gate::Terms terms;
  terms.now = ports_.clock.now();
  terms.acting = true;
  terms.allowed = heard(view);
  terms.digest = view.followed->digest;
  view.plan.gated = preview(view.desired, view.followed->digest, view.followed->bundles, view.observed, terms);
  for (const model::Step& step : view.plan.gated.plan.steps) {
    auto said = gate::consent_to(view.desired, view.observed, step, terms);
    // The order to restore is a yes to all that it takes.
    if (!said && order_ && step.step_class == model::StepClass::Restore)
      said = gate::Consent{false, order_->by, order_->reason};
    if (said) view.said.emplace(step.id, *std::move(said));
  }
  view.plan.context = model::context_of(view.desired, view.observed, view.followed->digest);
}

model::JournalEntry Agent::entry_of(const AgentView& view, const model::Step& step, model::JournalEvent event,
                                    const std::string& text) {
  model::JournalEntry entry;
  entry.at = ports_.clock.now();
  entry.event = event;
  entry.member = settings_.member;
  entry.plan = view.plan.gated.plan.id;
  entry.step = step.id;
  entry.step_class = std::string(model::name_of(step.step_class));
  entry.desired_digest = view.followed->digest;
  entry.text = text;
  if (const auto said = view.said.find(step.id); said != view.said.end() && !said->second.denied) {
    entry.approved_by = said->second.by;
    entry.approved_why = said->second.why;
  }
  return entry;
}

base::Result<void> Agent::told_of(base::Result<void> written) {
  if (!written) ports_.events.say(ports::EventLevel::Warning, "journal: " + written.error().message);
  return written;
}

base::Result<void> Agent::note(const AgentView& view, const model::Step& step, model::JournalEvent event,
                               const std::string& text) {
  return told_of(ports_.journal.append(entry_of(view, step, event, text)));
}

base::Result<void> Agent::tell_begin(const AgentView& view, const model::Step& step) {
  return told_of(tries_.begin(entry_of(view, step, model::JournalEvent::Intent, model::why_of(step.reason))));
}

void Agent::tell_end(const AgentView& view, const model::Step& step, const base::Result<void>& done) {
  const bool unclear = !done && done.error().kind == base::ErrorKind::Ambiguous;
  const model::JournalEvent event = done      ? model::JournalEvent::Done
                                    : unclear ? model::JournalEvent::Unclear
                                              : model::JournalEvent::Failed;
  static_cast<void>(told_of(tries_.end(entry_of(view, step, event, done ? "" : done.error().message))));
}

}  // namespace quorate::loop
