// A turn: the step that is ours, written down, carried out under the lock where there is a quorum, and written down
// again.
#include <algorithm>
#include <utility>

#include "reconciler/loop/agent.h"
#include "reconciler/model/rules.h"
#include "renderers/registry.h"

namespace quorate::loop {
namespace {

constexpr base::Duration kSoon{30};
constexpr base::Duration kSooner{10};  // is added each time, since what has taken long will take longer
constexpr base::Duration kLeast{100};
constexpr base::Duration kLeastOfRestore{5000};  // its tries are counted, and what is in its way takes longer to pass
constexpr base::Duration kKeepLock = apply::kLeaseTtl / 4;
constexpr base::Duration kSomebodyElse{1000};
// A new etcd asks the others whether there is a cluster. Two that do so in the same moment wait a second for each
// other, since neither serves before its own answer has come: one after the other they are sooner there.
constexpr int kPolitePasses = 6;
constexpr base::Duration kHeld{5000};  // what people have said elsewhere is seen by then
constexpr base::Duration kUnknown{300};
constexpr base::Duration kLongestBackoff{30000};
// A step that has failed for so long waits for people; now and then it is seen whether the world has changed.
constexpr base::Duration kGiveUp = std::chrono::minutes{15};
constexpr base::Duration kSeldom = std::chrono::minutes{5};
constexpr base::Duration kOldest{10000};  // of evidence that is acted on

// What a step compares when it begins.
enum class Guard { None, InForce, Lock };

bool founds(const model::Action& action) {
  const auto* write = std::get_if<model::WriteManifest>(&action);
  return write != nullptr && write->boot == model::BootMode::New;
}

bool relieves(const model::Action& action) {
  return std::holds_alternative<model::Compact>(action) || std::holds_alternative<model::Defragment>(action) ||
         std::holds_alternative<model::DisarmAlarm>(action);
}

// What brings a full cluster back needs no lock: it is done by one agent at a time all the same, as the first step. Nor
// does starting what was added under the lock for this very node: it has no vote, and nothing else waits for it.
Guard guard_of(const model::Action& action, bool full) {
  const auto* write = std::get_if<model::WriteManifest>(&action);
  if (full && (write != nullptr || std::holds_alternative<model::MoveLeader>(action))) return Guard::None;
  if (write != nullptr && write->boot == model::BootMode::Join) return Guard::InForce;
  // It writes nothing, and beside a learner some releases must not be defragmented.
  if (full && std::holds_alternative<model::Promote>(action)) return Guard::InForce;
  // It changes nothing but the record that says what it found.
  if (std::holds_alternative<model::VerifyData>(action)) return Guard::InForce;
  return relieves(action) ? Guard::None : Guard::Lock;
}

void fence_to_file(apply::Fence& fence, const AgentView& view) {
  fence.in_force_key = std::string(model::kInForceKey);
  fence.in_force_revision = view.agents.records->in_force.mod_revision;
}

// The files of a node that keeps its own words in them are planned under the name that everybody knows.
model::Step as_written_here(const AgentView& view, const model::Step& step) {
  auto* write = std::get_if<model::WriteManifest>(&step.action);
  const auto bundle = view.followed->bundles.find(view.me.name);
  if (write == nullptr || bundle == view.followed->bundles.end() || write->digest != bundle->second.digest) return step;
  model::Step here = step;
  std::get<model::WriteManifest>(here.action).digest = renderers::digest_of(bundle->second.files);
  return here;
}

tl::unexpected<base::Error> moved(std::string message) {
  return tl::unexpected(base::Error{base::ErrorKind::Conflict, std::move(message), "plan again"});
}

}  // namespace

base::Result<void> Agent::carry_out(const AgentView& view, const model::Step& step, std::optional<apply::Fence> fence) {
  // An agent that hung, or a look that took long: what it is about to act on may have passed.
  const auto is_old = [&] { return ports_.clock.elapsed() - view.since > kOldest; };
  const base::Result<void> too_old = moved("what " + step.id + " was decided on is too old");
  if (is_old()) return too_old;
  const auto noted = tell_begin(view, step);
  // What is not on record is not done, but for what gives a full etcd room, whose disk the journal may be on.
  if (!noted && !relieves(step.action)) {
    return tl::unexpected(
        base::Error{base::ErrorKind::Transient,
                    "that " + step.id + " begins could not be written to the journal: " + noted.error().message,
                    "make room on the disk of the state directory"});
  }
  if (is_old()) {  // a disk that hangs
    tell_end(view, step, too_old);
    return too_old;
  }
  ports_.events.say(ports::EventLevel::Info, step.id + ": " + step.reason.text);
  model::Memory memory = remembered();
  const apply::Scene scene{view.desired, view.me,      settings_.state_dir, view.observed,
                           memory,       view.serving, std::move(fence),    settings_.within};
  auto done = apply::carry_out(
      {ports_.etcd, ports_.host, ports_.runtime, ports_.clock, ports_.restorer, ports_.stores, &ports_.node}, scene,
      as_written_here(view, step));
  {
    const std::lock_guard lock(mutex_);
    memory_ = memory;
  }
  tell_end(view, step, done);
  if (!done) ports_.events.say(ports::EventLevel::Warning, step.id + ": " + done.error().message);
  return done;
}

// The next step that takes the lock will be ours, too: it is kept until then.
bool goes_on(const model::Plan& plan, const model::Step& step) {
  const auto is_it = [&](const model::Step& each) { return each.id == step.id; };
  const auto found = std::find_if(plan.steps.begin(), plan.steps.end(), is_it);
  if (found == plan.steps.end() || step.owner != "cluster") return false;
  const auto next = std::find_if(found + 1, plan.steps.end(),
                                 [](const model::Step& each) { return guard_of(each.action, false) == Guard::Lock; });
  return next != plan.steps.end() && next->owner == "cluster";
}

// What was planned without the lock is looked at again under it: only then nobody else is changing the cluster. With a
// lock that was kept from the step before, this pass has looked under it already.
base::Result<void> Agent::act_locked(const AgentView& view, const model::Step& step) {
  const bool long_step = step.owner != "cluster";  // it may wait for a member to end
  if (lock_ && !long_step && ports_.clock.elapsed() < lock_->until) {
    return act_under(*std::exchange(lock_, std::nullopt), view, step.id);
  }
  if (lock_) release(std::exchange(lock_, std::nullopt)->fence, view.observed);
  const base::Duration asked = ports_.clock.elapsed();
  auto fence =
      apply::take_lock(ports_.etcd, view.serving, view.observed.membership->cluster, settings_.member, settings_.within,
                       long_step ? apply::long_lease_ttl(view.desired.stop_timeout) : apply::kLeaseTtl);
  if (!fence) return tl::unexpected(fence.error());
  AgentView again = look();
  judge(again);
  return act_under({*std::move(fence), asked + kKeepLock}, again, step.id);
}

base::Result<void> Agent::act_under(apply::HeldLock lock, const AgentView& view, const std::string& step) {
  base::Result<void> done = moved(step + " is no longer the first step");
  bool keep = false;
  if (view.has_quorum() && view.is_in_force()) {
    fence_to_file(lock.fence, view);
    const Turn turn = turn_of(view.plan.gated, view.desired, view.observed, settings_.member, view.followers);
    if (turn.step != nullptr && turn.step->id == step) {
      done = carry_out(view, *turn.step, lock.fence);
      keep = done && goes_on(view.plan.gated.plan, *turn.step);
    }
  }
  if (keep) {
    kept_lock_ = std::move(lock);
  } else {
    release(std::move(lock.fence), view.observed);
  }
  return done;
}

// The step may have stopped the very member that the lock was taken through.
void Agent::release(apply::Fence fence, const model::Observed& observed) {
  if (apply::release_lock(ports_.etcd, fence, settings_.within)) return;
  for (const std::string& endpoint : model::serving_endpoints(observed, settings_.member)) {
    fence.endpoint = endpoint;
    if (apply::release_lock(ports_.etcd, fence, settings_.within)) return;
  }
  unreleased_ = std::move(fence);
}

// Nobody else could act until its lease ends.
void Agent::release_what_is_left(const AgentView& view) {
  if (!unreleased_ || !view.has_quorum()) return;
  unreleased_->endpoint = view.serving;
  if (apply::release_lock(ports_.etcd, *unreleased_, settings_.within)) unreleased_.reset();
}

// A cluster that runs gives way to what people have chosen instead.
bool is_deliberate(const model::Step& step) {
  const auto* promise = std::get_if<model::Promise>(&step.action);
  return promise != nullptr && promise->gives_way && promise->gives_way->deliberate;
}

base::Result<void> Agent::act(const AgentView& view, const model::Step& step) {
  const Guard guard = guard_of(step.action, model::is_full(view.observed));
  // Whoever starts as a founder has promised after a second look, and starts for no other decision.
  const bool looks_again = !view.observed.membership && !founds(step.action);
  if (looks_again || is_deliberate(step)) return act_again(view, step);
  if (!view.observed.membership || guard == Guard::None) return carry_out(view, step, std::nullopt);
  if (!view.has_quorum()) return moved("the cluster has no quorum");
  if (guard == Guard::Lock) return act_locked(view, step);
  if (model::is_full(view.observed)) return carry_out(view, step, std::nullopt);  // not even the note that it begins
  apply::Fence fence;
  fence.endpoint = view.serving;
  fence_to_file(fence, view);
  return carry_out(view, step, std::move(fence));
}

// Nothing fences what happens without a quorum but what everybody says right before it.
base::Result<void> Agent::act_again(const AgentView& view, const model::Step& step) {
  AgentView again = look(Witness::No, Patience::Full);
  judge(again);
  const bool came_back = again.observed.membership && !is_deliberate(step);
  if (came_back || again.followed != view.followed) return moved("the world has moved on");
  const Turn turn = turn_of(again.plan.gated, again.desired, again.observed, settings_.member, again.followers);
  if (turn.step == nullptr || turn.step->id != step.id) return moved(step.id + " is no longer the first step");
  return carry_out(again, *turn.step, std::nullopt);
}

void Agent::take_turn(const AgentView& view, Pass& pass) {
  const model::Gated& gated = view.plan.gated;
  if (publish_readiness(view, pass)) {
    pass.did = true;
    return;
  }
  if (view.has_quorum() && !view.agents.records) {
    pass.waits = "the records in etcd: " + view.agents.records.error().message;
    pass.wait = kSomebodyElse;
    return;
  }
  const bool agreed = !view.has_quorum() || view.is_in_force();
  if (!agreed && !model::is_full(view.observed)) {
    pass.waits = "a majority of the agents to hold the same desired file";
    pass.wait = kSomebodyElse;
    return;
  }
  if (gated.plan.steps.empty()) {
    // Also where a voter still has to come back: what the file asks for has been carried out.
    if (agreed && gated.plan.stop == model::ExitCode::Ok && view.has_quorum()) {
      const auto recorded = record_applied(view);
      pass.did = recorded && *recorded;
    }
    if (agreed && gated.plan.status == model::PlanStatus::Converged) {
      unknown_passes_ = 0;
      pass.wait = view.desired.reconcile.every;
      return;
    }
    // An election, a start: it passes soon, or it lasts.
    pass.wait = std::min(view.desired.reconcile.every, kUnknown * ++unknown_passes_);
    pass.waits = gated.plan.notices.empty() ? "an answer" : gated.plan.notices.front().text;
    return;
  }
  unknown_passes_ = 0;
  const int soon_passes = std::exchange(soon_passes_, 0);
  const Turn turn = turn_of(gated, view.desired, view.observed, settings_.member, view.followers);
  const auto look_soon = [&] {
    soon_passes_ = soon_passes + 1;
    return std::min(kSoon + kSooner * soon_passes, kSomebodyElse);
  };
  if (turn.step != nullptr && !turn.after.empty() && soon_passes < kPolitePasses) {
    pass.waits = "the etcd of " + turn.after + " to start a moment sooner";
    pass.wait = look_soon();
    return;
  }
  if (turn.step == nullptr) {
    pass.waits = turn.waits;
    pass.looks_on = turn.looks_on;
    pass.wait = turn.soon ? look_soon() : next_look(turn, view.desired.reconcile.every);
    if (turn.soon || guard_of(gated.plan.steps.front().action, false) != Guard::Lock) keep_lock_for_a_while(pass);
    return;
  }
  pass.step = turn.step->id;
  if (!agreed && guard_of(turn.step->action, model::is_full(view.observed)) != Guard::None) {
    pass.waits = "a majority of the agents to hold the same desired file";
    pass.wait = kSomebodyElse;
    return;
  }
  // It is made beside the passes, and the step after it waits for it, and nothing else does.
  if (std::holds_alternative<model::Backup>(turn.step->action)) {
    pass.wait = kHeld;
    return;
  }
  if (std::holds_alternative<model::Fetch>(turn.step->action)) return tend_fetch(view, *turn.step, pass);
  // What is no longer our turn has not failed for good.
  std::erase_if(failing_, [&](const auto& each) { return each.first != pass.step && each.first != kOwnNode; });
  if (is_resting(pass.step, pass)) return;
  const auto done = act(view, *turn.step);
  if (done) {
    failing_.erase(pass.step);
    pass.did = true;
    return;
  }
  pass.failed = done.error();
  pass.wait = after_failure(pass.step);
  pass.given_up = has_given_up(pass.step);
}

// Nobody else needs it for what we wait for, and what comes then is ours.
void Agent::keep_lock_for_a_while(Pass& pass) {
  if (!lock_) return;
  const base::Duration left = lock_->until - ports_.clock.elapsed();
  if (left <= base::Duration{0}) return;
  kept_lock_ = std::exchange(lock_, std::nullopt);
  pass.wait = std::min(pass.wait, left);
}

namespace {

// The backup that is the first step of the plan, when it is our turn.
const model::Step* backup_first(const AgentView& view, const Pass& pass, bool into_spool) {
  const auto& steps = view.plan.gated.plan.steps;
  if (steps.empty() || pass.step != steps.front().id) return nullptr;
  const auto* backup = std::get_if<model::Backup>(&steps.front().action);
  return backup != nullptr && backup->spool.empty() != into_spool ? &steps.front() : nullptr;
}

}  // namespace

void Agent::tend_store(const AgentView& view, Pass& pass) {
  if (!keeper_) return;
  const model::Step* before = backup_first(view, pass, false);
  StoreTurn turn = keeper_->tend(view, before);
  if (turn.did) pass.did = true;
  if (turn.wait) pass.wait = std::min(pass.wait, *turn.wait);
  if (before == nullptr) return;
  pass.waits = turn.waits;
  pass.failed = turn.failed;
}

void Agent::tend_spool(const AgentView& view, Pass& pass) {
  const model::Step* before = backup_first(view, pass, true);
  model::Memory memory = remembered();
  SpoolTurn turn;
  if (spooler_) {
    turn = spooler_->tend(view, memory.standing.spooled, before);
  } else if (before != nullptr) {  // what heals is not held up by that
    turn.spooled = model::Spooled{ports_.clock.now(), "this agent keeps no spool", "", ""};
  }
  if (turn.noted) static_cast<void>(note(view, turn.noted->step, turn.noted->event, turn.noted->text));
  if (turn.spooled) {
    memory.standing.spooled = turn.spooled;
    const auto kept = remember(memory);
    pass.did = true;
    if (!kept) {  // a full disk here holds no heal up
      tell_once(kOwnNode, kept.error());
      const std::lock_guard lock(mutex_);
      memory_.standing.spooled = turn.spooled;
      ++sequence_;
    }
  }
  if (turn.wait) pass.wait = std::min(pass.wait, *turn.wait);
  if (before != nullptr) pass.waits = turn.waits;
}

// Whatever woke us up is no reason to try again sooner; a new file is.
bool Agent::is_resting(const std::string& step, Pass& pass) {
  const auto failing = failing_.find(step);
  if (failing == failing_.end()) return false;
  const base::Duration now = ports_.clock.elapsed();
  if (now >= failing->second.not_before) return false;
  pass.waits = "a moment, before " + step + " is tried again";
  pass.wait = failing->second.not_before - now;
  pass.given_up = has_given_up(step);
  return true;
}

bool Agent::has_given_up(const std::string& step) const {
  const auto failing = failing_.find(step);
  return failing != failing_.end() && ports_.clock.elapsed() - failing->second.since > kGiveUp;
}

base::Duration Agent::next_look(const Turn& turn, base::Duration every) const {
  if (!turn.until) return turn.held ? kHeld : kSomebodyElse;
  // Who stops looking is no witness any more.
  const base::Duration left = std::min(*turn.until - ports_.clock.now(), kHeld);
  return std::clamp(left, kLeast, every);
}

// Quick at first, since most refusals of etcd pass within seconds; then ever slower, and never in step with others.
base::Duration Agent::after_failure(const std::string& step) {
  const base::Duration now = ports_.clock.elapsed();
  Failing& failing = failing_.emplace(step, Failing{now, now}).first->second;
  const base::Duration least = step.rfind("restore/", 0) == 0 ? kLeastOfRestore : kLeast;
  const base::Duration slow =
      has_given_up(step) ? kSeldom : std::clamp((now - failing.since) / 8, least, kLongestBackoff);
  const auto spread = static_cast<std::uint64_t>(slow.count() / 4 + 1);
  const base::Duration pause = slow + base::Duration{static_cast<std::int64_t>(ports_.entropy.below(spread))};
  failing.not_before = now + pause;
  return pause;
}

}  // namespace quorate::loop
