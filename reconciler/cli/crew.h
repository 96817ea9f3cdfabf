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
#include "reconciler/cli/said.h"
#include "reconciler/loop/followed.h"
#include "reconciler/model/agent_settings.h"

namespace quorate::cli {

struct CrewOptions {
  std::string file;       // absolute
  std::string member;     // the only one whose agent runs here; empty: all that the file lists
  std::string state_dir;  // absolute
  bool create = false;    // one cluster may be formed, whatever the file says
  bool keep_members = false;
  bool net = false;  // the agents of the others are elsewhere, and are seen over the network
  // Where the file is wrong at the start, what was followed last is: members are never left alone for a mistake in it.
  bool last_valid_will_do = false;
  model::AgentSettings node;  // what the node file says
  etcd_grpc::Access access;
  // After each pass, from the agent's thread.
  std::function<void(const std::string& member, const loop::Pass& pass)> passed;
  // A new file is followed, or one that is wrong is not; from any thread.
  std::function<void(const std::vector<model::Finding>& findings, bool followed)> read;
};

struct Kept {
  std::string where;                 // "etcd" or "this node"
  base::Duration at{};               // on Clock::elapsed: passes that begin later know it
  std::vector<std::string> members;  // whose agents run here
};

class Crew {
 public:
  // The file must be right to begin with, or have been when it was followed last. Refused: another process keeps this
  // state directory.
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

  // What people say is kept in etcd where there is a quorum, else on this node. Of one thing the last word counts.
  base::Result<Kept> allow(const model::Allowed& allowed);
  base::Result<Kept> pause(const std::optional<model::Paused>& paused);  // nothing: resume
  // What was said of it last, also where that has ended; nothing: nobody has said anything.
  base::Result<std::optional<model::Allowed>> said_of(const std::string& what);

  std::shared_ptr<const loop::Followed> followed() const;
  struct File {
    model::Source followed;
    std::string problem;  // of the file as it is now, which is not followed; empty: none
  };
  File file() const;

 private:
  Crew(CrewOptions options, ports::Events& events, adapters::system::StateLock lock);

  struct Reading {
    model::Source source;
    loop::Read read;
  };

  base::Result<void> begin();
  base::Result<void> connect(const model::Desired& desired);
  base::Result<Reading> read(model::Source source) const;
  base::Result<Reading> read_file() const;
  base::Result<Reading> read_first();
  base::Result<Reading> fall_back(const base::Error& why);
  base::Result<void> follow(Reading reading);
  base::Result<void> take_over(const std::shared_ptr<const loop::Followed>& followed);
  void set_problem(const std::string& problem);
  base::Result<void> add(const std::string& member);
  base::Result<void> watch();
  std::string member_in(const std::string& data_dir) const;
  MemberAgent* agent_of(const std::string& member) const;  // null: none runs here; the lock is held
  void wake(const std::string& member, const std::string& reason);
  void take(const std::string& member, const loop::Pass& pass);
  base::Result<bool> keep_in_etcd(const std::string& key, std::optional<std::string> value);
  Kept kept(bool in_etcd) const;       // mutex_ is held
  base::Result<void> heed(Said said);  // likewise

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
  std::optional<model::Source> source_;  // of what is followed
  std::string problem_;                  // of the file as it is now
  std::map<std::string, std::unique_ptr<MemberAgent>> agents_;
  std::unique_ptr<inotify::FileWatch> watch_;
  std::string told_;               // the last problem of the watch that was told
  Said said_;                      // on this node
  mutable std::mutex news_mutex_;  // of what follows
  mutable std::condition_variable news_;
  Latest latest_;
  base::Duration latest_at_{};  // on Clock::elapsed
};

}  // namespace quorate::cli
