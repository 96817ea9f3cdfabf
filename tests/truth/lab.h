// A site with real etcd: nodes that hold files, data and processes, what can be seen of them, and the hands that carry
// a step out as agents would.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/loop/preview.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/step.h"
#include "reconciler/observe/observe.h"
#include "tests/integration/etcd_process.h"

namespace quorate::truth {

// A desired file, read: what stands in it, and what the renderers make of it.
struct File {
  std::string text;
  std::string release;
  model::Desired desired;
  loop::Bundles bundles;
};

// What a test writes into a desired file, besides who is in it.
struct Wording {
  std::string release;                        // of etcd
  std::string etcd;                           // more fields of etcd: "quota: 16Mi"
  std::string more;                           // more blocks
  std::map<std::string, std::string> member;  // more fields of members
};

class Lab {
 public:
  Lab();

  // Members are called a, b, c ... Each name has an address of its own.
  File file(const std::vector<std::string>& members, const Wording& wording);
  std::string client_url(const std::string& member) const;
  std::string peer_url(const std::string& member) const;
  std::string other_peer_url(const std::string& member) const;  // same address, another port
  std::vector<std::string> running() const;                     // client URLs of members whose process runs

  // Puts a cluster there that has been carried out from this file.
  void form(const File& file);
  void lead(const std::string& member);    // makes it lead
  void remove(const std::string& member);  // by somebody else's hand
  void kill(const std::string& member);    // its process, with SIGKILL; its node stays
  void lose_node(const std::string& member);
  void wipe_disk(const std::string& member);                             // kills it, and leaves an empty data directory
  void disown(const std::string& member) { seat(member).ours = false; }  // no file has ever listed it

  model::Observed look(const File& file);
  // Everything again until it is so; false when it never was.
  bool eventually(const std::function<bool()>& wanted, base::Duration patience);

  // As its node's agent, or the leader's, would. Conflicts and passing troubles are tried again for 15 s.
  base::Result<void> carry_out(const model::Step& step, const File& file);

  ports::EtcdAdmin& etcd() { return *etcd_; }
  base::MemberId id_of(const std::string& member);
  std::string leader_url();  // client URL of the leader; empty: there is none
  std::string log() const;   // what the members have said last, for messages

 private:
  struct Seat {
    std::string address;
    int other_peer_port = 0;
    std::unique_ptr<integration::EtcdProcess> process;
    std::vector<std::string> files;
    std::string promised;
    bool node_lost = false;
    bool ran = false;  // its agent remembers that etcd ran here
    bool ours = true;
    std::optional<base::Time> silent_since;
  };
  struct Doing;
  friend struct Doing;

  Seat& seat(const std::string& member) { return seats_.at(member); }
  void write_and_start(const std::string& member, const File& file, const renderers::Boot& boot);
  base::Result<std::string> initial_cluster(const model::Member& member);
  base::Result<void> insist(const std::function<base::Result<void>(const std::string& endpoint)>& call);
  void add_what_agents_know(model::Observed& observed, const File& file);

  integration::TempDir folder_;  // outlives the processes
  int client_port_ = 0;
  int peer_port_ = 0;
  std::unique_ptr<ports::EtcdAdmin> etcd_;
  std::unique_ptr<ports::Node> node_;
  std::unique_ptr<ports::Parallel> parallel_;
  std::unique_ptr<ports::Clock> clock_;
  std::map<std::string, Seat> seats_;
  std::optional<File> applied_;
  int set_aside_ = 0;
};

}  // namespace quorate::truth
