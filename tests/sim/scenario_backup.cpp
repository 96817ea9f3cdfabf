// A store for backups, and people who want an older state back.
#include "tests/sim/scenario.h"
#include "tests/sim/sim_etcd.h"
#include "tests/sim/twins_store.h"

namespace quorate::sim {
namespace {

constexpr Duration kTriesAgain{5000};
constexpr Duration kTooLong = std::chrono::minutes{6};

}  // namespace

void Scenario::prepare_backups() {
  world_.backs_up = take(Fault::Backups);
  restores_ = take(Fault::RestoreOrders) && world_.backs_up && !bold_;
  if (!world_.backs_up) take(Fault::StoreFails);
  if (!world_.backs_up) return;
  restores_unasked_ = ruins_ && world_.chance.chance(500);
  if (!restores_) return;
  world_.recovers = true;
  take(Fault::SecondAgent);
}

std::string Scenario::said_of_backups() const {
  std::string text = std::string("bootstrap: {ifNoCluster: ") + (restores_unasked_ ? "restore-or-new" : "new") + "}\n";
  if (world_.backs_up) text += "backup: {to: [\"file:///var/backups/sim\"], every: 20s, compress: none}\n";
  return text;
}

// Of a cluster that runs; what was written since is lost, and people know it.
void Scenario::order_restore() {
  if (over_ || ruined_) return;
  Cluster* cluster = world_.etcd().formed();
  const std::vector<std::string> names = backups_in(world_);
  if (cluster == nullptr || names.empty() || world_.etcd().leader(*cluster) == nullptr) {
    return world_.after(kTriesAgain, [this] { order_restore(); });
  }
  restore_ = world_.chance.pick(names);
  survivor_.clear();
  world_.restores_ordered.insert(++generation_);
  restore_ordered_at_ = world_.now();
  publish();
}

// Data have come back, and the newest backup is what they are; or what was ordered waits for something for too long.
bool Scenario::has_second_thoughts(const Cluster& cluster) {
  if (restore_.empty() || cluster.generation >= generation_) return false;
  const bool too_long = restore_ordered_at_ && world_.now() - *restore_ordered_at_ > kTooLong;
  if (restore_ != "latest" && !too_long) return false;
  world_.trace("the restore is not wanted any more");
  restore_.clear();
  return true;
}

bool Scenario::order_latest() {
  if (backups_in(world_).empty()) return false;
  restore_ = "latest";
  survivor_.clear();
  world_.restores_ordered.insert(++generation_);
  ordered_at_ = world_.now();
  return true;
}

}  // namespace quorate::sim
