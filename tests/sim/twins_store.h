// The store of all agents and the spool of one, as an agent works with them beside its passes.
#pragma once

#include <memory>
#include <string>

#include "reconciler/codec/workers.h"
#include "reconciler/ports/spool.h"
#include "reconciler/ports/stores.h"
#include "tests/sim/agent_life.h"
#include "tests/sim/sim_etcd.h"

namespace quorate::sim {

// As etcd sends it: a database that says what it holds, and its hash.
std::string snapshot_bytes(const MemberData& data, const Reach& reach, std::int64_t revision);
// What is in there, or in what was copied from a directory.
std::optional<MemberData> read_snapshot(const std::string& bytes);
std::string copied_snapshot(const MemberData& data);

// Whether anything can be restored from it, and from what.
std::vector<std::string> backups_in(const World& world);
std::optional<MemberData> data_in_backup(const World& world, const std::string& name);

class StoresTwin final : public ports::Stores {
 public:
  explicit StoresTwin(AgentLife& life) : life_(life) {}
  base::Result<ports::OpenedStore> open(const model::BackupPolicy& policy) override;
  base::Result<void> prepare_spool(const model::BackupPolicy& /*policy*/, std::uint64_t /*size*/) override {
    return base::invalid("no file names a spool");
  }
  bool begin(std::function<void()> job) override { return life_.begin_beside(std::move(job)); }
  codec::Workers& workers() override { return workers_; }
  base::Result<std::unique_ptr<ports::TrialPlace>> trial_place(const std::string& /*program*/,
                                                               std::uint64_t /*size*/) override {
    return base::invalid("no file asks for test restores");
  }

 private:
  AgentLife& life_;
  codec::NoWorkers workers_;
};

class SpoolTwin final : public ports::Spool {
 public:
  explicit SpoolTwin(AgentLife& life) : life_(life) {}
  base::Result<std::unique_ptr<codec::Sink>> begin(const std::string& path, std::uint64_t room) override;

 private:
  AgentLife& life_;
};

}  // namespace quorate::sim
