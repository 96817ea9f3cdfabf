// The agents that run in this process: each keeps one member on a thread of its own, all follow one file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/inotify/file_watch.h"
#include "reconciler/adapters/local_peers/board.h"
#include "reconciler/adapters/system/state_lock.h"
#include "reconciler/base/result.h"
#include "reconciler/cli/member_agent.h"
#include "reconciler/loop/followed.h"

namespace quorate::cli {

struct CrewOptions {
  std::string file;       // absolute
  std::string member;     // the only one whose agent runs here; empty: all that the file lists
  std::string state_dir;  // absolute
  bool create = false;    // one cluster may be formed, whatever the file says
  bool keep_members = false;
  bool net = false;  // the agents of the others are elsewhere, and are seen over the network
  etcd_grpc::Access access;
  // After each pass, from the agent's thread.
  std::function<void(const std::string& member, const loop::Pass& pass)> passed;
  // A new file is followed, or one that is wrong is not; from any thread.
  std::function<void(const std::vector<model::Finding>& findings, bool followed)> read;
};

class Crew {
 public:
  // The file must be right to begin with. Refused: another process keeps this state directory.
  static base::Result<std::unique_ptr<Crew>> start(CrewOptions options, ports::Events& events);
  ~Crew();  // the agents finish their steps; then their members are stopped, unless they are to be kept
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void reread();  // the file may have changed
  void wake_all(const std::string& reason);

  // What an agent here has seen in a pass that began after the call.
  base::Result<loop::Pass> look_again(base::Duration within);
  // Waits for a pass that ended after number `seen`, and says which that is; the same number when the time is up.
  struct Latest {
    std::uint64_t number = 0;
    std::string member;
    loop::Pass pass;
  };
  Latest next(std::uint64_t seen, base::Duration within) const;
  bool makes_passes() const;  // lately: an agent that hangs is for systemd to start again

  // What people say is kept in etcd where there is a quorum, else on this node; says which.
  base::Result<std::string> allow(const model::Allowed& allowed);
  base::Result<std::string> pause(const std::optional<model::Paused>& paused);  // nothing: resume

  std::shared_ptr<const loop::Followed> followed() const;

 private:
  Crew(CrewOptions options, ports::Events& events, adapters::system::StateLock lock);

  base::Result<void> begin();
  base::Result<void> connect(const model::Desired& desired);
  base::Result<void> follow(std::shared_ptr<const loop::Followed> followed);
  base::Result<void> add(const std::string& member);
  base::Result<void> watch();
  std::string member_in(const std::string& data_dir) const;
  std::vector<std::string> members_on_disk() const;
  void wake(const std::string& member, const std::string& reason);
  void take(const std::string& member, const loop::Pass& pass);
  base::Result<std::string> keep(const std::string& key, std::optional<std::string> value);

  CrewOptions options_;
  ports::Events& events_;
  adapters::system::StateLock lock_;
  std::unique_ptr<ports::Clock> clock_;
  std::unique_ptr<ports::Entropy> entropy_;
  std::unique_ptr<ports::EtcdAdmin> etcd_;
  std::unique_ptr<ports::Links> links_;
  std::unique_ptr<ports::Host> host_;
  std::unique_ptr<local_peers::Board> board_;
  std::mutex reading_;        // one at a time, so that the last one read is the one that is followed
  mutable std::mutex mutex_;  // of what follows
  std::shared_ptr<const loop::Followed> followed_;
  std::map<std::string, std::unique_ptr<MemberAgent>> agents_;
  std::unique_ptr<inotify::FileWatch> watch_;
  std::string told_;                     // the last problem of the watch that was told
  std::vector<model::Allowed> allowed_;  // on this node
  std::optional<model::Paused> paused_;
  mutable std::mutex news_mutex_;  // of what follows
  mutable std::condition_variable news_;
  Latest latest_;
  base::Duration latest_at_{};  // on Clock::elapsed
};

}  // namespace quorate::cli
