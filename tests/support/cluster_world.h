// Small clusters in every state, as the planner sees them: a desired file, an observation, and the bundles wanted.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/plan/planner.h"
#include "tests/support/desired_builder.h"

namespace quorate::support {

enum class InFile { Listed, Retire, Dropped, Never };  // Dropped: the file that was carried out last had it
enum class Role { Absent, Voter, Learner };
enum class Health { Up, Emptied, Fresh, Damaged, Whole, SilentNow, SilentLong, SilentSince /* nobody knows when */ };
enum class Left { Nothing, Data, Files, Both, Foreign };  // on the node of a member that is not in the list

// One member: what the file, the member list and its node say of it.
struct Slot {
  InFile file = InFile::Listed;
  Role role = Role::Voter;
  Health health = Health::Up;
  bool started = true;     // learners
  bool in_sync = true;     // learners
  bool configured = true;  // its files are what the file asks for
  bool seen = true;        // somebody looked at its node
  bool moved = false;      // its peer URLs are not those of the file
  Left left = Left::Nothing;
};

struct ClusterWorld {
  model::Desired desired;
  model::Observed observed;
  plan::Wanted wanted;
};

// It boots without it: what shows is the place beneath.
inline void take_disk(model::NodeFacts& node) {
  node.data.get()->disk_away = true;
  node.data.get()->problem = "is its disk mounted?";
}

inline base::Time world_time() {
  return *base::parse_time("2026-09-24T09:12:41Z");
}

class WorldBuilder {
 public:
  explicit WorldBuilder(std::vector<Slot> slots) : slots_(std::move(slots)) {}

  WorldBuilder& version(std::string running) {
    running_ = std::move(running);
    return *this;
  }
  WorldBuilder& leader(int slot) {
    leader_ = slot;
    return *this;
  }

  ClusterWorld build() {
    ClusterWorld world;
    const model::Desired all = DesiredBuilder{}.members(static_cast<int>(slots_.size())).build();
    world.desired = all;
    world.desired.members.clear();
    world.desired.protect.approve.clear();
    world.desired.protect.max_removals = 100;
    world.wanted.digest = "d1";
    model::Observed& observed = world.observed;
    observed.at = world_time();
    observed.by = "test";
    observed.alarms = model::Fact<std::vector<model::Alarm>>::known({}, observed.at);
    model::Membership membership{cluster(), true, {}};
    model::Applied applied;
    applied.cluster = cluster();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_[i];
      model::Member member = all.members[i];
      member.retire = slot.file == InFile::Retire;
      member.line = static_cast<int>(i) + 3;
      if (slot.file == InFile::Listed || slot.file == InFile::Retire) {
        world.desired.members.push_back(member);
        world.wanted.bundles[member.name] = "wanted-" + member.name;
      }
      if (slot.file == InFile::Dropped) applied.members.push_back(member.name);
      if (slot.role != Role::Absent) membership.members.push_back(listed(slot, member, i));
      if (slot.seen && slot.file != InFile::Never) observed.nodes.push_back(node(slot, member, i));
    }
    observed.membership = model::Fact<model::Membership>::known(std::move(membership), observed.at);
    observed.applied = model::Fact<model::Applied>::known(std::move(applied), observed.at);
    return world;
  }

  static base::ClusterId cluster() { return {0xcdf8}; }
  static base::MemberId id(std::size_t slot) { return {0x1000 + slot}; }

 private:
  std::vector<std::string> texts(const std::vector<base::Url>& urls) const {
    std::vector<std::string> result;
    for (const base::Url& url : urls) result.push_back(base::to_string(url));
    return result;
  }

  model::ObservedMember listed(const Slot& slot, const model::Member& member, std::size_t i) const {
    model::ObservedMember seen;
    seen.listed.id = id(i);
    seen.listed.learner = slot.role == Role::Learner;
    const bool named = slot.role == Role::Voter || slot.started;
    seen.listed.name = named ? member.name : "";
    seen.listed.peer_urls = texts(member.peer_urls);
    if (slot.moved) seen.listed.peer_urls = {"https://10.9.9." + std::to_string(i) + ":2380"};
    if (named) seen.listed.client_urls = texts(member.client_urls);
    const base::Time at = world_time();
    if (named && slot.health == Health::Up) {
      model::MemberStatus status;
      status.version = running_;
      status.leader = id(static_cast<std::size_t>(leader_));
      status.raft_term = 4;
      status.raft_index = 90000;
      status.raft_applied = slot.role == Role::Learner && !slot.in_sync ? 10 : 90000;
      status.revision = 5000;
      seen.status = model::Fact<model::MemberStatus>::known(status, at);
      if (slot.role == Role::Voter) seen.serves = model::Fact<base::Duration>::known(base::Duration{3}, at);
    } else {
      seen.status = model::Fact<model::MemberStatus>::unknown("connection refused", at);
      seen.serves = model::Fact<base::Duration>::unknown("connection refused", at);
    }
    if (slot.health == Health::SilentNow) {
      seen.silent_since = model::Fact<base::Time>::known(at - std::chrono::minutes{1}, at);
    } else if (slot.health == Health::SilentLong || slot.health == Health::Damaged || slot.health == Health::Fresh) {
      seen.silent_since = model::Fact<base::Time>::known(at - std::chrono::minutes{6}, at);
    }
    return seen;
  }

  model::NodeFacts node(const Slot& slot, const model::Member& member, std::size_t i) const {
    model::NodeFacts facts;
    facts.member = member.name;
    const base::Time at = world_time();
    const bool silent =
        slot.health == Health::SilentNow || slot.health == Health::SilentLong || slot.health == Health::SilentSince;
    if (slot.role != Role::Absent && silent) return facts;
    model::DataDir data;
    data.path = member.data_dir;
    data.state = model::DataState::Empty;
    std::string files;
    if (slot.role == Role::Absent) {
      if (slot.left == Left::Data || slot.left == Left::Both || slot.left == Left::Foreign) {
        data.state = model::DataState::Valid;
        data.cluster = slot.left == Left::Foreign ? base::ClusterId{0xbad} : cluster();
        data.member = {0x2000 + i};
      }
      if (slot.left == Left::Foreign) data.state = model::DataState::Foreign;
      if (slot.left == Left::Files || slot.left == Left::Both) files = "old-" + member.name;
    } else if (slot.role == Role::Voter || slot.started) {
      files = slot.configured ? "wanted-" + member.name : "old-" + member.name;
      if (slot.health == Health::Fresh) data.state = model::DataState::Fresh;
      if (slot.health == Health::Damaged) data.state = model::DataState::Damaged;
      if (slot.health == Health::Up || slot.health == Health::Whole) data.state = model::DataState::Valid;
      if (slot.health != Health::Emptied && slot.health != Health::Fresh) {
        data.cluster = cluster();
        data.member = id(i);
      }
    }
    facts.data = model::Fact<model::DataDir>::known(data, at);
    facts.manifest = model::Fact<model::Manifest>::known({files}, at);
    const bool runs = slot.role != Role::Absent && !files.empty() && slot.health == Health::Up;
    facts.process = model::Fact<model::Process>::known({runs, runs ? 4711 : 0, ""}, at);
    return facts;
  }

  std::vector<Slot> slots_;
  std::string running_ = "3.5.21";
  int leader_ = 0;
};

}  // namespace quorate::support
