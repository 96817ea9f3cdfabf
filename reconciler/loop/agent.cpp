// The order of a pass: look, tend what needs no plan, keep the books, plan, and take a turn.
#include "reconciler/loop/agent.h"

#include <algorithm>

#include "reconciler/base/net.h"
#include "reconciler/base/words.h"
#include "reconciler/loop/interrupted.h"
#include "reconciler/loop/own_voters.h"
#include "reconciler/loop/whom_to_ask.h"
#include "reconciler/model/state_paths.h"
#include "reconciler/observe/node_view.h"
#include "reconciler/observe/observe.h"
#include "renderers/registry.h"

namespace quorate::loop {
namespace {

constexpr const char* kBooks = "the records in etcd";
constexpr base::Duration kGlance{250};

const model::Member* listed_in(const model::Desired& desired, const std::string& name) {
  const auto found = std::find_if(desired.members.begin(), desired.members.end(),
                                  [&](const model::Member& each) { return each.name == name && each.managed; });
  return found == desired.members.end() ? nullptr : &*found;
}

// A member that the file has dropped: its node still has to be cleaned, by the agent that knows where it stood.
model::Member from_memory(const model::Memory& memory, const std::string& name) {
  model::Member member;
  member.name = name;
  member.node = name;
  member.data_dir = memory.data_dir;
  member.wal_dir = memory.wal_dir;
  return member;
}

model::Member me_in(const model::Desired& desired, const model::Memory& memory, const std::string& name) {
  const model::Member* member = listed_in(desired, name);
  return member == nullptr ? from_memory(memory, name) : *member;
}

}  // namespace

base::Result<std::unique_ptr<Agent>> Agent::make(AgentPorts ports, AgentSettings settings,
                                                 std::shared_ptr<const Followed> followed) {
  const std::string path = model::memory_path(settings.state_dir, followed->desired.name, settings.member);
  const auto text = ports.host.read_file(path);
  if (!text) return tl::unexpected(text.error());
  model::Memory memory;
  memory.cluster = followed->desired.name;
  memory.member = settings.member;
  if (*text) {
    auto read = model::read_memory(**text, path);
    if (!read) return tl::unexpected(read.error());
    memory = *std::move(read);
  }
  std::unique_ptr<Agent> agent(new Agent(ports, std::move(settings), std::move(followed), std::move(memory)));
  agent->begin();
  return agent;
}

// The others look for our incarnation before anything can be promised: better it is there when they first ask. Where it
// cannot be kept now, a later pass does it.
void Agent::begin() {
  tell_interrupted(ports_.journal, ports_.clock, ports_.events, settings_.member);
  model::Memory memory = remembered();
  if (!memory.incarnation.empty()) return;
  const model::Member me = me_in(followed_->desired, memory, settings_.member);
  if (me.data_dir.empty()) return;
  const auto data = ports_.node.data_dir(me.data_dir, me.wal_dir);
  if (!data || !model::holds_nothing(*data)) return;
  memory.incarnation = ports_.entropy.hex(32);
  static_cast<void>(remember(memory));
}

Agent::Agent(AgentPorts ports, AgentSettings settings, std::shared_ptr<const Followed> followed, model::Memory memory)
    : ports_(ports),
      settings_(std::move(settings)),
      fence_(ports.host, ports.notary, settings_.state_dir),
      followed_(std::move(followed)),
      memory_(std::move(memory)),
      boot_(ports.entropy.hex(32)),
      tries_(ports.journal, ports.clock),
      silent_(endpoints_of(followed_->desired)),
      hindsight_(2 * settings_.within),
      asides_({ports.host, ports.node, ports.clock, ports.journal, ports.events}) {
  if (ports.stores == nullptr) return;
  keeper_ = std::make_unique<StoreKeeper>(
      StorePorts{ports.etcd, *ports.stores, ports.parallel, ports.clock, ports.entropy, ports.restorer}, ports.journal,
      ports.events, settings_.member, settings_.within);
  if (ports.aside != nullptr) {
    spooler_ =
        std::make_unique<SpoolKeeper>(StorePorts{ports.etcd, *ports.stores, ports.parallel, ports.clock, ports.entropy},
                                      *ports.aside, ports.events, settings_.member, settings_.within);
  }
  if (ports.spool == nullptr) return;
  reader_ = std::make_unique<StoreReader>(
      ReaderPorts{*ports.stores, *ports.spool, ports.parallel, ports.clock, ports.events}, settings_.member);
}

void Agent::follow(std::shared_ptr<const Followed> followed) {
  const std::lock_guard lock(mutex_);
  followed_ = std::move(followed);
}

model::Memory Agent::remembered() const {
  const std::lock_guard lock(mutex_);
  return memory_;
}

base::Result<void> Agent::remember(const model::Memory& memory) {
  if (memory == remembered()) return {};
  if (auto kept = apply::remember(ports_.host, settings_.state_dir, memory); !kept) return kept;
  const std::lock_guard lock(mutex_);
  memory_ = memory;
  ++sequence_;
  return {};
}

model::NodeFacts Agent::own_facts(const Followed& followed, const model::Memory& memory) {
  using model::Fact;
  const base::Time now = ports_.clock.now();
  model::Member me = me_in(followed.desired, memory, settings_.member);
  const std::string wanted = me.data_dir;
  // Data do not move because a file says so: what counts is where they were.
  const bool elsewhere = memory.initialised && !memory.data_dir.empty() &&
                         (memory.data_dir != me.data_dir || memory.wal_dir != me.wal_dir);
  if (elsewhere) {
    me.data_dir = memory.data_dir;
    me.wal_dir = memory.wal_dir;
  }
  const auto bundle = followed.bundles.find(me.name);
  model::NodeFacts facts = observe::look_at_node(ports_.node, followed.desired, me,
                                                 bundle == followed.bundles.end() ? nullptr : &bundle->second, now);
  if (bundle == followed.bundles.end()) {
    const auto file = ports_.host.read_file(renderers::config_path(settings_.state_dir, followed.desired, me));
    facts.manifest = file ? Fact<model::Manifest>::known({*file ? "left behind" : "", false}, now)
                          : Fact<model::Manifest>::unknown(file.error().message, now);
  }
  if (facts.data) {
    const std::string path = model::marker_path(me.data_dir);
    const auto text = ports_.host.read_file(path);
    if (!text) {
      facts.data = Fact<model::DataDir>::unknown(text.error().message, now);
    } else {
      const auto marker = *text ? model::read_marker(**text, path) : base::invalid("none");
      model::Memory known = memory;  // what is not meant to last is on another file system each time
      if (followed.desired.storage != model::StorageKind::Disk) known.filesystem = known.wal_filesystem = "";
      model::judge_data(*facts.data.get(), &known, marker ? &*marker : nullptr);
      model::DataDir& data = *facts.data.get();
      if (elsewhere && data.state == model::DataState::Valid) {
        data.state = model::DataState::Foreign;
        data.problem = "its data are in " + memory.data_dir + ", and the file says " + wanted +
                       ": data do not move because a file says so";
      }
    }
  }
  facts.promised = Fact<std::string>::known(memory.promised, now);
  facts.promised_with = memory.promised_with;
  facts.incarnation = Fact<std::string>::known(memory.incarnation, now);
  facts.run = Fact<model::RunState>::known(ports_.runtime.look(), now);
  return facts;
}

model::AgentReport Agent::report(const std::string& nonce) {
  std::shared_ptr<const Followed> followed;
  model::Memory memory;
  model::AgentReport report;
  {
    const std::lock_guard lock(mutex_);
    followed = followed_;
    memory = memory_;
    report.sequence = sequence_;
    report.sights = sights_.at(ports_.clock.elapsed());
  }
  report.cluster = followed->desired.name;
  report.member = settings_.member;
  report.node = me_in(followed->desired, memory, settings_.member).node;
  report.boot = boot_;
  report.nonce = nonce;
  report.desired_digest = followed->digest;
  report.facts = own_facts(*followed, memory);
  {
    const std::lock_guard lock(mutex_);
    report.facts.standing = standing_of(memory);
  }
  report.formed = memory.formed;
  report.applied = memory.applied;
  return report;
}

AgentView Agent::look(Witness witness, Patience patience) {
  AgentView view;
  view.since = ports_.clock.elapsed();
  {
    const std::lock_guard lock(mutex_);
    view.followed = followed_;
  }
  const model::Memory memory = remembered();
  view.desired = view.followed->desired;
  view.me = me_in(view.desired, memory, settings_.member);
  view.listed = listed_in(view.desired, settings_.member) != nullptr;
  std::vector<ports::Peer> peers = peers_of(view.desired, settings_.member);
  for (const ports::Peer& peer : dropped_) {
    const auto same = [&](const ports::Peer& each) { return each.member == peer.member; };
    if (std::none_of(peers.begin(), peers.end(), same)) peers.push_back(peer);
  }
  observe::Question question;
  question.endpoints = endpoints_of(view.desired);
  question.silent = silent_.patience(ports_.clock.elapsed());
  if (patience == Patience::Full) question.silent.clear();
  question.within = settings_.within;
  question.by = "the agent of " + settings_.member;
  std::vector<std::function<void()>> jobs = {
      [&] { view.agents.own = report(""); },
      [&] { view.agents.answers = ports_.peers.ask(view.desired.name, peers, settings_.of_agents); },
      [&] {
        view.observed = observe::observe({ports_.etcd, ports_.node, ports_.parallel, ports_.clock}, question);
      }};
  const std::string own = metrics_of(view.me);
  const auto& urls = view.me.client_urls;
  if (witness == Witness::Yes && !urls.empty() && !silent_.has(base::to_string(urls.front()))) {
    jobs.push_back([&] { view.linked = ports_.links.active_peers(own, settings_.within); });
  }
  ports_.parallel.run(std::move(jobs));
  silent_.look(ports_.clock.elapsed(), view.observed.endpoints);
  view.followers.push_back(settings_.member);
  for (const ports::PeerAnswer& answer : view.agents.answers) {
    if (answer.report && answer.report->desired_digest == view.followed->digest)
      view.followers.push_back(answer.member);
  }
  if (settings_.create && !memory.formed && !view.observed.membership) {
    view.desired.if_no_cluster = model::IfNoCluster::New;
  }
  // Whoever says that one is to be formed has said yes to it, and nobody else could be asked yet.
  if (settings_.create && !memory.initialised) view.desired.reconcile.apply = model::ApplyMode::Auto;
  // Our own member before others: what is written through it is known to us at once.
  view.serving = model::serving_endpoint(view.observed, settings_.member);
  dropped_ = dropped_of(view, memory);
  if (!view.observed.membership) view.own_voters = own_voters(ports_.etcd, view.observed, memory, settings_.within);
  if (view.has_quorum()) {
    const auto kept =
        ports_.etcd.get_all(view.serving, model::kReserved, ports::Consistency::Linearizable, settings_.within);
    if (kept) {
      std::vector<model::Record> records;
      for (const ports::KeyValue& each : *kept) records.push_back({each.key, each.value, each.mod_revision});
      view.agents.records = model::read_records(records, view.observed.membership->cluster);
    } else {
      view.agents.records = tl::unexpected(kept.error());
    }
  }
  if (view.desired.backup) view.agents.store = view.desired.backup->to;
  observe::add_agents(view.observed, view.agents);
  hindsight_.add_to(view.observed, ports_.clock.elapsed());
  const base::Time now = ports_.clock.now();
  // Without a quorum what etcd said last still holds, until it ends.
  view.desired.paused =
      model::both(view.desired.paused, view.agents.records ? view.agents.records->paused : memory.paused, now);
  {
    const std::lock_guard lock(mutex_);
    view.desired.paused = model::both(view.desired.paused, paused_, now);
  }
  heed_order(view);
  see_store(view);
  return view;
}

// A member is seen when anything shows that it lives: its own answer, a peer connection, its agent's word.
void Agent::watch_others(const AgentView& view) {
  if (!view.observed.membership) {
    const std::lock_guard lock(mutex_);
    return sights_.blind();
  }
  std::vector<base::MemberId> listed;
  std::vector<base::MemberId> seen;
  const model::ObservedMember* mine = nullptr;
  for (const model::ObservedMember& member : view.observed.membership->members) {
    listed.push_back(member.listed.id);
    const model::NodeFacts* node = model::node_of(view.observed, member.listed.name);
    const bool runs = node != nullptr && node->process && node->process->running;
    if (member.status || runs) seen.push_back(member.listed.id);
    if (member.listed.name == settings_.member) mine = &member;
  }
  // Without a look at our own etcd's connections we are no witness: it may see whom we do not.
  const bool can_look = mine != nullptr && mine->status && !mine->listed.client_urls.empty();
  base::Result<std::vector<base::MemberId>> linked = base::invalid("our own etcd does not answer");
  if (can_look && view.linked) {
    linked = *view.linked;
  } else if (can_look) {
    // The file no longer says where a member listens that it has dropped; the member list does.
    const std::string own = metrics_of(view.me);
    linked = ports_.links.active_peers(own.empty() ? mine->listed.client_urls.front() : own, settings_.within);
  }
  const std::lock_guard lock(mutex_);
  if (!linked) return sights_.blind();
  seen.insert(seen.end(), linked->begin(), linked->end());
  sights_.look(ports_.clock.elapsed(), listed, seen);
}

bool Agent::is_well() {
  std::shared_ptr<const Followed> followed;
  {
    const std::lock_guard lock(mutex_);
    followed = followed_;
  }
  const model::Member* me = listed_in(followed->desired, settings_.member);
  if (me == nullptr || me->client_urls.empty()) return true;
  const auto status = ports_.etcd.status(base::to_string(me->client_urls.front()), settings_.within);
  return status && status->status.leader.value != 0;
}

Pass Agent::pass() {
  lock_ = std::exchange(kept_lock_, std::nullopt);
  Pass pass = one_pass();
  if (lock_) release(std::exchange(lock_, std::nullopt)->fence, pass.observed);
  return pass;
}

void Agent::end() {
  static_cast<void>(told_of(tries_.turn_to("")));
  if (kept_lock_) release(std::exchange(kept_lock_, std::nullopt)->fence, {});
}

Pass Agent::one_pass() {
  Pass pass;
  // In quick succession nothing new would be learned of who is silent, and the answer is the longest of all.
  const base::Duration now = ports_.clock.elapsed();
  pass.began = now;
  const bool watches = !watched_at_ || now - *watched_at_ >= kGlance;
  AgentView view = look(watches ? Witness::Yes : Witness::No);
  const Gist before = std::exchange(gist_, gist_of(view.agents.own.facts, gist_));
  pass.news = gist_ != before;
  if (view.followed != failing_under_) {
    failing_.clear();
    failing_under_ = view.followed;
    model::Memory memory = remembered();
    memory.standing.unfit.clear();  // whoever has changed the file may have seen to the reason
    static_cast<void>(remember(memory));
  }
  if (watches) {
    watched_at_ = now;
    watch_others(view);
  }
  release_what_is_left(view);
  base::Result<bool> changed = false;
  if (!is_resting(kOwnNode, pass)) {
    changed = tend(view);
    if (changed) {
      failing_.erase(kOwnNode);
      told_.erase(kOwnNode);
    }
  }
  if (changed && !*changed && view.has_quorum()) {
    const auto kept = keep_books(view);
    if (kept) {
      changed = *kept;
      told_.erase(kBooks);
    } else {
      tell_once(kBooks, kept.error());  // a full etcd takes no records, and has to be helped all the same
    }
  }
  if (changed && !*changed) {
    judge(view);
    take_turn(view, pass);
    static_cast<void>(told_of(tries_.turn_to(pass.step)));
    tend_store(view, pass);
    tend_spool(view, pass);
    if (const auto store = store_to_ask(view)) pass.wait = std::min(pass.wait, reader_->look(*store));
  } else if (changed) {
    pass.did = true;  // what was seen is no longer so: nothing is planned from it
  } else {
    judge(view);
    withdraw_readiness();
    pass.failed = changed.error();
    pass.waits = "its own node: " + changed.error().message;
    pass.wait = after_failure(kOwnNode);
    tell_once(kOwnNode, changed.error());
  }
  if (pass.did || pass.news) {
    const std::lock_guard lock(mutex_);
    ++sequence_;
  }
  pass.plan = std::move(view.plan);
  pass.observed = std::move(view.observed);
  pass.desired_digest = view.followed->digest;
  const bool pauses = view.desired.paused && model::is_in_force(*view.desired.paused, ports_.clock.now());
  if (pauses) pass.paused = view.desired.paused;
  for (const auto& [step, said] : view.said) {
    if (said.denied) pass.denied.push_back(step);
  }
  if (view.agents.records) pass.records = *std::move(view.agents.records);
  return pass;
}

}  // namespace quorate::loop
