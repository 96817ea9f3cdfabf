// The stores of an agent, all of them the same one in memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "reconciler/ports/stores.h"
#include "tests/fakes/fake_store.h"

namespace quorate::fakes {

// Jobs run when the test says so.
class OneShelf final : public ports::Stores {
 public:
  explicit OneShelf(std::shared_ptr<Shelf> shelf) : shelf_(std::move(shelf)) {}

  base::Result<ports::OpenedStore> open(const model::BackupPolicy& /*policy*/) override {
    return ports::OpenedStore{std::make_shared<FakeStore>(shelf_), std::nullopt};
  }
  bool begin(std::function<void()> job) override {
    if (job_) return false;
    job_ = std::move(job);
    return true;
  }
  codec::Workers& workers() override { return workers_; }
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
