// Results first, then the snapshot that is waited for, then what the store still has to get.
#include "reconciler/loop/spool_keeper.h"

#include <algorithm>
#include <utility>

#include "reconciler/base/path.h"
#include "reconciler/model/rules.h"

namespace quorate::loop {
namespace {

constexpr base::Duration kLongestPause = std::chrono::minutes{10};
constexpr base::Duration kDamaged = std::chrono::hours{24};
constexpr base::Duration kGrace{30000};  // a snapshot that took too long says so itself by then

std::uint64_t largest_database(const model::Observed& observed) {
  std::int64_t size = 0;
  for (const model::ObservedMember& member : observed.membership->members) {
    if (member.status) size = std::max(size, member.status->db_size);
  }
  return static_cast<std::uint64_t>(size);
}

StorePorts with(const StorePorts& ports, ports::Stores& stores) {
  return {ports.etcd, stores, ports.parallel, ports.clock, ports.entropy, ports.restorer};
}

}  // namespace

SpoolKeeper::SpoolKeeper(StorePorts ports, ports::Stores& aside, ports::Events& events, std::string member,
                         base::Duration within)
    : ports_(ports), aside_(with(ports, aside)), events_(events), member_(std::move(member)), within_(within) {}

SpoolKeeper::~SpoolKeeper() {
  for (const auto& work : {snapshot_, bringing_}) {
    if (work) work->stop = true;
  }
}

// Agents of one machine have one each, and members of two clusters may be called alike.
SpoolOrder SpoolKeeper::order_of(const AgentView& view) const {
  SpoolOrder order;
  order.policy = *view.desired.backup;
  order.policy.spool = base::join_path(base::join_path(order.policy.spool, view.desired.name), member_);
  order.terms = lease_terms(view, member_, within_);
  order.size = largest_database(view.observed);
  order.why = "before " + view.plan.gated.plan.id;
  order.by = "the agent of " + member_;
  return order;
}

// Whatever came of it: what heals goes on. A backup that the store still has to get is not forgotten for one that
// failed.
void SpoolKeeper::tell_snapshot(const model::Step& step, const model::Spooled& known, model::Spooled came,
                                SpoolTurn& turn) {
  const bool failed = !came.failed.empty();
  const std::string text = failed ? came.failed : came.name;
  turn.noted = SpoolTurn::Noted{step, failed ? model::JournalEvent::Failed : model::JournalEvent::Done, text};
  events_.say(failed ? ports::EventLevel::Warning : ports::EventLevel::Info,
              step.id + ": " + text + (failed ? "; it goes on without one" : ""));
  if (failed) {
    came.name = known.name;
    came.folder = known.folder;
  }
  turn.spooled = std::move(came);
  rest_ = {};
}

void SpoolKeeper::learn_snapshot(const Work& work, const model::Spooled& known, SpoolTurn& turn) {
  model::Spooled came = work.spooled;
  if (work.failure) came.failed = work.failure->error.message;
  tell_snapshot(work.step, known, std::move(came), turn);
}

// A disk that hangs gives nothing back, not even an error.
void SpoolKeeper::give_up(Work& work, const model::Spooled& known, const std::string& why, SpoolTurn& turn) {
  work.stop = true;
  tell_snapshot(work.step, known, model::Spooled{ports_.clock.now(), why, "", ""}, turn);
}

void SpoolKeeper::learn_brought(const Work& work, const model::Spooled& known, SpoolTurn& turn) {
  const bool lost = work.failure && work.failure->trouble == backup::Trouble::NoBackup;
  const std::string& name = work.spooled.name;
  if (!work.failure || lost) {
    events_.say(lost ? ports::EventLevel::Warning : ports::EventLevel::Info,
                lost ? work.failure->error.message : name + " has been brought from the spool to the store");
    rest_ = {};
    told_.clear();
    if (known.name == name) turn.spooled = model::Spooled{known.at, known.failed, "", ""};
    return;
  }
  rest_.tire(ports_.clock, ports_.entropy, kLongestPause);
  // What is damaged stays so until another one takes its place.
  if (work.failure->trouble == backup::Trouble::BadBackup) rest_.not_before = ports_.clock.elapsed() + kDamaged;
  const base::Error& error = work.failure->error;
  const bool busy = work.failure->trouble == backup::Trouble::Refused && error.kind == base::ErrorKind::Conflict;
  if (!busy && told_ != error.message) {
    events_.say(ports::EventLevel::Warning, name + " stays in the spool for now: " + error.message);
    told_ = error.message;
  }
}

void SpoolKeeper::tend_snapshot(const AgentView& view, const model::Spooled& known, const model::Step& step,
                                SpoolTurn& turn) {
  const base::Duration now = ports_.clock.elapsed();
  turn.waits = "the snapshot before a member is replaced";
  if (snapshot_) {
    if (now - snapshot_->begun < kLongestSnapshot + kGrace) return;
    hung_ = std::exchange(snapshot_, nullptr);
    return give_up(*hung_, known, "it hangs; perhaps the disk does", turn);
  }
  auto work = std::make_shared<Work>(aside_, order_of(view));
  work->step = step;
  work->begun = now;
  if (bringing_) work->order.keep = bringing_->spooled.name;
  const bool begun = aside_.stores.begin([work] {
    auto taken = take_snapshot(work->ports, work->order, work->stop);
    work->spooled.at = work->ports.clock.now();
    if (taken) {
      work->spooled.name = *std::move(taken);
      work->spooled.folder = work->order.policy.spool;
    } else {
      work->failure = std::move(taken.error());
    }
    work->ended = true;
  });
  if (!begun) return give_up(*work, known, "the one before it has not ended, or no thread is to be had", turn);
  events_.say(ports::EventLevel::Info, step.id + ": " + step.reason.text);
  turn.noted = SpoolTurn::Noted{step, model::JournalEvent::Intent, model::why_of(step.reason)};
  snapshot_ = std::move(work);
}

void SpoolKeeper::tend_bringing(const AgentView& view, const model::Spooled& known, SpoolTurn& turn) {
  const base::Duration now = ports_.clock.elapsed();
  if (now < rest_.not_before) {
    turn.wait = rest_.not_before - now;
    return;
  }
  auto work = std::make_shared<Work>(ports_, order_of(view));
  work->spooled = known;
  const bool begun = ports_.stores.begin([work] {
    auto brought = bring_to_store(work->ports, work->order, work->spooled, work->stop);
    if (!brought) work->failure = std::move(brought.error());
    work->ended = true;
  });
  if (begun) bringing_ = std::move(work);
}

SpoolTurn SpoolKeeper::tend(const AgentView& view, const std::optional<model::Spooled>& remembered,
                            const model::Step* before) {
  SpoolTurn turn;
  const model::Spooled known = remembered.value_or(model::Spooled{});
  if (bringing_ && bringing_->ended) {
    learn_brought(*std::exchange(bringing_, nullptr), known, turn);
    if (turn.spooled) return turn;
  }
  if (snapshot_ && snapshot_->ended) {
    learn_snapshot(*std::exchange(snapshot_, nullptr), known, turn);
    return turn;
  }
  if (!view.desired.backup || !view.has_quorum()) return turn;
  if (followed_ != view.followed) {  // whoever has changed the file may have seen to the reason
    followed_ = view.followed;
    rest_ = {};
  }
  if (before != nullptr) tend_snapshot(view, known, *before, turn);
  if (hung_ && hung_->ended) hung_.reset();
  const bool may_bring = !hung_ && view.is_in_force() && !model::is_full(view.observed);
  if (!known.name.empty() && !snapshot_ && !bringing_ && !turn.spooled && may_bring) tend_bringing(view, known, turn);
  return turn;
}

}  // namespace quorate::loop
