// Agents of one cluster, each a process that keeps one member of real etcd: they are started, killed and stopped, their
// file is edited, and etcd itself is asked what came of it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/model/journal_entry.h"
#include "reconciler/ports/etcd_admin.h"
#include "tests/e2e/agents/sweeper.h"
#include "tests/integration/etcd_process.h"
#include "tests/truth/writer.h"

namespace quorate::e2e {

using Json = nlohmann::json;
using Names = std::vector<std::string>;
using integration::Seconds;

// A machine that is busy with other tests: what takes a second there may take ten here.
constexpr Seconds kFormed{60};
constexpr Seconds kPatience{90};
constexpr Seconds kRecovered{150};  // or restored
constexpr base::Duration kAnswer{3000};
constexpr Seconds kAnswered{30};  // by a cluster that serves
constexpr Seconds kAtOnce{0};     // where it is the question whether it serves

// What a test writes into the desired file, besides who is in it.
struct Wording {
  std::string etcd;    // more fields of etcd: "quota: 16Mi"
  std::string binary;  // instead of the release's own
  std::string more;    // more blocks
  bool create = true;
  std::string reconcile = "deadAfter: 3s, maxHealsPerDay: 100, every: 2s";
  std::string rollout = "soak: 0s";
  std::string tls = "mode: \"off\"";
  std::map<std::string, std::string> member;  // more fields of members
};

class Fleet {
 public:
  explicit Fleet(std::string release);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // On a machine of its own: another address, and what has to stand in front of its agent's command line.
  void move(const std::string& member, std::string address, Names prefix);

  // With TLS, and this way in for the test itself.
  void secure(const etcd_grpc::Access& access);

  // The desired file. Members are called a, b, c ... Each name has an address of its own.
  std::string text(const Names& members, const Wording& wording = {}) const;
  void replace_file(const std::string& text);    // by rename, as most editors do
  void overwrite_file(const std::string& text);  // in place
  void want(const Names& members, const Wording& wording = {}) { replace_file(text(members, wording)); }
  const std::string& file() const { return file_; }
  // NAME=value, for agents that are started from now on and for commands.
  void give_variables(Names variables) { variables_ = std::move(variables); }
  // That member's agent follows a file of its own from its next start on.
  void give(const std::string& member, const std::string& file) { own_files_[member] = file; }

  // More words for its agent's command line, from its next start on.
  void tell(const std::string& member, Names words) { words_[member] = std::move(words); }
  void move_agents();  // to another port, from the next file on

  void start(const std::string& member);  // its agent
  void start(const Names& members);
  void kill(const std::string& member);  // its agent, with SIGKILL; etcd stays
  void kill(const Names& members);
  void signal(const std::string& member, int number) { agent(member).signal(number); }
  void pause(const std::string& member) { agent(member).pause(); }
  void resume(const std::string& member) { agent(member).resume(); }
  bool is_stopped(const std::string& member) { return agent(member).is_stopped(); }
  bool agent_said(const std::string& member, const std::string& piece, Seconds patience = kPatience);
  std::optional<int> agent_ended(const std::string& member, Seconds patience) {
    return agent(member).wait_for_exit(patience);
  }

  int etcd_pid(const std::string& member) const;  // 0: none runs
  void signal_etcd(const std::string& member, int signal);
  void kill_etcd(const std::string& member);  // and waits until it is gone
  void wipe(const std::string& member);       // what is in its data directory
  void lose_disks(const Names& members);      // while their agents are held, so that none starts etcd in between
  void lose_node(const std::string& member);  // agent, etcd, data and state, as with a machine that burns

  std::string client_url(const std::string& member) const;
  std::string peer_url(const std::string& member) const;
  std::string address(const std::string& member) const;
  int client_port() const { return client_port_; }
  std::vector<std::string> client_urls(const Names& members) const;
  std::string state_dir(const std::string& member) const { return folder_ / ("state/" + member); }
  std::string socket(const std::string& member) const { return state_dir(member) + "/agent.sock"; }
  std::string config(const std::string& member) const { return memory_folder(member) + "/etcd.yaml"; }
  std::string memory(const std::string& member) const { return memory_folder(member) + "/memory.json"; }
  std::string data_dir(const std::string& member) const { return folder_ / ("data/" + member); }
  Names set_aside(const std::string& member) const;  // names of folders
  const std::string& folder() const { return folder_.path(); }
  int peer_port() const { return peer_port_; }

  ports::EtcdAdmin& etcd() { return *etcd_; }
  std::optional<ports::MemberList> list();  // as a quorum has it
  base::MemberId id_of(const std::string& member);
  base::ClusterId cluster_of(const std::string& member);
  std::string leader();  // its name; empty: there is none
  std::string serving();
  // Exactly these vote, all of them answer reads through the quorum, and all are of one cluster.
  bool are_voters(const Names& members);
  // Again until there is an answer: a machine may stand still for a moment.
  bool put(const std::string& key, const std::string& value, Seconds patience = kAnswered);
  std::string get(const std::string& key, Seconds patience = kAnswered);
  // Through a, until etcd takes no more: hold the agents first where they would make room.
  bool fill_up(const std::function<std::string(int)>& key_of, const std::string& value);

  // Everything again until it is so; false when it never was.
  static bool eventually(const std::function<bool()>& wanted, Seconds patience = kPatience);
  bool become_voters(const Names& members, Seconds patience = kPatience);
  bool settle(const std::string& member, Seconds patience = kPatience);  // its agent finds nothing left to do
  void form(const Names& members, const Wording& wording = {});
  void lead(const std::string& member);

  integration::Ended quorate(const Names& arguments) const;
  Json plan(const std::string& member) const;  // as its agent sees it
  // The plan of that member's agent waits for this status: "NeedsHuman".
  bool plans(const std::string& member, const std::string& status, const std::string& notice,
             Seconds patience = kPatience) const;
  bool approve(const std::string& member, const std::string& step);
  std::vector<model::JournalEntry> journal(const std::string& member) const;
  std::vector<model::JournalEntry> journals() const;            // of all, by time
  Names steps_done(const std::string& start_of_id = "") const;  // IDs, in the order in which they ended
  Names steps_begun(const std::string& start_of_id) const;
  std::size_t journal_size(const std::string& member) const;  // in bytes
  std::string log(const std::string& member) const;           // what the agent said, without etcd's lines

 private:
  void connect(const etcd_grpc::Access& access);
  void expect_nothing_left() const;
  Names steps(model::JournalEvent event, const std::string& start_of_id) const;
  integration::Process& agent(const std::string& member) { return *agents_.at(member); }
  std::string memory_folder(const std::string& member) const { return state_dir(member) + "/fleet/" + member; }

  struct Place {
    std::string address;
    Names prefix;
  };
  std::string release_;
  std::map<std::string, Place> places_;
  integration::TempDir folder_;
  std::map<std::string, std::string> own_files_;
  std::map<std::string, Names> words_;
  Names variables_;
  Sweeper sweeper_;  // after the agents, before the folder
  std::string file_;
  std::string scheme_ = "http";
  int client_port_ = 0;
  int peer_port_ = 0;
  int agent_port_ = 0;
  std::unique_ptr<ports::EtcdAdmin> etcd_;
  std::map<std::string, std::unique_ptr<integration::Process>> agents_;
  std::map<std::string, std::string> said_before_;  // by agents that have been killed
};

// Every put that was acknowledged is there.
void expect_nothing_lost(Fleet& fleet, truth::Writer& writer);
// They hold the same keys and values, from the beginning of what is not compacted.
void expect_one_content(Fleet& fleet, const Names& members);

// The parameter of every suite is a release of etcd.
constexpr Seconds kTwiceDeadAfter{6};  // of the files that form() writes

class AgentsTest : public testing::TestWithParam<std::string> {
 protected:
  static bool stays(const std::function<bool()>& so, Seconds patience = kTwiceDeadAfter) {
    return !Fleet::eventually([&] { return !so(); }, patience);
  }
  Fleet fleet_{GetParam()};
};

}  // namespace quorate::e2e
