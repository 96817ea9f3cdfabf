// One thread for each job; one job at a time.
#include "reconciler/cli/agent_stores.h"

#include <atomic>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "reconciler/adapters/system/durable.h"
#include "reconciler/adapters/system/workers.h"
#include "reconciler/base/mebibytes.h"
#include "reconciler/base/path.h"
#include "reconciler/cli/policy_store.h"
#include "reconciler/cli/trial_place.h"

namespace quorate::cli {
namespace {

// Also by way of links of the spool's: what it does not keep would be removed from the store. The store itself is not
// touched, since it may hang.
bool is_in_store(const model::BackupPolicy& policy) {
  constexpr std::string_view kFolder = "file://";
  if (policy.to.compare(0, kFolder.size(), kFolder) != 0) return false;
  std::error_code none;
  const std::string store = base::join_path("/", policy.to.substr(kFolder.size()));
  const std::string spool = std::filesystem::weakly_canonical(policy.spool, none).string();
  return !spool.empty() && (base::is_within(spool, store) || base::is_within(store, spool));
}

class AgentStores final : public ports::Stores {
 public:
  explicit AgentStores(StoresOf parts) : parts_(std::move(parts)) {}
  ~AgentStores() override {
    if (thread_.joinable()) thread_.join();
  }

  base::Result<ports::OpenedStore> open(const model::BackupPolicy& policy) override {
    auto key = seal_key_of(policy);
    if (!key) return tl::unexpected(std::move(key.error()));
    auto opened = open_store(settings_of(policy), parts_.clock, parts_.entropy);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    const auto whole = std::make_shared<OpenedStore>(*std::move(opened));
    return ports::OpenedStore{{whole, whole->objects.get()}, *std::move(key)};
  }

  base::Result<void> prepare_spool(const model::BackupPolicy& policy, std::uint64_t size) override {
    if (auto folder = adapters::system::make_folder(policy.spool); !folder) {
      return tl::unexpected(std::move(folder.error()));
    }
    const auto space = parts_.node.disk_space(policy.spool);
    if (!space) return tl::unexpected(space.error());
    if (space->free_bytes < size + size / 2) {  // perhaps it is the disk that etcd writes to
      return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                        "disk full: " + policy.spool + " has " + base::mebibytes(space->free_bytes) +
                                            " free, and a snapshot of " + base::mebibytes(size) + " is to go there",
                                        "free space on its file system"});
    }
    if (is_in_store(policy)) {
      return tl::unexpected(base::Error{base::ErrorKind::Refused,
                                        "the spool " + policy.spool + " and the store " + policy.to + " are one place",
                                        "give the spool a folder of its own"});
    }
    return {};
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
        parts_.ended();
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

  base::Result<std::unique_ptr<ports::TrialPlace>> trial_place(const std::string& program,
                                                               std::uint64_t size) override {
    const std::string etcd = program.empty() ? "etcd" : program;
    if (const auto binary = parts_.node.binary(etcd); !binary) {
      return tl::unexpected(base::Error{base::ErrorKind::Refused,
                                        "there is no etcd to try a backup out with: " + binary.error().message,
                                        binary.error().help});
    }
    const std::string parent = temporary_folder(parts_.folder);
    return make_trial_place(parts_.host, parts_.node, parts_.entropy,
                            {parent + "/quorate-trial-" + parts_.name, etcd, size});
  }

 private:
  const StoresOf parts_;
  std::atomic<bool> busy_{false};
  std::unique_ptr<codec::Workers> workers_;  // of the job's thread
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ports::Stores> make_agent_stores(StoresOf parts) {
  return std::make_unique<AgentStores>(std::move(parts));
}

}  // namespace quorate::cli
