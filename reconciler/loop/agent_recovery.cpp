// What an agent does by itself about decisions that are made without a quorum: it remembers who votes, finds its own
// promises again, says what it would promise, starts nothing that it has promised not to, and clears up at the end.
#include <algorithm>

#include "reconciler/base/path.h"
#include "reconciler/loop/agent.h"
#include "reconciler/loop/order_heard.h"
#include "reconciler/loop/pledge_end.h"
#include "reconciler/model/standing_json.h"
#include "reconciler/model/state_paths.h"
#include "reconciler/model/succession.h"

namespace quorate::loop {
namespace {

constexpr const char* kFetching = "a fetch";
constexpr const char* kReadiness = "a promise";
// How long an etcdutl may take to say which one it is.
constexpr base::Duration kAskTool{5000};
constexpr base::Duration kToolStays{60000};
constexpr base::Duration kFetchSeen{1000};  // so often its progress is seen

std::vector<model::Voter> voters_in(const model::Membership& membership) {
  std::vector<model::Voter> voters;
  for (const model::ObservedMember& each : membership.members) {
    if (each.listed.learner || each.listed.name.empty()) continue;
    voters.push_back({each.listed.name, each.listed.id, each.listed.peer_urls});
  }
  return voters;
}

const model::Promise* own_promise(const AgentView& view) {
  const model::Gated& gated = view.plan.gated;
  if (gated.whole) return nullptr;
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    const auto* promise = std::get_if<model::Promise>(&gated.plan.steps[i].action);
    if (promise == nullptr || !promise->gives_way || promise->member != view.me.name) continue;
    return gated.verdicts[i].ruling == model::Ruling::Go ? promise : nullptr;
  }
  return nullptr;
}

void add_unfit(model::Standing& standing, model::Unfit unfit) {
  standing.unfit.push_back(std::move(unfit));
  if (standing.unfit.size() > model::kMostUnfit) standing.unfit.erase(standing.unfit.begin());
}

// As the plan has said before; of a cluster that ran nobody can tell what clients had written until it stopped.
std::string lost_with(const model::Decision& decision) {
  if (!decision.backup || decision.deliberate || decision.above <= decision.backup->revision) return {};
  return "; lost: at least " + std::to_string(decision.above - decision.backup->revision) + " revisions after " +
         std::to_string(decision.backup->revision);
}

}  // namespace

// What a quorum has confirmed: the newest of these says later whose word is needed.
void Agent::learn_voters(const AgentView& view, model::Memory& memory) const {
  if (view.own_voters) memory.standing.voters = view.own_voters;
  if (!view.has_quorum() || !view.agents.records) return;
  const model::Membership& membership = *view.observed.membership;
  const auto& formed = view.agents.records->formed;
  if (formed && memory.formed && model::has_replaced(*formed, memory.formed->cluster)) {
    memory.formed = formed;
    memory.applied = view.agents.records->applied;
  }
  if (!memory.formed || memory.formed->cluster != membership.cluster) return;
  std::uint64_t term = 0;
  std::uint64_t index = 0;
  for (const model::ObservedMember& each : membership.members) {
    if (!each.status) continue;
    term = std::max(term, each.status->raft_term);
    index = std::max(index, each.status->raft_index);
    memory.standing.revision = std::max(memory.standing.revision, each.status->revision);
  }
  // An order that a file gave while all was well is no order for later: its generation is used up.
  const bool restores = !view.desired.recovery.restore.empty();  // what is ordered of a cluster that runs
  const std::int64_t generation = view.is_in_force() && !restores
                                      ? std::max(memory.formed->generation, view.desired.generation)
                                      : memory.formed->generation;
  const model::Voters now{membership.cluster, generation, term, index, voters_in(membership)};
  const auto& before = memory.standing.voters;
  const bool same =
      before && before->cluster == now.cluster && before->generation == now.generation && before->voters == now.voters;
  if (!same) memory.standing.voters = now;
}

model::Standing Agent::standing_of(const model::Memory& memory) const {
  model::Standing standing = memory.standing;
  standing.index = memory.latest_index;
  standing.ready = ready_;
  standing.unready = unready_;
  fence_.add_to(standing);
  return standing;
}

// The directory's name is the promise, also when the memory of it is gone.
base::Result<bool> Agent::find_promise(const AgentView& view, model::Memory memory) {
  const auto& data = view.agents.own.facts.data;
  if (memory.standing.pledge || !data || !model::holds_nothing(*data) || view.me.data_dir.empty()) return false;
  const std::string parent = base::parent_path(view.me.data_dir);
  const std::string start = view.me.data_dir.substr(parent.size() + 1) + model::kYielded;
  const auto names = ports_.host.list(parent);
  if (!names) return tl::unexpected(names.error());
  if (!*names) return false;
  for (const std::string& name : **names) {
    if (name.compare(0, start.size(), start) != 0) continue;
    const std::string path = model::decision_path(base::join_path(parent, name));
    const auto text = ports_.host.read_file(path);
    if (!text) return tl::unexpected(text.error());
    if (!*text) continue;
    const auto decision = model::read_decision_file(**text, path);
    if (!decision) return tl::unexpected(decision.error());
    if (!model::is_founder_of(*decision, view.me.name)) continue;
    memory.standing.pledge = model::Pledge{*decision, true, false, 0, "", true};
    memory.promised = decision->id;
    memory.initialised = true;
    memory.generation = std::max(memory.generation, decision->generation);
    if (auto kept = remember(memory); !kept) return tl::unexpected(kept.error());
    return true;
  }
  return false;
}

base::Result<bool> Agent::tend_decision(const AgentView& view, const model::Memory& memory) {
  auto found = find_promise(view, memory);
  if (!found || *found) return found;
  const auto& pledge = memory.standing.pledge;
  if (!pledge) return drop_fetched(view, memory);
  const PledgeEnd end = end_of_pledge(view, memory);
  if (end == PledgeEnd::NotYet) return false;
  const bool begun = end == PledgeEnd::Begun;
  model::Memory copy = memory;
  const apply::Ports ports{ports_.etcd, ports_.host, ports_.runtime, ports_.clock};
  const apply::Scene scene{view.desired, view.me, settings_.state_dir, view.observed, copy, "", {}, settings_.within};
  auto taken = begun ? apply::take_up_seed(ports, scene) : apply::finish_decision(ports, scene);
  if (!taken) return tl::unexpected(taken.error());
  if (auto kept = remember(copy); !kept) return tl::unexpected(kept.error());
  ports_.events.say(begun ? ports::EventLevel::Warning : ports::EventLevel::Info,
                    view.me.name + ": decision " + pledge->decision.id +
                        (begun ? " goes on: something else has started what was restored here"
                               : " is carried out; what stood here before is set aside" + lost_with(pledge->decision)));
  return true;
}

// A member that has given way stays stopped until the decision is carried out or given up.
bool Agent::is_held(const AgentView& view, const model::Memory& memory) const {
  const auto& pledge = memory.standing.pledge;
  if (!pledge || pledge->started) return false;
  const bool joins = memory.formed && memory.formed->decision == pledge->decision.id;
  return !joins || !view.listed;
}

// Another cluster has taken the place of the one that these data are of: they are not started again.
bool Agent::is_succeeded(const AgentView& view) const {
  const auto& data = view.agents.own.facts.data;
  return data && !model::holds_nothing(*data) && model::has_successor(view.observed, data->cluster);
}

namespace {

tl::unexpected<base::Error> not_ready(std::string message, std::string help) {
  return tl::unexpected(base::Error{base::ErrorKind::Refused, std::move(message), std::move(help)});
}

// Whoever has given way and cannot be started again is lost to the cluster: nobody stops before it is known that he
// can.
base::Result<void> can_start(const AgentView& view, base::Time now) {
  const model::NodeFacts& facts = view.agents.own.facts;
  const auto& wanted = view.desired.etcd.version;
  const bool runs_programs = std::holds_alternative<model::ProcessRuntime>(view.desired.runtime) ||
                             std::holds_alternative<model::SystemdRuntime>(view.desired.runtime);
  if (wanted && runs_programs && !facts.binaries) {
    return not_ready("nobody can say which etcd " + view.desired.etcd.binary + " is: " + facts.binaries.why(),
                     "install etcd " + base::to_string(*wanted) + " there");
  }
  if (wanted && runs_programs) {
    for (const model::Binary& each : *facts.binaries) {
      const std::string release = base::to_string(*wanted);  // "3.5.21" or "3.5"
      if (each.version == release || each.version.rfind(release + ".", 0) == 0) continue;
      return not_ready(each.path + " is etcd " + each.version + ", and not " + base::to_string(*wanted),
                       "install etcd " + base::to_string(*wanted) + ", or change the version in the file");
    }
  }
  if (!facts.certificates) return not_ready(facts.certificates.why(), "etcd would not start without it");
  for (const model::Certificate& each : *facts.certificates) {
    if (each.not_after <= now) {
      return not_ready("the certificate " + each.path + " has ended at " + base::to_string(each.not_after), "renew it");
    }
  }
  return {};
}

}  // namespace

base::Result<void> Agent::can_seed(const AgentView& view) {
  if (auto can = can_start(view, ports_.clock.now()); !can) return can;
  if (ports_.restorer == nullptr) return not_ready("nothing can be restored on this node", "");
  const base::Duration now = ports_.clock.elapsed();
  if (tool_asked_ && now - *tool_asked_ < kToolStays) return {};
  if (auto ready = ports_.restorer->ready(kAskTool); !ready) return ready;
  tool_asked_ = now;
  return {};
}

base::Result<void> Agent::check_ready(const AgentView& view, const model::Decision& decision) {
  // It would refuse its promise when the others have stopped already.
  const auto& data = view.agents.own.facts.data;
  if (decision.deliberate && data && data->disk_away && !view.me.lost)
    return not_ready(data->problem, "mount its disk");
  if (decision.seed == view.me.name) return can_seed(view);
  // Where the cluster is down anyway whoever is no seed may see to it later.
  return decision.deliberate ? can_start(view, ports_.clock.now()) : base::Result<void>{};
}

namespace {

bool is_carried_out(const model::RestoreOrder& order, const model::Memory& memory) {
  return memory.formed && memory.formed->generation >= order.generation;
}

}  // namespace

void Agent::heed_order(AgentView& view) {
  const auto& membership = view.observed.membership;
  const Hearing hearing{heard(view), membership ? std::optional(membership->cluster) : std::nullopt,
                        view.followed->digest, ports_.clock.now(),
                        [&](const model::RestoreOrder& order) { return is_carried_out(order, remembered()); }};
  order_ = order_in_force(std::move(order_), hearing);
  if (!order_) return;
  const auto order = model::parse_restore_order(order_->what);
  view.observed.ordered = order;
  model::obey(*order, view.desired);
}

// Where there is no cluster, and where another state is to take its place.
std::optional<SourceStore> Agent::store_to_ask(const AgentView& view) const {
  const model::Recovery& recovery = view.desired.recovery;
  const auto formed = remembered().formed;
  const bool ordered = !recovery.restore.empty() && view.desired.generation > (formed ? formed->generation : 0);
  if (!reader_) return std::nullopt;
  if (ordered && !recovery.from.empty()) {
    SourceStore store{view.desired.backup.value_or(model::BackupPolicy{})};
    store.elsewhere = store.policy.to != recovery.from;
    store.policy.to = recovery.from;
    return store;
  }
  const bool asks = view.desired.backup && (!view.observed.membership || (ordered && formed));
  return asks ? std::optional(SourceStore{*view.desired.backup, false}) : std::nullopt;
}

void Agent::see_store(AgentView& view) {
  const auto store = store_to_ask(view);
  const std::string asked =
      store ? store->policy.to + " asked for " + view.followed->digest + (order_ ? " " + order_->what : std::string())
            : "";
  if (reader_ && asked != asked_store_) reader_->forget();
  asked_store_ = asked;
  if (store) {
    view.observed.restorable = reader_->restorable(*store);
    view.observed.store_voters = reader_->voters(*store, view.desired.name);
  }
}

// Beside the passes, as all that is done with a store.
void Agent::tend_fetch(const AgentView& view, const model::Step& step, Pass& pass) {
  const model::Fetch& fetch = std::get<model::Fetch>(step.action);
  pass.wait = kFetchSeen;
  base::Result<void> fit = base::invalid("nothing can be fetched from a store on this node");
  const auto store = store_to_ask(view);
  if (store) fit = check_ready(view, fetch.what);
  if (!fit) {
    pass.waits = fit.error().message;
    pass.did = is_no_seed(view, fetch.what, fit.error());
    return tell_once(kFetching, fit.error());
  }
  told_.erase(kFetching);
  if (fetching_ != fetch.decision) {
    static_cast<void>(note(view, step, model::JournalEvent::Intent, model::why_of(step.reason)));
  }
  fetching_ = fetch.decision;
  const auto brought = reader_->fetch(*store, fetch.what, model::fetching_path(view.me.data_dir));
  if (!brought) {
    pass.waits = reader_->progress();
    return;
  }
  const auto taken = take_fetched(view, *brought);
  if (!taken) reader_->rest();
  const std::string why = taken ? brought->unfit : taken.error().message;
  static_cast<void>(note(view, step, why.empty() ? model::JournalEvent::Done : model::JournalEvent::Failed, why));
  fetching_.clear();
  pass.did = taken.has_value();
}

// Whenever this agent dies: what it says to be here is here, and is no other one.
base::Result<void> Agent::take_fetched(const AgentView& view, const StoreReader::Brought& brought) {
  model::Memory memory = remembered();
  model::Standing& standing = memory.standing;
  if (!brought.unfit.empty()) {
    add_unfit(standing, {brought.source, brought.unfit});
    return remember(memory);
  }
  const std::string place = model::fetched_path(view.me.data_dir);
  if (!standing.fetched.empty()) {
    standing.fetched.clear();
    if (auto forgotten = remember(memory); !forgotten) return forgotten;
  }
  if (auto gone = ports_.host.remove_file(place); !gone) return gone;
  if (auto named = ports_.host.rename(model::fetching_path(view.me.data_dir), place); !named) return named;
  standing.fetched = brought.source;
  standing.covered = view.observed.last_backup ? *view.observed.last_backup : view.observed.at;
  return remember(memory);
}

// For a decision that was never made, or is over.
base::Result<bool> Agent::drop_fetched(const AgentView& view, const model::Memory& memory) {
  if (memory.standing.fetched.empty() || !view.has_quorum() || store_to_ask(view)) return false;
  for (const std::string& path : {model::fetched_path(view.me.data_dir), model::fetching_path(view.me.data_dir)}) {
    if (auto gone = ports_.host.remove_file(path); !gone) return tl::unexpected(gone.error());
  }
  model::Memory copy = memory;
  copy.standing.fetched.clear();
  if (auto kept = remember(copy); !kept) return tl::unexpected(kept.error());
  return true;
}

void Agent::withdraw_readiness() {
  const std::lock_guard lock(mutex_);
  ready_.clear();
  unready_.clear();
}

// The others take the next one for a seed; what comes from a backup can be made anywhere.
bool Agent::is_no_seed(const AgentView& view, const model::Decision& decision, const base::Error& error) {
  if (error.kind != base::ErrorKind::Refused || decision.seed != view.me.name || !decision.backup) return false;
  model::Memory memory = remembered();
  if (memory.standing.pledge || model::unfit_for(memory.standing, decision.source) != nullptr) return false;
  no_seed_ = error.message;
  add_unfit(memory.standing, {decision.source, error.message});
  return remember(memory).has_value();
}

// Somebody has seen to it.
bool Agent::is_seed_again(const AgentView& view) {
  if (no_seed_.empty() || !can_seed(view)) return false;
  model::Memory memory = remembered();
  std::erase_if(memory.standing.unfit, [&](const model::Unfit& each) { return each.why == no_seed_; });
  no_seed_.clear();
  return remember(memory).has_value();
}

bool Agent::publish_readiness(const AgentView& view, Pass& pass) {
  std::string ready;
  std::string unready;
  bool changed = is_seed_again(view);
  if (const model::Promise* promise = own_promise(view)) {
    const auto checked = check_ready(view, *promise->gives_way);
    if (checked) {
      ready = promise->decision;
      told_.erase(kReadiness);
    } else {
      unready = pass.waits = checked.error().message;
      tell_once(kReadiness, checked.error());
      changed = is_no_seed(view, *promise->gives_way, checked.error()) || changed;
    }
  }
  const std::lock_guard lock(mutex_);
  changed = changed || ready_ != ready || unready_ != unready;
  ready_ = ready;
  unready_ = unready;
  return changed;
}

}  // namespace quorate::loop
