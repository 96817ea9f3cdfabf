// Results first, then what is due; one piece of work at a time.
#include "reconciler/loop/store_keeper.h"

#include <algorithm>
#include <utility>

#include "reconciler/loop/turn.h"
#include "reconciler/model/standing_json.h"
#include "reconciler/plan/backup.h"

namespace quorate::loop {
namespace {

constexpr base::Duration kLookAgain = std::chrono::minutes{15};
constexpr base::Duration kFirstPause{2000};
constexpr base::Duration kLongestPause = std::chrono::minutes{10};
constexpr base::Duration kBusyElsewhere{5000};
constexpr base::Duration kUnwritten{1000};
constexpr base::Duration kLeast{100};
constexpr const char* kLook = "a look";

bool is_full(const model::Observed& observed) {
  return observed.alarms && std::any_of(observed.alarms->begin(), observed.alarms->end(),
                                        [](const auto& alarm) { return alarm.kind == model::AlarmKind::NoSpace; });
}

std::string id_of(const std::optional<model::Step>& step) {
  return step ? step->id : kLook;
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
  const auto written = journal_.append(entry);
  if (!written) events_.say(ports::EventLevel::Warning, "journal: " + written.error().message);
}

void StoreKeeper::fail(const AgentView& view, const Work& work, const backup::Failure& failure) {
  const base::Duration now = ports_.clock.elapsed();
  if (is_none_of_ours(failure)) {
    not_before_ = now + kBusyElsewhere + base::Duration{static_cast<std::int64_t>(ports_.entropy.below(1000))};
    return;
  }
  const base::Duration pause = std::min(kFirstPause * (std::int64_t{1} << std::min(failures_, 16)), kLongestPause);
  ++failures_;
  not_before_ = now + pause +
                base::Duration{
                    static_cast<std::int64_t>(ports_.entropy.below(static_cast<std::uint64_t>(pause.count() / 4 + 1)))};
  failing_ = id_of(work.step);
  const auto& known = record_->trouble;
  const std::string text = failure.error.message;
  if (!known || known->store != work.order.policy.to || known->text != text) {
    events_.say(ports::EventLevel::Warning,
                failing_ + ": " + text + (failure.error.help.empty() ? "" : "; " + failure.error.help));
    if (work.step) note(view, work, model::JournalEvent::Failed, text);
  }
  const bool goes_on = known && known->store == work.order.policy.to;
  record_->trouble = model::BackupTrouble{work.order.policy.to, goes_on ? known->since : ports_.clock.now(), text};
}

void StoreKeeper::learn(const AgentView& view, const Work& work) {
  const StoreResult& result = work.result;
  const model::StoreRecord before = view.agents.records->store;
  record_ = before;
  if (result.seen) {
    record_->seen = result.seen;
    looked_ = ports_.clock.elapsed();
  }
  if (result.failure) {
    fail(view, work, *result.failure);
  } else if (work.step || failing_.empty() || failing_ == kLook) {
    record_->trouble.reset();
    failing_.clear();
    failures_ = 0;
  }
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

void StoreKeeper::begin(const AgentView& view, std::optional<model::Step> step, std::string why) {
  auto work = std::make_shared<Work>(ports_);
  work->step = std::move(step);
  work->plan = view.plan.gated.plan.id;
  StoreOrder& order = work->order;
  order.policy = *view.desired.backup;
  if (work->step) order.action = work->step->action;
  order.why = std::move(why);
  order.by = "the agent of " + member_;
  order.terms.endpoints = model::serving_endpoints(view.observed, member_);
  order.terms.cluster = view.observed.membership->cluster;
  order.terms.owner = member_;
  order.terms.in_force_revision = view.agents.records->in_force.mod_revision;
  order.terms.within = within_;
  const auto& standing = view.agents.own.facts.standing;
  if (standing && standing->voters) {
    order.cluster_record = model::to_json(model::RecordedVoters{view.desired.name, *standing->voters});
  }
  if (view.observed.backups) order.before = *view.observed.backups;
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
  if (!view.desired.backup || !view.has_quorum() || !view.is_in_force() || is_full(view.observed)) return turn;
  if (followed_ != view.followed) {
    followed_ = view.followed;
    looked_.reset();
    failures_ = 0;
    not_before_ = {};
  }
  if (work_ && work_->ended) learn(view, *std::exchange(work_, nullptr));
  if (record_) {
    turn.did = tell(view);
    turn.wait = kUnwritten;
    return turn;
  }
  if (before != nullptr) turn.waits = "the backup before the change";
  if (work_) {
    turn.waits += before != nullptr ? progress() : "";
    return turn;
  }
  if (actor_of(view.desired, view.observed, view.followers) != member_) return turn;
  const base::Duration now = ports_.clock.elapsed();
  if (now < not_before_) {
    turn.wait = not_before_ - now;
    const auto& trouble = view.observed.backup_trouble;
    if (before != nullptr && trouble) turn.failed = base::Error{base::ErrorKind::Transient, trouble->text, ""};
    return turn;
  }
  const bool looks = !looked_ || now - *looked_ >= kLookAgain || !view.observed.backups;
  auto step = looks ? std::nullopt : plan::store_step(view.desired, view.observed);
  if (before != nullptr) {
    begin(view, *before, "before " + view.plan.gated.plan.id);
  } else if (looks || step) {
    begin(view, std::move(step), "schedule");
  }
  const auto next = plan::next_store_step(view.desired, view.observed);
  if (next && !work_) turn.wait = std::max(*next - view.observed.at, kLeast);
  return turn;
}

}  // namespace quorate::loop
