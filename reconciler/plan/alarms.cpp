// NOSPACE: make room, then let writes in again. CORRUPT is for people; the planner stops before this stage.
#include <algorithm>

#include "reconciler/model/project.h"
#include "reconciler/model/rules.h"
#include "reconciler/model/step.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

constexpr std::int64_t kWorthDefragmenting = 16LL * 1024 * 1024;  // less would cost more than it frees,
constexpr std::int64_t kWorthOfQuota = 8;                         // but for small quotas this part is worth it
constexpr std::int64_t kLeftByDefragmenting = 128LL * 1024;

bool has_alarm(const World& world, base::MemberId id) {
  const auto& alarms = *world.observed.alarms;
  return std::find(alarms.begin(), alarms.end(), model::Alarm{id, model::AlarmKind::NoSpace}) != alarms.end();
}

// What a compaction has freed is counted as free only after some more writes, and a full etcd takes none: where a
// database has no room left, any gap that defragmenting would not leave itself is worth a try.
bool wastes_space(const World& world, const Seat& seat) {
  const model::MemberStatus& status = *seat.listed->status;
  const std::int64_t quota = model::quota_of(world.desired, seat.node);
  const std::int64_t worth = std::min(kWorthDefragmenting, quota / kWorthOfQuota);
  const std::int64_t gap = status.db_size - status.db_size_in_use;
  return gap >= worth || (status.db_size >= quota && gap > kLeftByDefragmenting);
}

// Members are equally full within a few pages: who has not complained yet would at the next write through it.
bool is_nearly_full(const World& world, const Seat& seat) {
  return seat.listed->status->db_size >= model::quota_of(world.desired, seat.node) / 10 * 9;
}

// By the quota that it runs with: a larger one in the file makes room when it has arrived, and the step that brings it
// comes before any alarm is disarmed.
bool is_full(const World& world, const Seat& seat) {
  return seat.listed->status->db_size >= model::quota_of(world.desired, seat.node);
}

// Those that make no room for writes, the leader last: it stands still while it is defragmented.
std::vector<const Seat*> to_defragment(const World& world) {
  std::vector<const Seat*> seats;
  const Seat* leader = nullptr;
  for (const Seat& seat : world.seats) {
    if (seat.listed == nullptr || !seat.up || !wastes_space(world, seat)) continue;
    if (!has_alarm(world, seat.listed->listed.id) && !is_nearly_full(world, seat)) continue;
    if (seat.listed->listed.id == world.leader) {
      leader = &seat;
    } else {
      seats.push_back(&seat);
    }
  }
  if (leader != nullptr) seats.push_back(leader);
  return seats;
}

bool needs_compaction(const World& world) {
  std::int64_t revision = 0;
  for (const Seat& seat : world.seats) {
    if (seat.listed != nullptr && seat.listed->status) revision = std::max(revision, seat.listed->status->revision);
  }
  const auto& compacted = world.observed.compact_revision;
  return compacted && *compacted < revision - model::kCompactionMargin;
}

model::Reason no_space(const World& world, const Seat& seat) {
  model::Reason reason = reason_at(world, seat, "NoSpace", "a NOSPACE alarm stands: etcd refuses writes");
  return reason;
}

// Data that were brought back bring the alarms of their members along: those stop writes like any other, and where
// there is no room their own members will say so again.
void disarm_of_the_past(const World& world, Proposals& proposals) {
  const bool came_back = world.observed.formed && !world.observed.formed->after.empty();
  if (!came_back) return;
  for (const model::Alarm& alarm : *world.observed.alarms) {
    if (alarm.kind != model::AlarmKind::NoSpace || model::member_of(world.observed, alarm.member) != nullptr) continue;
    model::Reason reason;
    reason.code = "NoSpace";
    reason.text = "a NOSPACE alarm came with the data, of a member that is no more: etcd refuses writes";
    model::Step step = make_step(model::DisarmAlarm{base::to_string(alarm.member), alarm}, model::StepClass::Heal,
                                 kCluster, std::move(reason));
    step.ensures = {model::NoAlarm{alarm}};
    proposals.push_back(std::move(step));
  }
}

}  // namespace

void propose_alarms(const World& world, Proposals& proposals) {
  if (!world.observed.alarms || world.observed.alarms->empty()) return;
  std::vector<const Seat*> alarmed;
  for (const Seat& seat : world.seats) {
    if (seat.listed != nullptr && has_alarm(world, seat.listed->listed.id)) alarmed.push_back(&seat);
  }
  disarm_of_the_past(world, proposals);
  if (alarmed.empty()) return;
  if (needs_compaction(world)) {
    model::Step step = make_step(model::Compact{world.desired.name}, model::StepClass::Heal, kCluster,
                                 no_space(world, *alarmed.front()));
    proposals.push_back(std::move(step));
    return;
  }
  for (const Seat* seat : to_defragment(world)) {
    const base::MemberId id = seat->listed->listed.id;
    model::Step step =
        make_step(model::Defragment{seat->name(), id}, model::StepClass::Heal,
                  seat->wish == nullptr ? seat->name() : seat->wish->member->node, no_space(world, *seat));
    proposals.push_back(std::move(step));
    return;
  }
  const bool some_are_full = std::any_of(world.seats.begin(), world.seats.end(), [&](const Seat& seat) {
    return seat.listed != nullptr && seat.up && is_full(world, seat);
  });
  for (const Seat* seat : alarmed) {
    // Room is needed first: an alarm that is disarmed over a full database is back at once. One that is down will say
    // so again, and cannot be replaced while its alarm keeps the others from writing.
    if (seat->up ? is_full(world, *seat) : some_are_full) continue;
    const model::Alarm alarm{seat->listed->listed.id, model::AlarmKind::NoSpace};
    model::Step step =
        make_step(model::DisarmAlarm{seat->name(), alarm}, model::StepClass::Heal, kCluster, no_space(world, *seat));
    step.ensures = {model::NoAlarm{alarm}};
    proposals.push_back(std::move(step));
  }
}

}  // namespace quorate::plan
