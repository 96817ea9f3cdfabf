// What happens to a world: desired files and their edits, faults and their ends, a client that writes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reconciler/model/memory.h"
#include "tests/sim/world.h"

namespace quorate::sim {

struct Cluster;

std::optional<model::Memory> memory_on(const Machine& machine);  // of its agent

class Scenario {
 public:
  explicit Scenario(World& world);

  void begin();
  Duration safety_phase() const { return length_; }
  void heal();  // nothing goes wrong any more, and everybody has the newest file
  bool is_bold() const { return bold_; }
  bool wiped_anything() const { return wiped_; }
  Duration calm_since() const { return calm_since_; }
  // Before there was a cluster, with a memory of its own.
  bool had_second_founder() const { return second_founder_; }
  const std::vector<std::string>& wanted() const { return members_; }
  // People do what a cluster without a quorum needs of them.
  bool has_people() const { return ruins_ || restores_; }

 private:
  enum class Fault {
    AgentEnds,
    AgentEndsInACall,
    EtcdEnds,
    MachineEnds,
    Partition,
    SlowDisk,
    WipedDisk,
    ClockStep,
    FullDisk,
    StaleFile,
    SecondAgent,
    NotMounted,
    SlowLearners,
    FastClocks,
    EtcdEndsAtStart,
    // From here on what a cluster does not survive by itself; the numbers are those of the attacks in issue 5.
    Ruin,             // more disks are lost at once than the cluster can lose (1, 5, 16, 19)
    AwayAndBack,      // meanwhile somebody with whole data is away, may be declared lost, and returns (1, 6)
    ContraryOrders,   // two files name different survivors (4)
    StrayStarts,      // something else starts etcd on whatever is there (3, 15)
    OldImages,        // a disk goes back to what it was minutes ago (8)
    DeposedTails,     // a leader that is cut off goes on writing (17)
    SuspendedAgents,  // an agent hangs in any call, and goes on as if nothing had happened (14)
    Backups,          // the files name a store
    StoreFails,       // for a while it does not answer
    RestoreOrders,    // people want the state of a backup back, also of a cluster that runs
  };

  void tick();
  void write();
  void next_fault();
  void strike(Fault fault, Machine& machine);
  void wipe(Machine& machine);
  bool is_remembered_without(const Machine& machine) const;
  void unmount(Machine& machine);
  void mount(Machine& machine);
  void isolate(Machine& machine);
  void second_agent(Machine& machine);
  void let_it_mark(Machine& machine);
  void edit();
  void grow();
  void shrink();
  void publish();  // the newest file, to every machine that is or was named
  void give(Machine& machine);
  Machine& somebody();

  bool take(Fault fault);  // out of those that strike again and again; whether this world has it
  // ------------------------------------------------------------------------------ scenario_ruin.cpp
  void prepare_ruin();
  void depose(Machine& machine);
  void ruin();
  void people();
  bool take_back_words(const Cluster& cluster);
  bool take_back_refuted(const Cluster& cluster);
  enum class Whom { Founders, Voters };  // of a decision under way; these, and whoever has a vote
  bool list_again(Whom whom);
  void look_beneath(const Cluster& cluster);
  bool declare_lost(const Cluster& cluster);
  bool order(const Cluster& cluster);
  bool may_be_declared(const Cluster& cluster, const Machine& machine) const;
  void stray(Machine& machine);
  void old_image(Machine& machine);
  void put_back(Machine& machine, const MemberData& image);
  void hang(Machine& machine);
  // ------------------------------------------------------------------------------ scenario_backup.cpp
  void prepare_backups();
  void order_restore();
  bool has_second_thoughts(const Cluster& cluster);  // about such an order
  bool order_latest();                               // where nobody has data that a cluster could go on with
  std::string said_of_backups() const;

  std::string text_for(const Machine& machine) const;
  std::string said_of_recovery() const;
  // A voter whose data are in place, and not the one on this machine.
  bool is_another_voter(const std::string& name, const Machine& machine);

  World& world_;
  std::vector<Fault> faults_;
  std::vector<std::string> members_;
  int variant_ = 0;
  Duration length_{};
  bool bold_ = false;
  bool wiped_ = false;
  bool second_founder_ = false;
  bool over_ = false;
  Duration calm_since_{};
  std::set<std::string> stale_;

  bool ruins_ = false;
  bool ruined_ = false;
  bool away_ = false;      // somebody is, when it happens
  bool contrary_ = false;  // two files are written for one order
  bool automatic_ = false;
  const Machine* deposed_ = nullptr;
  std::int64_t generation_ = 1;
  std::string survivor_;
  std::string other_survivor_;               // of the contrary file
  std::map<std::string, std::string> lost_;  // by member: its ID, or "never"
  std::optional<Duration> ordered_at_;
  Duration patience_{90000};  // before people raise the generation once more

  bool restores_ = false;          // people order it while the cluster runs
  bool restores_unasked_ = false;  // the file wants it where no data are left
  std::string restore_;            // the backup, or latest
  std::optional<Duration> restore_ordered_at_;
};

}  // namespace quorate::sim
