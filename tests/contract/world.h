// A cluster of four seats to try the contract on: the one in memory, or real etcd of a release on loopback.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reconciler/base/version.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::contract {

using base::Duration;

constexpr std::int64_t kQuota = 16 << 20;

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  virtual ports::EtcdAdmin& etcd() = 0;
  virtual base::Version version() const = 0;
  virtual std::string endpoint(int seat) const = 0;  // also of seats where nothing runs
  virtual std::string peer_url(int seat) const = 0;

  virtual void kill(int seat) = 0;
  virtual void start_again(int seat) = 0;
  virtual void hang(int seat) = 0;
  virtual void resume(int seat) = 0;
  virtual void join(int seat) = 0;  // on an empty directory, as the learner that was added with this seat's peer URL
  // Asks again until it is so; false when it never was.
  virtual bool eventually(const std::function<bool()>& wanted, Duration patience) = 0;
  virtual Duration now() = 0;
};

// The kinds: "fake-3.4.23", "fake-3.5.16", "fake-3.5.30", and the releases. `founders` seats are started.
std::unique_ptr<World> make_world(const std::string& kind, int founders);

// The newest 3.5 from 3.5.30 on that ci/setup could get; empty, and why, when there is none.
std::string newest_release();
std::string why_no_newest();

}  // namespace quorate::contract
