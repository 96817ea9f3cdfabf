// One agent with everything that it works through, and the thread that calls it whenever there may be something to do.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "reconciler/cli/said.h"
#include "reconciler/loop/agent.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/events.h"
#include "reconciler/watch/wakeups.h"

namespace quorate::cli {

struct MemberAgentOptions {
  std::string member;
  std::string state_dir;
  bool create = false;
  bool keep_member = false;
  Said said;  // on this node, before it began
  std::function<void(const loop::Pass& pass)> passed;
};

// What all agents of a process share.
struct Shared {
  ports::EtcdAdmin& etcd;
  ports::Host& host;
  ports::Links& links;
  ports::Clock& clock;
  ports::Entropy& entropy;
  ports::Events& events;
};

// What makes the others see this agent, and it the others.
class PeerLink {
 public:
  PeerLink() = default;
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;
  virtual ~PeerLink() = default;

  virtual ports::Peers& peers() = 0;
  virtual void changed() = 0;                               // we report something new
  virtual void follow(const loop::Followed& followed) = 0;  // whom to listen to, and where
  virtual void tend() = 0;                                  // before each pass: what could not be done yet
};
using MakePeerLink =
    std::function<base::Result<std::unique_ptr<PeerLink>>(ports::Reporter& reporter, std::function<void()> changed)>;

class MemberAgent {
 public:
  static base::Result<std::unique_ptr<MemberAgent>> start(const Shared& shared, MemberAgentOptions options,
                                                          std::shared_ptr<const loop::Followed> followed,
                                                          const MakePeerLink& make_link);
  ~MemberAgent();
  MemberAgent(const MemberAgent&) = delete;
  MemberAgent& operator=(const MemberAgent&) = delete;

  void follow(std::shared_ptr<const loop::Followed> followed);
  void heed(std::vector<model::Allowed> allowed, std::optional<model::Paused> paused);
  void wake(const std::string& reason) { wakeups_.wake(reason); }
  // Something has happened on our own node: the others are told now, since the pass may have to wait for one of them.
  void wake_all_about(const std::string& reason);
  void stop() { wakeups_.stop(); }  // after the pass that is under way; the destructor waits for it

 private:
  MemberAgent(const Shared& shared, MemberAgentOptions options);
  void run();
  void tell_through(PeerLink* link);
  void rest(const loop::Pass& pass);
  void look_on(std::vector<std::string> woken);

  Shared shared_;
  MemberAgentOptions options_;
  watch::Wakeups wakeups_;
  std::mutex told_mutex_;             // what is asked for at the very end of the parts, too
  PeerLink* told_through_ = nullptr;  // while there is one
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::atomic<base::Duration> health_every_{base::Duration{10000}};
  std::thread thread_;
};

}  // namespace quorate::cli
