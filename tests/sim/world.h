// The simulated world: machines, the network between them, virtual time, and what must never happen in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/time.h"
#include "reconciler/base/units.h"
#include "reconciler/loop/followed.h"
#include "reconciler/model/journal_entry.h"
#include "reconciler/model/run_state.h"
#include "reconciler/ports/runtime.h"
#include "tests/sim/bugs.h"
#include "tests/sim/rng.h"

namespace quorate::fakes {
class Shelf;
}

namespace quorate::sim {

using base::Duration;

inline constexpr const char* kStateDir = "/var/lib/quorate";
inline constexpr const char* kVersion = "3.5.21";

struct MemberData {  // what etcd keeps in a data directory
  base::ClusterId cluster;
  base::MemberId member;
  std::uint64_t term = 0;
  std::uint64_t last = 0;  // entries of the cluster's log that are on this disk
  Duration born{};
  std::uint64_t tail = 0;  // entries beyond `last` that this disk alone has: nobody was told that they are kept
  std::uint64_t tail_term = 0;
  bool went_back = false;  // an older image of the disk: nothing to go on with
};

struct File {
  std::string content;
  int mode = 0600;
};

struct Disk {
  std::map<std::string, File> files;
  std::map<std::string, MemberData> data;  // by data directory
};

// One etcd, from its start to its end.
struct Process {
  std::int64_t pid = 0;
  std::string config;  // its file
  bool stray = false;  // started by something else, behind the agents' back
  std::string name;
  std::string data_dir;
  std::string peer_url;
  std::string client_url;
  bool booted = false;  // it has read its directory and takes part
  bool ready = false;   // it has been told of a leader: clients are answered
  base::ClusterId cluster;
  base::MemberId member;
  Duration up_since{};
  Duration catches_up_at{};  // from then on it follows the log
  Duration is_full_at{};     // a learner: until then it follows from afar
};

// What the runtime of one agent knows; the pid survives the agent, as a pidfile does.
struct Running {
  std::optional<ports::Launch> launch;
  std::int64_t pid = 0;
  bool had_log = false;  // etcd has said so since it was ordered to start
  model::RunState state;
};

class AgentLife;

struct Machine {
  std::string name;
  std::string address;
  Disk disk;
  bool mounted = true;  // the disk of the data
  Disk beneath;         // what the mounted disk hides, or what is on the one that is not mounted
  bool up = true;
  bool listed = false;  // some desired text has named it, so an agent runs here
  bool full = false;
  bool slow = false;
  Duration skew{};          // of the clock that people read
  bool dies_young = false;  // its next etcd that starts from nothing ends at once
  std::optional<Process> etcd;
  Duration etcd_down_since{-1};  // -1: it runs, or has never run
  Duration back_at{-1000000};    // when its member ran and reached a quorum again after a while without
  bool state_was_wiped = false;
  bool put_back = false;               // by a planted bug
  bool given_up = false;               // people have said that it is gone for good
  bool told_loss = false;              // its agent has shown a plan that says that entries would be lost
  Duration disk_changed_at{-1000000};  // when people last put in another disk, or an older one
  Duration restore_begun_at{};         // by an agent that had just looked
  Duration unbound_at{-1000000};       // when what it had restored for a decision was taken from its place
  std::map<std::string, std::optional<File>> unsynced;  // as they were before writes that a crash takes back
  std::vector<Running> running{2};                      // by slot: the agent, and a second one where there is one
  std::vector<std::unique_ptr<AgentLife>> agents;
  std::vector<std::unique_ptr<AgentLife>> past;       // ended; kept, since late effects know them
  std::shared_ptr<const loop::Followed> text;         // what stands in its file
  std::shared_ptr<const loop::Followed> second_text;  // the same, as a second agent with another folder reads it
  std::vector<model::JournalEntry> journal;
  Duration with_others_at{};  // when its member last ran and could reach a quorum of the voters
  Duration saw_quorum_at{};   // when it could last reach a quorum of the voters
};

struct Options {
  std::uint64_t seed = 1;
  Bug bug = Bug::None;
  bool verbose = false;
  int kinds = 0;  // of faults that the world knows, the oldest first; 0: all
};

class Etcd;

class World {
 public:
  explicit World(const Options& options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // ------------------------------------------------------------------------------------------------------------ time
  Duration now() const { return now_; }
  base::Time date() const { return base::Time(std::chrono::hours(24 * 365 * 56) + now_); }
  void at(Duration when, std::function<void()> what);
  void after(Duration wait, std::function<void()> what) { at(now_ + wait, std::move(what)); }
  void run_until(Duration end);  // or until something is wrong, or until stop()
  void stop() { stopped_ = true; }
  void go_on() { stopped_ = false; }

  // ----------------------------------------------------------------------------------------------------- the machines
  std::vector<Machine> machines;
  Machine* machine_at(const std::string& url);  // by the host in it
  Machine* machine_named(const std::string& name);
  bool reaches(const Machine& from, const Machine& to) const;
  void cut(const Machine& one, const Machine& other);
  void mend_all() { cut_.clear(); }

  void start_agent(Machine& machine, int slot);
  void crash_agent(Machine& machine, int slot);
  void agent_ended(Machine& machine, int slot);
  void crash_etcd(Machine& machine, model::EndReason reason, const std::string& text);
  void crash_machine(Machine& machine);
  void boot_machine(Machine& machine);
  void wipe(Machine& machine, bool with_state);
  void mount(Machine& machine, bool mounted);
  Duration skew_of(const Machine& machine) const;
  void wake(Machine& machine);
  void wake_others(const Machine& machine);
  void launch(Machine& machine, int slot);  // etcd, as its runtime was told
  void launch_stray(Machine& machine);      // by something else, with the files that are there
  void end_stray(Machine& machine);
  bool agent_runs(const Machine& machine, int slot) const;

  // ---------------------------------------------------------------------------------------------- what is written down
  void trace(const std::string& text);
  std::uint64_t trace_hash() const { return hash_; }
  void violate(const std::string& what);
  const std::string& violation() const { return violation_; }
  const std::vector<std::string>& lines() const { return lines_; }
  // `begun`: when it was given to the journal; an agent may hang in that, and has to look at the time again then.
  void noted(Machine& machine, int slot, const model::JournalEntry& entry, Duration begun);

  Etcd& etcd() { return *etcd_; }
  bool has(Bug bug) const { return options.bug == bug; }

  const Options options;
  Rng chance;          // of the scenario
  Rng noise;           // of latencies and lost answers
  bool faults = true;  // calls may be slow, late, or lose their answer
  bool slow_learners = false;
  bool deposed_tails = false;  // a leader that is cut off goes on writing, and nobody acknowledges it
  bool recovers = false;       // more disks are lost than a cluster can lose, and people order what is to be done
  std::string ordered;         // whose data they have named
  bool backs_up = false;       // the files name a store
  bool store_down = false;
  std::set<std::int64_t> restores_ordered;  // the generations of which people want what is in a backup
  std::shared_ptr<fakes::Shelf> shelf;      // what is in it
  Duration fast_since{-1};                  // since when everybody's clock gains four seconds in five
  std::uint64_t steps = 0;
  std::uint64_t passes = 0;
  std::int64_t next_pid = 100;
  std::uint64_t writes_acknowledged = 0;
  Duration last_intent{};
  int effects_to_come = 0;         // of calls for which nobody waits any more
  Duration edited_at{-1000000};    // when the latest file was written
  bool nothing_may_begin = false;  // the quorum is lost for good: people decide

 private:
  struct Event {
    Duration when;
    std::uint64_t order;
    std::function<void()> what;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.when != b.when ? a.when > b.when : a.order > b.order;
    }
  };

  void schedule_restart(Machine& machine, int slot);
  bool has_lost_its_log(const Machine& machine, int slot) const;
  bool is_of_decision(const Machine& machine, const std::string& step) const;
  class Calendar;

  Duration now_{std::chrono::hours{1}};
  std::uint64_t next_order_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::set<std::pair<std::string, std::string>> cut_;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
  std::string violation_;
  std::vector<std::string> lines_;
  bool stopped_ = false;
  std::unique_ptr<Etcd> etcd_;
  std::unique_ptr<Calendar> calendar_;
};

}  // namespace quorate::sim
