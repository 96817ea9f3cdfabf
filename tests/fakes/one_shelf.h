// The stores of an agent, all of them the same one in memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "reconciler/ports/stores.h"
#include "tests/fakes/fake_store.h"

namespace quorate::fakes {

class Bench final : public ports::TrialPlace, public codec::Sink {
 public:
  codec::Sink& snapshot() override { return *this; }
  ports::Trial trial() const override { return {"snapshot.db", "bench", "etcd", 0}; }
  base::Result<void> write(std::string_view /*bytes*/) override { return {}; }
  base::Result<void> finish() override { return {}; }
};

// Jobs run when the test says so.
class OneShelf final : public ports::Stores {
 public:
  explicit OneShelf(std::shared_ptr<Shelf> shelf) : shelf_(std::move(shelf)) {}

  // Every store is the shelf, but folders, which are the spool.
  base::Result<ports::OpenedStore> open(const model::BackupPolicy& policy) override {
    const bool folder = policy.to.compare(0, 7, "file://") == 0 && spooled != nullptr;
    return ports::OpenedStore{std::make_shared<FakeStore>(folder ? spooled : shelf_), std::nullopt};
  }
  base::Result<void> prepare_spool(const model::BackupPolicy& policy, std::uint64_t size) override {
    spool = policy.spool + " " + std::to_string(size > 0 ? 1 : 0);
    if (no_spool) return tl::unexpected(*no_spool);
    return {};
  }
  bool begin(std::function<void()> job) override {
    if (job_) return false;
    job_ = std::move(job);
    return true;
  }
  codec::Workers& workers() override { return workers_; }
  base::Result<std::unique_ptr<ports::TrialPlace>> trial_place(const std::string& program,
                                                               std::uint64_t size) override {
    asked_for = program + " " + std::to_string(size > 0 ? 1 : 0);
    if (no_place) return tl::unexpected(*no_place);
    return std::make_unique<Bench>();
  }
  std::string asked_for;
  std::optional<base::Error> no_place;
  std::string spool;  // as it was asked for last
  std::optional<base::Error> no_spool;
  std::shared_ptr<Shelf> spooled;  // what is in it
  bool run() {
    if (!job_) return false;
    std::exchange(job_, nullptr)();
    return true;
  }

 private:
  std::shared_ptr<Shelf> shelf_;
  codec::NoWorkers workers_;
  std::function<void()> job_;
};

}  // namespace quorate::fakes
