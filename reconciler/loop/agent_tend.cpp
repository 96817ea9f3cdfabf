// What an agent keeps in order on its node without any plan: what it remembers, the marker, Keep, and that a member
// whose data are whole is running.
#include <algorithm>

#include "reconciler/base/net.h"
#include "reconciler/base/path.h"
#include "reconciler/base/words.h"
#include "reconciler/loop/agent.h"
#include "reconciler/model/fence.h"
#include "reconciler/model/state_paths.h"
#include "renderers/etcd_config/etcd_config.h"
#include "renderers/registry.h"

namespace quorate::loop {
namespace {

constexpr const char* kData = "its data";

const model::NodeFacts& facts_of(const AgentView& view) {
  return view.agents.own.facts;
}

// What a memory does not know that was put back, or that another agent on this node did not share: the marker names us,
// and the member is listed or, where nobody can be asked, its log goes on after all that is remembered.
bool is_successor(const AgentView& view, const model::Memory& memory, const model::DataDir& data) {
  if (!data.marked || memory.cluster_id != data.cluster) return false;
  if (view.has_quorum()) return model::member_of(view.observed, data.member) != nullptr;
  return memory.latest_index != 0 && data.last_index > memory.latest_index;
}

// That what lies there is ours: it is what was there before, we began it, or the cluster knows it by our name.
bool is_ours(const AgentView& view, const model::Memory& memory, const model::DataDir& data) {
  if (data.state != model::DataState::Valid) return false;
  if (memory.cluster_id.value != 0) {
    return (memory.cluster_id == data.cluster && memory.member_id == data.member) || is_successor(view, memory, data);
  }
  if (!memory.data_dir.empty() && memory.data_dir == data.path) return true;
  // Its marker outlived our memory; but what answers may be another cluster than the one it was written for.
  if (data.marked && !view.observed.membership) return true;
  if (!view.observed.membership || view.observed.membership->cluster != data.cluster) return false;
  if (data.marked) return true;
  const model::ObservedMember* listed = model::member_of(view.observed, data.member);
  if (listed == nullptr) return false;
  if (!listed->listed.name.empty()) return listed->listed.name == view.me.name;
  // The list names a member once it has been in touch with the others.
  return !view.me.peer_urls.empty() && base::same_texts(base::to_strings(view.me.peer_urls), listed->listed.peer_urls);
}

bool is_paused(const AgentView& view, base::Time now) {
  return model::is_paused(view.desired.paused, view.me.name, now);
}

const model::ObservedMember* own_row(const AgentView& view) {
  if (!view.observed.membership) return nullptr;
  for (const model::ObservedMember& member : view.observed.membership->members) {
    if (member.listed.name == view.me.name) return &member;
  }
  return nullptr;
}

std::vector<std::string> voters_of(const model::Membership& membership) {
  std::vector<std::string> names;
  for (const model::ObservedMember& member : membership.members) {
    if (!member.listed.learner && !member.listed.name.empty()) names.push_back(member.listed.name);
  }
  return names;
}

// What an agent does to its own member without any plan, as the journal has it.
model::Step own_deed(const std::string& what, const AgentView& view, std::string code, std::string text) {
  model::Step step;
  step.id = what + "/" + view.me.name;
  step.owner = view.me.name;
  step.step_class = model::StepClass::Heal;
  step.reason.code = std::move(code);
  step.reason.text = std::move(text);
  return step;
}

}  // namespace

void Agent::learn(const AgentView& view, model::Memory& memory) const {
  const auto& data = facts_of(view).data;
  if (!data) return;
  if (model::holds_nothing(*data) && memory.incarnation.empty()) memory.incarnation = ports_.entropy.hex(32);
  // A node that is still to join has nothing that a later file could not take for the ground of a second cluster.
  if (!memory.formed && view.has_quorum() && view.agents.records && view.agents.records->formed) {
    memory.formed = view.agents.records->formed;
    memory.applied = view.agents.records->applied;
  }
  learn_voters(view, memory);
  if (!is_ours(view, memory, *data)) return;
  if (memory.member_id.value != 0 && memory.member_id != data->member) {  // what is remembered is of the one before it
    memory.withdrawn = false;
    model::forget_data(memory);
  }
  memory.initialised = true;
  memory.cluster_id = data->cluster;
  memory.member_id = data->member;
  memory.data_dir = view.me.data_dir;
  memory.wal_dir = view.me.wal_dir;
  memory.filesystem = data->filesystem;
  memory.wal_filesystem = data->wal_filesystem;
  memory.highest_term = std::max(memory.highest_term, data->term);
  const model::ObservedMember* row = own_row(view);
  if (row == nullptr || view.observed.membership->cluster != data->cluster) return;
  if (row->status && row->status->raft_index > memory.latest_index) {
    memory.lagged_index = memory.latest_index;
    memory.latest_index = row->status->raft_index;
  }
  if (!view.has_quorum() || !view.agents.records) return;
  if (!memory.formed || memory.formed->cluster != data->cluster) {
    model::Formed formed{
        data->cluster, memory.started, view.desired.generation, voters_of(*view.observed.membership), {}};
    const auto& pledge = memory.standing.pledge;
    if (pledge && !pledge->started) return;  // the seed says first what has been formed
    if (pledge) {
      formed.generation = pledge->decision.generation;
      formed.after = pledge->decision.after;
    }
    memory.formed = std::move(formed);
    learn_voters(view, memory);  // in one breath: who knows of a cluster has to know whose word it takes
  }
  if (view.agents.records->applied) memory.applied = view.agents.records->applied;
  memory.paused = view.agents.records->paused;
}

bool Agent::has_lost_its_log() const {
  const model::Memory memory = remembered();
  if (memory.data_dir.empty()) return false;
  const auto names =
      ports_.host.list(memory.wal_dir.empty() ? base::join_path(memory.data_dir, "member/wal") : memory.wal_dir);
  const auto is_log = [](const std::string& name) { return name.ends_with(".wal"); };
  return names && (!*names || std::none_of((*names)->begin(), (*names)->end(), is_log));
}

base::Result<bool> Agent::keep_marker(const AgentView& view, const model::Memory& memory) {
  const auto& data = facts_of(view).data;
  if (!data || !is_ours(view, memory, *data)) return false;
  const model::Marker marker{data->cluster, data->member, view.me.name, memory.incarnation,
                             memory.formed ? memory.formed->generation : view.desired.generation};
  return ports_.host.write_file({model::marker_path(view.me.data_dir), model::to_json(marker), 0600, ""});
}

// Before a learner votes, its disk must refuse to be joined from nothing once more.
base::Result<bool> Agent::keep_config(const AgentView& view) {
  const model::NodeFacts& facts = facts_of(view);
  if (!view.listed || !facts.data || facts.data->state != model::DataState::Valid) return false;
  if (!facts.manifest || facts.manifest->digest.empty() || facts.manifest->keep) return false;
  const std::string path = renderers::config_path(settings_.state_dir, view.desired, view.me);
  const auto text = ports_.host.read_file(path);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return false;
  for (const renderers::File& file : view.followed->bundles.at(view.me.name).files) {
    if (file.path != path) continue;
    return ports_.host.write_file({path, renderers::with_boot_mode_of(**text, file.content), file.mode, file.owner});
  }
  return false;
}

namespace {

// Its files are gone from under it: what it still acknowledges would not outlive it, and the others can go on without
// it.
bool emptied_while_running(const AgentView& view, const model::Memory& memory) {
  const model::NodeFacts& facts = facts_of(view);
  if (facts.run->phase != model::RunPhase::Running || !facts.data || facts.data->state != model::DataState::Empty) {
    return false;
  }
  if (facts.process && !facts.process->running) return false;  // it has ended, and its runtime is about to hear of it
  if (memory.cluster_id.value == 0 || memory.data_dir != view.me.data_dir) return false;
  const model::ObservedMember* row = own_row(view);
  if (row == nullptr || row->listed.id != memory.member_id || !view.has_quorum() || !view.is_in_force()) return false;
  const model::Quorum quorum = model::quorum_of(view.observed);
  const bool votes = !row->listed.learner && model::is_up(*row);
  return !votes || quorum.up - 1 >= quorum.needs();
}

}  // namespace

// Under the lock, as any other step that takes a voter down.
base::Result<bool> Agent::stop_emptied(const AgentView& view) {
  auto fence = apply::take_lock(ports_.etcd, view.serving, view.observed.membership->cluster, settings_.member,
                                settings_.within, apply::long_lease_ttl(view.desired.stop_timeout));
  if (!fence) return tl::unexpected(fence.error());
  const AgentView again = look();
  base::Result<bool> done = false;
  if (emptied_while_running(again, remembered()) && !is_paused(again, ports_.clock.now())) {
    const model::Step step = own_deed("stop", again, "MemberEmptied", "its data directory was emptied while it ran");
    ports_.events.say(ports::EventLevel::Warning,
                      view.me.name + ": the data directory was emptied under the running etcd; it is stopped");
    auto stopped = tell_begin(again, step);
    if (stopped) stopped = apply::write_fenced(ports_.etcd, *fence, {}, settings_.within);
    if (stopped) stopped = ports_.runtime.stop(view.desired.stop_timeout);
    tell_end(again, step, stopped);
    if (stopped) {
      done = true;
    } else {
      done = tl::unexpected(stopped.error());
    }
  }
  release(*std::move(fence), again.observed);
  return done;
}

// What the cluster still counts on is started from the files that were written for it, by the program they were
// written for; a newer file changes that by a step of its own.
base::Result<bool> Agent::start_again(const AgentView& view, const model::Memory& memory) {
  const std::string path = renderers::config_path(settings_.state_dir, view.desired, view.me);
  const auto config = ports_.host.read_file(path);
  if (!config) return tl::unexpected(config.error());
  // What lets nobody in is written as a step of the plan.
  const bool is_open = !model::keeps_clients_out(view.observed, view.desired);
  if (!*config && (!view.listed || !is_open)) return false;
  if (!*config) {
    for (const renderers::File& file : view.followed->bundles.at(view.me.name).files) {  // in mode Keep
      const auto written = ports_.host.write_file({file.path, file.content, file.mode, file.owner});
      if (!written) return tl::unexpected(written.error());
    }
  }
  model::Memory copy = memory;
  const apply::Scene scene{view.desired, view.me, settings_.state_dir, view.observed, copy, "", {}, settings_.within};
  const model::Step step = own_deed("start", view, "MemberDown", "its data are whole, and it does not run");
  // A journal that takes no more keeps no member down.
  static_cast<void>(tell_begin(view, step));
  auto started = apply::start_member({ports_.etcd, ports_.host, ports_.runtime, ports_.clock}, scene);
  tell_end(view, step, started);
  if (!started) return tl::unexpected(started.error());
  return true;
}

base::Result<bool> Agent::tend_process(const AgentView& view, const model::Memory& memory) {
  const model::NodeFacts& facts = facts_of(view);
  const model::RunState run = *facts.run;
  if (!facts.data) return false;
  const auto stop = [&]() -> base::Result<bool> {
    if (auto stopped = ports_.runtime.stop(view.desired.stop_timeout); !stopped) return tl::unexpected(stopped.error());
    return true;
  };
  if (facts.data->state == model::DataState::Foreign) {
    tell_once(kData, base::Error{base::ErrorKind::Refused, facts.data->problem, "it is not touched, and not started"});
  } else {
    told_.erase(kData);
  }
  const bool active = run.phase == model::RunPhase::Running || run.phase == model::RunPhase::Waiting;
  if (memory.withdrawn) return active ? stop() : base::Result<bool>(false);
  const bool gave_way = is_held(view, memory) && memory.standing.pledge->given;
  if (gave_way || is_succeeded(view)) return active ? stop() : base::Result<bool>(false);
  if (is_held(view, memory)) return false;
  // Etcd refuses to start on nothing, and on what is broken; asked again and again, it would look alive now and then.
  const bool unusable = model::holds_nothing(*facts.data) || facts.data->state == model::DataState::Damaged;
  const bool refused = run.phase == model::RunPhase::Waiting && memory.initialised && unusable;
  if (refused && memory.cluster_id.value != 0) return stop();
  if (is_paused(view, ports_.clock.now())) return false;
  if (emptied_while_running(view, memory)) return stop_emptied(view);
  if (announcement_.is_missed(view)) {  // it has no vote, and the next pass starts it
    const model::Step step =
        own_deed("stop", view, "AnnouncementMissed",
                 "its announcement came with the snapshot that it was sent, and etcd waits for it");
    static_cast<void>(tell_begin(view, step));
    auto stopped = stop();
    tell_end(view, step, stopped ? base::Result<void>{} : tl::unexpected(stopped.error()));
    return stopped;
  }
  if (run.phase != model::RunPhase::Stopped) return false;
  if (!facts.process || facts.process->running) return false;  // somebody else's etcd may have these data open
  // One that the file has dropped is a voter until it is removed: the others may need its vote for that.
  if (!is_ours(view, memory, *facts.data)) return false;
  return start_again(view, memory);
}

namespace {

// People have raised the generation: what was is over for them, and here is nothing left of it. Where a cluster answers
// or data lie somewhere, that alone forms no other: each founder has to promise anew.
bool starts_over(const AgentView& view, const model::Memory& memory) {
  const std::int64_t before = std::max(memory.generation, memory.formed ? memory.formed->generation : 0);
  const model::NodeFacts& facts = facts_of(view);
  const model::Recovery& recovery = view.desired.recovery;
  const bool recovers = memory.standing.pledge || !recovery.survivor.empty() || !recovery.restore.empty();
  return !recovers && before > 0 && view.desired.generation > before && view.listed && !view.observed.membership &&
         facts.data && model::holds_nothing(*facts.data) && facts.data->problem.empty() && facts.process &&
         !facts.process->running;
}

}  // namespace

base::Result<bool> Agent::tend(const AgentView& view) {
  model::Memory memory = remembered();
  if (starts_over(view, memory) && starts_over(look(Witness::No, Patience::Full), memory)) {
    model::Memory blank;
    blank.cluster = memory.cluster;
    blank.member = memory.member;
    blank.incarnation = ports_.entropy.hex(32);
    blank.standing.spooled = memory.standing.spooled;  // on another disk, perhaps: the store still has to get it
    if (auto kept = remember(blank); !kept) return tl::unexpected(kept.error());
    ports_.events.say(ports::EventLevel::Warning, settings_.member + ": generation " +
                                                      std::to_string(view.desired.generation) +
                                                      " begins on an empty directory; what was before is forgotten");
    return true;
  }
  const std::string incarnation = memory.incarnation;
  learn(view, memory);
  if (auto kept = remember(memory); !kept) return tl::unexpected(kept.error());
  if (memory.incarnation != incarnation) return true;  // it names the decision that the others look for
  auto marked = keep_marker(view, memory);
  if (!marked) return marked;
  auto kept = keep_config(view);
  if (!kept || *kept) return kept;
  auto fenced = fence_.tend(view, memory);
  if (!fenced || *fenced) return fenced;
  auto decided = tend_decision(view, memory);
  if (!decided || *decided) return decided;
  auto process = tend_process(view, memory);
  if (!process || *process) return process;
  if (!view.has_quorum() || !view.is_in_force() || is_paused(view, ports_.clock.now())) return false;
  model::JournalEntry entry;
  entry.member = settings_.member;
  entry.desired_digest = view.followed->digest;
  asides_.tend(view.me, view.observed.membership->cluster, view.desired.keep_old_data, std::move(entry));
  return false;
}

// The same again and again is no news; after it has passed, it is.
void Agent::tell_once(const std::string& about, const base::Error& error) {
  std::string& told = told_[about];
  if (error.message == told) return;
  told = error.message;
  ports_.events.say(ports::EventLevel::Warning,
                    settings_.member + ": " + error.message + (error.help.empty() ? "" : "; " + error.help));
}

}  // namespace quorate::loop
