// One thread for each job; one job at a time.
#include "reconciler/cli/agent_stores.h"

#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

#include "reconciler/adapters/system/workers.h"
#include "reconciler/cli/policy_store.h"

namespace quorate::cli {
namespace {

class AgentStores final : public ports::Stores {
 public:
  AgentStores(ports::Clock& clock, ports::Entropy& entropy, std::function<void()> ended)
      : clock_(clock), entropy_(entropy), ended_(std::move(ended)) {}
  ~AgentStores() override {
    if (thread_.joinable()) thread_.join();
  }

  base::Result<ports::OpenedStore> open(const model::BackupPolicy& policy) override {
    auto key = seal_key_of(policy);
    if (!key) return tl::unexpected(std::move(key.error()));
    auto opened = open_store(settings_of(policy), clock_, entropy_);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    const auto whole = std::make_shared<OpenedStore>(*std::move(opened));
    return ports::OpenedStore{{whole, whole->objects.get()}, *std::move(key)};
  }

  bool begin(std::function<void()> job) override {
    if (busy_) return false;
    if (thread_.joinable()) thread_.join();
    busy_ = true;
    try {
      thread_ = std::thread([this, job = std::move(job)] {
        job();
        workers_.reset();  // hours may pass until they are needed again
        busy_ = false;
        ended_();
      });
    } catch (const std::system_error&) {
      busy_ = false;  // no more threads to be had: later, perhaps
    }
    return busy_ || thread_.joinable();
  }

  codec::Workers& workers() override {
    if (!workers_) workers_ = adapters::system::make_workers();
    return *workers_;
  }

 private:
  ports::Clock& clock_;
  ports::Entropy& entropy_;
  const std::function<void()> ended_;
  std::atomic<bool> busy_{false};
  std::unique_ptr<codec::Workers> workers_;  // of the job's thread
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ports::Stores> make_agent_stores(ports::Clock& clock, ports::Entropy& entropy,
                                                 std::function<void()> ended) {
  return std::make_unique<AgentStores>(clock, entropy, std::move(ended));
}

}  // namespace quorate::cli
