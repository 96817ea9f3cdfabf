// Results first, then what is due; one piece of work at a time.
#include "reconciler/loop/store_keeper.h"

#include <algorithm>
#include <utility>

#include "reconciler/loop/turn.h"
#include "reconciler/model/rules.h"
#include "reconciler/plan/backup.h"

namespace quorate::loop {
namespace {

using model::StoreTask;

constexpr base::Duration kLookAgain = std::chrono::minutes{15};
constexpr base::Duration kLongestPause = std::chrono::minutes{10};
constexpr base::Duration kBusyElsewhere{5000};
constexpr base::Duration kLongestJoin = std::chrono::minutes{10};
constexpr base::Duration kUnwritten{1000};
constexpr base::Duration kLeast{100};

std::string id_of(const std::optional<model::Step>& step) {
  return step ? step->id : "a look";
}

StoreTask task_of(const std::optional<model::Step>& step) {
  if (!step) return StoreTask::Look;
  if (std::holds_alternative<model::Verify>(step->action)) return StoreTask::Verify;
  return std::holds_alternative<model::Prune>(step->action) ? StoreTask::Prune : StoreTask::Backup;
}

// One follows from the other, or both from a store that does not answer.
bool is_same_trouble(StoreTask a, StoreTask b) {
  const auto is_by_itself = [](StoreTask task) { return task == StoreTask::Verify || task == StoreTask::Publish; };
  return a == b || (!is_by_itself(a) && !is_by_itself(b));
}

// What failed has succeeded since, or there is no need for it any more.
bool is_over(const model::BackupTrouble& trouble, StoreTask done, const StoreResult& result,
             const model::BackupPolicy& policy) {
  if (trouble.store != policy.to || trouble.task == done) return true;
  switch (trouble.task) {
    case StoreTask::Look:
      return true;
    case StoreTask::Prune:
      return result.seen && result.seen->removable == 0;
    case StoreTask::Publish:
      return result.published;
    case StoreTask::Verify:
      return policy.verify_every.count() == 0 ||
             (result.seen && result.seen->verified && *result.seen->verified > trouble.since);
    case StoreTask::Backup:
      break;
  }
  return done != StoreTask::Look;
}

// That somebody wants to restore from, or that is being restored from.
std::vector<std::string> needed_backups(const AgentView& view, base::Time now) {
  std::vector<std::string> names;
  if (!view.desired.recovery.restore.empty()) names.push_back(view.desired.recovery.restore);
  for (const model::Allowed& each : view.agents.records->allowed) {
    const auto order = model::parse_restore_order(each.what);
    if (order && !each.denied && each.until > now) names.push_back(order->backup);
  }
  for (const model::NodeFacts& node : view.observed.nodes) {
    const auto* pledge = node.standing && node.standing->pledge ? &*node.standing->pledge : nullptr;
    if (pledge != nullptr && pledge->decision.backup) names.push_back(pledge->decision.backup->name);
  }
  return names;
}

// The store has nothing to do with it.
bool is_of_this_node(StoreTask task, const backup::Failure& failure) {
  return task == StoreTask::Verify && failure.trouble != backup::Trouble::Store &&
         failure.trouble != backup::Trouble::Etcd;
}

bool is_joined(const AgentView& view) {
  const auto& members = view.observed.membership->members;
  const auto& steps = view.plan.gated.plan.steps;
  return std::any_of(members.begin(), members.end(), [](const auto& each) { return each.listed.learner; }) ||
         std::any_of(steps.begin(), steps.end(),
                     [](const model::Step& step) { return std::holds_alternative<model::AddMember>(step.action); });
}

// Another agent has it, or this one ends: nothing is wrong with the store.
bool is_none_of_ours(const backup::Failure& failure) {
  return failure.trouble == backup::Trouble::Refused && failure.error.kind == base::ErrorKind::Conflict;
}

}  // namespace

StoreKeeper::StoreKeeper(StorePorts ports, ports::Journal& journal, ports::Events& events, std::string member,
                         base::Duration within)
    : ports_(ports), journal_(journal), events_(events), member_(std::move(member)), within_(within) {}

StoreKeeper::~StoreKeeper() {
  if (work_) work_->stop = true;
}

void StoreKeeper::note(const AgentView& view, const Work& work, model::JournalEvent event, const std::string& text) {
  model::JournalEntry entry;
  entry.at = ports_.clock.now();
  entry.event = event;
  entry.member = member_;
  entry.plan = work.plan;
  entry.step = work.step->id;
  entry.step_class = std::string(model::name_of(work.step->step_class));
  entry.desired_digest = view.followed->digest;
  entry.text = text;
  if (const auto said = view.said.find(entry.step); said != view.said.end() && !said->second.denied) {
    entry.approved_by = said->second.by;
    entry.approved_why = said->second.why;
  }
  const auto written = journal_.append(entry);
  if (!written) events_.say(ports::EventLevel::Warning, "journal: " + written.error().message);
}

void StoreKeeper::fail(const AgentView& view, const Work& work, const backup::Failure& failure) {
  if (is_none_of_ours(failure)) {
    const auto more = base::Duration{static_cast<std::int64_t>(ports_.entropy.below(1000))};
    rest_.not_before = ports_.clock.elapsed() + kBusyElsewhere + more;
    return;
  }
  const StoreTask task = task_of(work.step);
  Rest& rest = is_of_this_node(task, failure) ? trial_rest_ : rest_;
  rest.tire(ports_.clock, ports_.entropy, kLongestPause);
  const auto& known = record_->trouble;
  const bool is_known = known && known->store == work.order.policy.to && is_same_trouble(known->task, task);
  const std::string text = failure.error.message;
  if (!is_known || known->text != text) {
    events_.say(ports::EventLevel::Warning,
                id_of(work.step) + ": " + text + (failure.error.help.empty() ? "" : "; " + failure.error.help));
    if (work.step) note(view, work, model::JournalEvent::Failed, text);
  }
  record_->trouble =
      model::BackupTrouble{work.order.policy.to, is_known ? known->since : ports_.clock.now(), text, task};
}

void StoreKeeper::end_trouble(const Work& work) {
  const StoreTask task = task_of(work.step);
  rest_ = {};
  // One that is bad is followed by a new backup at once, and that one by its verification: not so for ever.
  if (work.result.bad) {
    trial_rest_.tire(ports_.clock, ports_.entropy, work.order.policy.verify_every);
  } else if (task == StoreTask::Verify) {
    trial_rest_ = {};
  }
  const auto& trouble = record_->trouble;
  if (trouble && is_over(*trouble, task, work.result, work.order.policy)) record_->trouble.reset();
}

// A notice and no more: backups go on.
void StoreKeeper::tell_unpublished(const Work& work) {
  const std::string text = work.result.unpublished->message;
  const auto& known = record_->trouble;
  if (known && (known->task != StoreTask::Publish || known->text == text)) return;
  events_.say(ports::EventLevel::Warning, std::string(model::kPublished) + ": " + text);
  record_->trouble = model::BackupTrouble{work.order.policy.to, ports_.clock.now(), text, StoreTask::Publish};
}

void StoreKeeper::learn(const AgentView& view, const Work& work) {
  const StoreResult& result = work.result;
  const model::StoreRecord before = view.agents.records->store;
  record_ = before;
  if (result.seen) {
    record_->seen = result.seen;
    if (!result.seen->newest.empty()) record_->awaited.reset();
    looked_ = ports_.clock.elapsed();
  }
  if (result.published) published_ = ports_.clock.elapsed();
  if (result.failure) {
    fail(view, work, *result.failure);
  } else {
    end_trouble(work);
  }
  if (result.unpublished) tell_unpublished(work);
  if (result.did) {
    note(view, work, model::JournalEvent::Done, result.text);
    events_.say(ports::EventLevel::Info, work.step->id + ": " + result.text);
  }
  if (*record_ == before) record_.reset();
}

// The others, and people who ask, go by it.
bool StoreKeeper::tell(const AgentView& view) {
  const base::ClusterId cluster = view.observed.membership->cluster;
  ports::Txn txn;
  txn.when = {
      {ports::Compare::What::ModRevision, std::string(model::kInForceKey), view.agents.records->in_force.mod_revision}};
  txn.then = {{std::string(model::kStoreKey), model::store_value(cluster, *record_), 0}};
  const auto answer = ports_.etcd.transact(view.serving, txn, within_);
  if (!answer || !answer->done) return false;
  record_.reset();
  return true;
}

// A store that hangs never answers, nor does work that hangs end: without this nobody would know since when.
bool StoreKeeper::begins_to_wait(const AgentView& view) {
  const model::StoreRecord& known = view.agents.records->store;
  const std::string& to = view.desired.backup->to;
  const base::Time now = ports_.clock.now();
  const bool has_one = known.seen && known.seen->store == to && !known.seen->newest.empty();
  const auto& awaited = known.awaited;
  if (has_one || (awaited && awaited->store == to && !model::is_ahead(awaited->since, now))) return false;
  record_ = known;
  record_->awaited = model::BackupAwaited{to, now};
  return true;
}

void StoreKeeper::begin(const AgentView& view, std::optional<model::Step> step, std::string why) {
  auto work = std::make_shared<Work>(ports_);
  work->step = std::move(step);
  work->plan = view.plan.gated.plan.id;
  StoreOrder& order = work->order;
  order.policy = *view.desired.backup;
  if (work->step) order.action = work->step->action;
  order.why = std::move(why);
  order.by = "the agent of " + member_;
  order.terms = lease_terms(view, member_, within_);
  const auto& standing = view.agents.own.facts.standing;
  if (standing && standing->voters) {
    order.voters = model::RecordedVoters{view.desired.name, *standing->voters};
  }
  order.needed = needed_backups(view, ports_.clock.now());
  if (view.observed.backups) order.before = *view.observed.backups;
  order.etcd = view.desired.etcd.binary;
  order.observed = view.observed;
  order.publishes = !published_ || ports_.clock.elapsed() - *published_ >= kLookAgain;
  const bool begun = ports_.stores.begin([work] {
    work->result = work_on_store(work->ports, work->order, work->stop, [&](std::uint64_t done, std::uint64_t of) {
      work->done = done;
      work->of = of;
    });
    work->ended = true;
  });
  if (begun) work_ = std::move(work);
}

std::string StoreKeeper::progress() const {
  const std::uint64_t of = work_->of;
  const std::uint64_t done = std::min<std::uint64_t>(work_->done, of);
  return of == 0 ? "" : ", " + std::to_string(done * 100 / of) + "%";
}

StoreTurn StoreKeeper::tend(const AgentView& view, const model::Step* before) {
  StoreTurn turn;
  if (!view.desired.backup || !view.has_quorum() || !view.is_in_force() || model::is_full(view.observed)) return turn;
  if (followed_ != view.followed) {
    followed_ = view.followed;
    looked_.reset();
    rest_ = {};
    trial_rest_ = {};
  }
  if (work_ && work_->ended) learn(view, *std::exchange(work_, nullptr));
  if (record_) {
    turn.did = tell(view);
    turn.wait = kUnwritten;
    return turn;
  }
  const bool acts = actor_of(view.desired, view.observed, view.followers) == member_;
  if (acts && begins_to_wait(view)) {
    turn.did = tell(view);
    if (record_) turn.wait = kUnwritten;
  }
  if (before != nullptr) turn.waits = "the backup before the change";
  if (work_) {
    turn.waits += before != nullptr ? progress() : "";
    return turn;
  }
  if (!acts) return turn;
  return next_turn(view, before, std::move(turn));
}

// A member more keeps what is written sooner than a backup does, and a leader that sends both at once is slow with
// both: for how long a backup that is due still waits while somebody joins. Nothing: it does not.
std::optional<base::Duration> StoreKeeper::puts_off() {
  const base::Duration now = ports_.clock.elapsed();
  if (!put_off_) put_off_ = now;
  const base::Duration left = *put_off_ + kLongestJoin - now;
  return left > base::Duration{0} ? std::optional(left) : std::nullopt;
}

StoreTurn StoreKeeper::next_turn(const AgentView& view, const model::Step* before, StoreTurn turn) {
  const base::Duration now = ports_.clock.elapsed();
  const bool joined = is_joined(view);
  if (!joined) put_off_.reset();
  if (now < rest_.not_before) {
    turn.wait = rest_.not_before - now;
    const auto& trouble = view.observed.backup_trouble;
    if (before != nullptr && trouble) turn.failed = base::Error{base::ErrorKind::Transient, trouble->text, ""};
    return turn;
  }
  const bool looks = !looked_ || now - *looked_ >= kLookAgain || !view.observed.backups;
  auto step = looks ? std::nullopt : plan::store_step(view.desired, view.observed);
  if (joined && before == nullptr && task_of(step) == StoreTask::Backup) {
    if (const auto wait = puts_off()) {
      turn.wait = std::min(turn.wait.value_or(*wait), *wait);
      return turn;
    }
  }
  const bool rests = task_of(step) == StoreTask::Verify && now < trial_rest_.not_before;
  if (rests) step.reset();
  if (before != nullptr) {
    begin(view, *before, "before " + view.plan.gated.plan.id);
  } else if (looks || step) {
    begin(view, std::move(step), "schedule");
  }
  if (work_) return turn;
  if (before != nullptr || looks || step) {  // other work for the store has not ended; its end wakes us
    turn.wait = kBusyElsewhere;
    return turn;
  }
  if (rests) {
    const base::Time backup = model::next_backup(*view.desired.backup, view.observed.backups->covers);
    turn.wait = std::clamp(trial_rest_.not_before - now, kLeast, std::max(backup - view.observed.at, kLeast));
  } else if (const auto next = plan::next_store_step(view.desired, view.observed)) {
    turn.wait = std::max(*next - view.observed.at, kLeast);
  }
  return turn;
}

}  // namespace quorate::loop
