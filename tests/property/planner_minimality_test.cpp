// Every plan is as short as the shortest safe one: all states of up to five members are compared with an exhaustive
// search over the same actions, in a model of its own that shares nothing with the planner.
//
// Two rules of the planner are rules of the search as well, since they cost steps on purpose (decision 0016): members
// are added before others are restarted, and restarted before others are removed, so that a restart always finds the
// largest number of voters.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/gate/gate.h"
#include "reconciler/plan/planner.h"
#include "tests/support/cluster_world.h"

namespace quorate {
namespace {

struct Place {
  bool keep = true;  // the file wants it; else the file has dropped it
  int role = 0;      // 0 out of the cluster, 1 voter, 2 learner
  bool up = false;
  bool started = false;  // learners
  bool current = true;   // its files are as the file wants them
  bool data = false;     // out of the cluster: old data stand on its node
  bool files = false;    // out of the cluster: old files stand on its node
  bool leads = false;

  unsigned bits() const {
    return (keep ? 1U : 0U) | static_cast<unsigned>(role) << 1U | (up ? 8U : 0U) | (started ? 16U : 0U) |
           (current ? 32U : 0U) | (data ? 64U : 0U) | (files ? 128U : 0U) | (leads ? 256U : 0U);
  }
};

using State = std::vector<Place>;

// Members have no names here: states that differ by names only are one.
std::uint64_t key_of(State state) {
  std::sort(state.begin(), state.end(), [](const Place& a, const Place& b) { return a.bits() < b.bits(); });
  std::uint64_t key = 1;
  for (const Place& place : state) key = key << 9U | place.bits();
  return key;
}

struct Counts {
  int voters = 0;
  int up = 0;
  int learners = 0;
  bool joining = false;   // somebody who is wanted is not a voter yet
  bool outdated = false;  // a wanted voter has old files
};

Counts counts_of(const State& state) {
  Counts counts;
  for (const Place& place : state) {
    if (place.role == 1) {
      ++counts.voters;
      counts.up += place.up ? 1 : 0;
      counts.outdated = counts.outdated || (place.keep && !place.current);
    } else {
      counts.learners += place.role == 2 ? 1 : 0;
      counts.joining = counts.joining || place.keep;
    }
  }
  return counts;
}

bool may_remove(const State& state, const Place& victim, bool strict) {
  if (victim.role == 2) return !victim.keep;
  if (victim.keep && victim.up) return false;
  if (victim.keep && !victim.current) return false;  // its data are whole
  const Counts now = counts_of(state);
  const int voters = now.voters - 1;
  const int up = now.up - (victim.up ? 1 : 0);
  if (voters == 0 || up < voters / 2 + 1) return false;
  if (!victim.up) return true;
  if (strict && (now.outdated || now.joining)) return false;
  const bool spare = up == voters || up - 1 >= voters / 2 + 1;
  return spare && !victim.leads;
}

bool may_restart(const State& state, const Place& place, bool strict) {
  const Counts now = counts_of(state);
  if (strict && now.joining) return false;
  if (now.voters > 1 && place.leads) return false;
  return now.up - 1 >= now.voters / 2 + 1 || (now.voters <= 2 && now.up == now.voters);
}

// All states that one safe step leads to.
std::vector<State> after_one_step(const State& state, bool strict) {
  std::vector<State> next;
  const Counts now = counts_of(state);
  const auto with = [&](std::size_t i, const Place& place) {
    State changed = state;
    changed[i] = place;
    next.push_back(std::move(changed));
  };
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Place& place = state[i];
    Place then = place;
    if (place.role == 0) {
      if (place.data && (place.keep || !place.files)) then.data = false, with(i, then);
      if (place.files && !place.keep) (then = place).files = false, with(i, then);
      if (place.keep && !place.data && now.learners == 0 && now.up == now.voters) {
        then = place;
        then.role = 2;
        then.started = then.up = false;
        with(i, then);
      }
      continue;
    }
    if (may_remove(state, place, strict)) {
      then.role = 0;
      then.files = !place.keep;
      then.data = place.up;
      then.up = then.started = then.leads = false;
      then.current = true;
      with(i, then);
    }
    then = place;
    if (place.role == 2) {
      if (place.keep && !place.started) then.started = then.up = then.current = true, with(i, then);
      if (place.keep && place.started && now.up == now.voters) then.role = 1, then.started = false, with(i, then);
      continue;
    }
    if (place.keep && !place.current && (!place.up || may_restart(state, place, strict))) {
      then.current = then.up = true;
      with(i, then);
    }
    if (!place.leads) continue;
    for (std::size_t j = 0; j < state.size(); ++j) {
      if (j == i || state[j].role != 1 || !state[j].up) continue;
      State moved = state;
      moved[i].leads = false;
      moved[j].leads = true;
      next.push_back(std::move(moved));
    }
  }
  return next;
}

bool is_goal(const State& state) {
  return std::all_of(state.begin(), state.end(), [](const Place& place) {
    return place.keep ? place.role == 1 && place.up && place.current : place.role == 0 && !place.data && !place.files;
  });
}

// Steps to the nearest goal from every state that can be reached from those given; -1: there is no safe way.
class Search {
 public:
  Search(const std::vector<State>& from, bool strict) {
    for (const State& state : from) visit(state);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State state = states_[i];  // visit() moves the others
      for (const State& next : after_one_step(state, strict)) {
        const std::size_t to = visit(next);
        back_[to].push_back(i);
      }
    }
    std::vector<std::size_t> wave;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (is_goal(states_[i])) distance_[i] = 0, wave.push_back(i);
    }
    while (!wave.empty()) {
      std::vector<std::size_t> further;
      for (const std::size_t at : wave) {
        for (const std::size_t before : back_[at]) {
          if (distance_[before] >= 0) continue;
          distance_[before] = distance_[at] + 1;
          further.push_back(before);
        }
      }
      wave = std::move(further);
    }
  }

  int steps_from(const State& state) const { return distance_[index_.at(key_of(state))]; }
  std::size_t size() const { return states_.size(); }

 private:
  std::size_t visit(const State& state) {
    const auto [found, fresh] = index_.emplace(key_of(state), states_.size());
    if (fresh) {
      states_.push_back(state);
      distance_.push_back(-1);
      back_.emplace_back();
    }
    return found->second;
  }

  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<State> states_;
  std::vector<int> distance_;
  std::vector<std::vector<std::size_t>> back_;
};

// Every way in which one member can start out.
const std::vector<Place>& kinds() {
  static const std::vector<Place> all = [] {
    std::vector<Place> kinds;
    const auto add = [&](bool keep, int role, bool up, bool started, bool current, bool data, bool files) {
      kinds.push_back({keep, role, up, started, current, data, files, false});
    };
    add(true, 0, false, false, true, false, false);   // to be added
    add(true, 0, false, false, true, true, false);    // to be added, over old data
    add(true, 1, true, false, true, false, false);    // as it should be
    add(true, 1, true, false, false, false, false);   // with old files
    add(true, 1, false, false, true, false, false);   // emptied
    add(true, 1, false, false, false, false, false);  // down, with old files and whole data
    add(true, 2, false, false, true, false, false);   // added and never started
    add(true, 2, true, true, true, false, false);     // caught up
    add(false, 1, true, false, true, false, false);   // dropped and up
    add(false, 1, false, false, true, false, false);  // dropped and emptied
    add(false, 0, false, false, true, true, true);    // gone, data and files left
    add(false, 0, false, false, true, true, false);   // gone, data left
    add(false, 0, false, false, true, false, true);   // gone, files left
    add(false, 2, true, true, true, false, false);    // dropped while it joined
    return kinds;
  }();
  return all;
}

// One state for each choice of a leader among the kinds of voters that are up.
void with_leaders(const State& state, std::vector<State>& states) {
  unsigned before = 0;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (state[i].role != 1 || !state[i].up || state[i].bits() == before) continue;
    before = state[i].bits();
    states.push_back(state);
    states.back()[i].leads = true;
  }
}

void extend(State& state, std::size_t from, std::vector<State>& states) {
  const Counts counts = counts_of(state);
  const bool wanted = std::any_of(state.begin(), state.end(), [](const Place& place) { return place.keep; });
  if (wanted && counts.learners <= 1 && counts.voters > 0 && counts.up >= counts.voters / 2 + 1)
    with_leaders(state, states);
  if (state.size() == 5) return;
  for (std::size_t kind = from; kind < kinds().size(); ++kind) {
    state.push_back(kinds()[kind]);
    extend(state, kind, states);
    state.pop_back();
  }
}

support::Slot slot_of(const Place& place) {
  using support::Health;
  support::Slot slot;
  slot.file = place.keep ? support::InFile::Listed : support::InFile::Dropped;
  slot.role = place.role == 0 ? support::Role::Absent : place.role == 1 ? support::Role::Voter : support::Role::Learner;
  slot.health = place.up ? Health::Up : place.current ? Health::Emptied : Health::Whole;
  slot.started = place.started;
  slot.configured = place.current;
  if (place.data && place.files) slot.left = support::Left::Both;
  if (place.data && !place.files) slot.left = support::Left::Data;
  if (!place.data && place.files) slot.left = support::Left::Files;
  return slot;
}

support::ClusterWorld world_of(const State& state) {
  std::vector<support::Slot> slots;
  int leader = 0;
  for (std::size_t i = 0; i < state.size(); ++i) {
    slots.push_back(slot_of(state[i]));
    if (state[i].leads) leader = static_cast<int>(i);
  }
  return support::WorldBuilder{slots}.leader(leader).build();
}

std::string words(const State& state) {
  std::string text;
  for (const Place& place : state) {
    text += std::string(place.keep ? "keep " : "drop ") +
            (place.role == 0   ? "out"
             : place.role == 1 ? "voter"
                               : "learner") +
            (place.up ? " up" : "") + (place.started ? " started" : "") + (place.current ? "" : " old-files") +
            (place.data ? " data" : "") + (place.files ? " files" : "") + (place.leads ? " leads" : "") + "; ";
  }
  return text;
}

}  // namespace

TEST(Minimality, EveryPlanIsAsShortAsTheShortestSafeOne) {
  std::vector<State> states;
  State empty;
  extend(empty, 0, states);
  const Search search(states, true);
  const Search free(states, false);
  int compared = 0;
  int longest = 0;
  int costly = 0;
  int no_way = 0;
  int failures = 0;
  for (const State& state : states) {
    const int shortest = search.steps_from(state);
    const support::ClusterWorld world = world_of(state);
    const model::Plan plan = plan::plan(world.desired, world.observed, world.wanted);
    const model::Gated gated = gate::judge(plan, world.desired, world.observed, {support::world_time(), {}, true});
    const bool goes = std::all_of(gated.verdicts.begin(), gated.verdicts.end(),
                                  [](const model::Verdict& verdict) { return verdict.ruling == model::Ruling::Go; });
    const int steps = goes && plan.stop == model::ExitCode::Ok ? static_cast<int>(plan.steps.size()) : -1;
    ++compared;
    longest = std::max(longest, shortest);
    no_way += shortest < 0 ? 1 : 0;
    costly += shortest > free.steps_from(state) ? 1 : 0;
    if (steps == shortest) continue;
    std::string ids;
    for (const model::Step& step : plan.steps) ids += step.id + " ";
    ADD_FAILURE() << words(state) << "\n  plan " << steps << ", shortest " << shortest << ": " << ids;
    if (++failures == 10) break;
  }
  RecordProperty("states", compared);
  std::cout << compared << " states of up to five members in " << kinds().size() << " conditions, " << search.size()
            << " on the way; longest plan " << longest << " steps; no safe way from " << no_way << "; the order of "
            << "additions, restarts and removals costs steps in " << costly << "\n";
}

}  // namespace quorate
