// Objects in memory, with the faults of real stores: refusals, answers that are lost, bytes that are not what was put.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/base/object_name.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/object_store.h"

namespace quorate::fakes {

enum class StoreCall { List, Get, Open, Read, Put, Create, Write, Finish, Remove, Sweep };

// What a store holds; stores made over the same shelf see the same objects, as two processes do. Thread-safe.
class Shelf {
 public:
  struct Object {
    std::string bytes;
    base::Time modified{};
  };
  struct Fault {
    StoreCall call{};
    base::Error error;
    int skip = 0;              // so many calls go well before
    int times = 1;             // then so many fail; negative: all
    bool done_though = false;  // the store does it, and only its answer is lost
  };

  explicit Shelf(ports::Clock& clock) : clock_(clock) {}

  void fail(Fault fault) {
    const std::lock_guard lock(mutex_);
    faults_.push_back(std::move(fault));
  }
  void heal() {
    const std::lock_guard lock(mutex_);
    faults_.clear();
  }
  // Behind everybody's back.
  void set(const std::string& name, std::string bytes) {
    const std::lock_guard lock(mutex_);
    objects_[name] = {std::move(bytes), clock_.now()};
  }
  void flip_byte(const std::string& name, std::size_t at) {
    const std::lock_guard lock(mutex_);
    objects_.at(name).bytes.at(at) ^= 1;
  }
  void cut(const std::string& name, std::size_t size) {
    const std::lock_guard lock(mutex_);
    objects_.at(name).bytes.resize(size);
  }
  // As a folder whose disk is not mounted any more: empty, and no store unless somebody marks it.
  void unmount() {
    const std::lock_guard lock(mutex_);
    objects_.clear();
    unmarked_ = true;
  }
  // An upload whose writer was killed.
  void leave_upload(base::Time began) {
    const std::lock_guard lock(mutex_);
    uploads_.push_back(began);
  }
  std::map<std::string, Object> objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  std::size_t uploads() const {
    const std::lock_guard lock(mutex_);
    return uploads_.size();
  }
  std::map<StoreCall, int> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  friend class FakeStore;
  friend class FakeWriter;
  friend class FakeReader;

  // The fault that this call meets, if any. The lock is held.
  const Fault* meet(StoreCall call) {
    ++calls_[call];
    for (Fault& fault : faults_) {
      if (fault.call != call || fault.times == 0) continue;
      if (fault.skip > 0) {
        --fault.skip;
        continue;
      }
      if (fault.times > 0) --fault.times;
      return &fault;
    }
    return nullptr;
  }

  // That nothing is there can be said of a store only. The lock is held.
  base::Result<void> sure_of(bool something) const {
    if (something || !unmarked_) return {};
    return base::invalid("the folder is empty and not marked as a store");
  }

  static tl::unexpected<base::Error> there_is_one(const std::string& name) {
    return tl::unexpected(base::Error{base::ErrorKind::Conflict, name + " is there already", ""});
  }

  ports::Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;
  std::vector<base::Time> uploads_;
  std::vector<Fault> faults_;
  std::map<StoreCall, int> calls_;
  bool unmarked_ = false;
};

class FakeReader final : public ports::ObjectReader {
 public:
  FakeReader(Shelf& shelf, std::string bytes) : shelf_(shelf), bytes_(std::move(bytes)) {}

  std::uint64_t size() const override { return bytes_.size(); }
  base::Result<std::size_t> read(char* into, std::size_t most) override {
    const std::lock_guard lock(shelf_.mutex_);
    if (const auto* fault = shelf_.meet(StoreCall::Read)) return tl::unexpected(fault->error);
    const std::size_t count = std::min(most, bytes_.size() - done_);
    std::copy_n(bytes_.data() + done_, count, into);
    done_ += count;
    return count;
  }

 private:
  Shelf& shelf_;
  std::string bytes_;
  std::size_t done_ = 0;
};

class FakeWriter final : public ports::ObjectWriter {
 public:
  FakeWriter(Shelf& shelf, std::string name, ports::Overwrite overwrite)
      : shelf_(shelf), name_(std::move(name)), overwrite_(overwrite) {}

  base::Result<void> write(std::string_view bytes) override {
    const std::lock_guard lock(shelf_.mutex_);
    if (over_) return base::invalid("nothing more can be written to " + name_);
    if (const auto* fault = shelf_.meet(StoreCall::Write)) {
      over_ = true;
      return tl::unexpected(fault->error);
    }
    bytes_.append(bytes);
    return {};
  }
  base::Result<void> finish() override {
    const std::lock_guard lock(shelf_.mutex_);
    if (over_) return base::invalid(name_ + " cannot be finished any more");
    over_ = true;
    const auto* fault = shelf_.meet(StoreCall::Finish);
    if (overwrite_ == ports::Overwrite::Never && shelf_.objects_.count(name_) != 0) return Shelf::there_is_one(name_);
    shelf_.unmarked_ = false;
    if (fault == nullptr || fault->done_though) shelf_.objects_[name_] = {std::move(bytes_), shelf_.clock_.now()};
    if (fault != nullptr) return tl::unexpected(fault->error);
    return {};
  }

 private:
  Shelf& shelf_;
  std::string name_;
  ports::Overwrite overwrite_;
  std::string bytes_;
  bool over_ = false;
};

class FakeStore final : public ports::ObjectStore {
 public:
  explicit FakeStore(std::shared_ptr<Shelf> shelf) : shelf_(std::move(shelf)) {}

  std::string address() const override { return "memory://shelf"; }

  base::Result<void> mark() override {
    const std::lock_guard lock(shelf_->mutex_);
    shelf_->unmarked_ = false;
    return {};
  }

  base::Result<std::vector<ports::ObjectInfo>> list(const std::string& prefix) override {
    const std::lock_guard lock(shelf_->mutex_);
    if (const auto* fault = shelf_->meet(StoreCall::List)) return tl::unexpected(fault->error);
    if (auto sure = shelf_->sure_of(!shelf_->objects_.empty()); !sure) return tl::unexpected(sure.error());
    std::vector<ports::ObjectInfo> found;
    for (const auto& [name, object] : shelf_->objects_) {
      if (name.compare(0, prefix.size(), prefix) == 0) found.push_back({name, object.bytes.size(), object.modified});
    }
    return found;
  }

  base::Result<std::optional<std::string>> get(const std::string& name, std::uint64_t most) override {
    const std::lock_guard lock(shelf_->mutex_);
    if (!base::is_object_name(name)) return no_name();
    if (const auto* fault = shelf_->meet(StoreCall::Get)) return tl::unexpected(fault->error);
    const auto found = shelf_->objects_.find(name);
    if (auto sure = shelf_->sure_of(found != shelf_->objects_.end()); !sure) return tl::unexpected(sure.error());
    if (found == shelf_->objects_.end()) return std::nullopt;
    if (found->second.bytes.size() > most) {
      return base::invalid(name + " is larger than " + std::to_string(most) + " bytes");
    }
    return found->second.bytes;
  }

  base::Result<std::unique_ptr<ports::ObjectReader>> open(const std::string& name) override {
    const std::lock_guard lock(shelf_->mutex_);
    if (!base::is_object_name(name)) return no_name();
    if (const auto* fault = shelf_->meet(StoreCall::Open)) return tl::unexpected(fault->error);
    const auto found = shelf_->objects_.find(name);
    if (found == shelf_->objects_.end()) return nullptr;
    return std::make_unique<FakeReader>(*shelf_, found->second.bytes);
  }

  base::Result<void> put(const std::string& name, std::string_view bytes, ports::Overwrite overwrite) override {
    const std::lock_guard lock(shelf_->mutex_);
    if (!base::is_object_name(name)) return no_name();
    const auto* fault = shelf_->meet(StoreCall::Put);
    if (fault != nullptr && !fault->done_though) return tl::unexpected(fault->error);
    if (overwrite == ports::Overwrite::Never && shelf_->objects_.count(name) != 0) {
      return Shelf::there_is_one(name);
    }
    shelf_->unmarked_ = false;
    shelf_->objects_[name] = {std::string(bytes), shelf_->clock_.now()};
    if (fault != nullptr) return tl::unexpected(fault->error);
    return {};
  }

  base::Result<std::unique_ptr<ports::ObjectWriter>> create(const std::string& name,
                                                            ports::Overwrite overwrite) override {
    const std::lock_guard lock(shelf_->mutex_);
    if (!base::is_object_name(name)) return no_name();
    if (const auto* fault = shelf_->meet(StoreCall::Create)) return tl::unexpected(fault->error);
    if (overwrite == ports::Overwrite::Never && shelf_->objects_.count(name) != 0) return Shelf::there_is_one(name);
    return std::make_unique<FakeWriter>(*shelf_, name, overwrite);
  }

  base::Result<void> remove(const std::string& name) override {
    const std::lock_guard lock(shelf_->mutex_);
    if (!base::is_object_name(name)) return no_name();
    const auto* fault = shelf_->meet(StoreCall::Remove);
    if (fault == nullptr || fault->done_though) shelf_->objects_.erase(name);
    if (fault != nullptr) return tl::unexpected(fault->error);
    return {};
  }

  base::Result<int> sweep(base::Time before) override {
    const std::lock_guard lock(shelf_->mutex_);
    if (const auto* fault = shelf_->meet(StoreCall::Sweep)) return tl::unexpected(fault->error);
    auto& uploads = shelf_->uploads_;
    const auto kept = std::remove_if(uploads.begin(), uploads.end(), [&](base::Time began) { return began < before; });
    const auto swept = uploads.end() - kept;
    uploads.erase(kept, uploads.end());
    return static_cast<int>(swept);
  }

 private:
  static tl::unexpected<base::Error> no_name() { return base::invalid("an object cannot have such a name"); }

  std::shared_ptr<Shelf> shelf_;
};

}  // namespace quorate::fakes
