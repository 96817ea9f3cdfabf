// What happens to a world: desired files and their edits, faults and their ends, a client that writes.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/world.h"

namespace quorate::sim {

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
  };

  void tick();
  void write();
  void next_fault();
  void strike(Fault fault, Machine& machine);
  void wipe(Machine& machine);
  void unmount(Machine& machine);
  void mount(Machine& machine);
  void isolate(Machine& machine);
  void second_agent(Machine& machine);
  void edit();
  void grow();
  void shrink();
  void publish();  // the newest file, to every machine that is or was named
  void give(Machine& machine);
  Machine& somebody();
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
};

}  // namespace quorate::sim
