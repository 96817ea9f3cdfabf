// Members of one cluster of real etcd, each on an address of its own on loopback, with ports found free.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reconciler/model/observed.h"
#include "tests/integration/etcd_process.h"
#include "tests/integration/process.h"

namespace quorate::contract {

class LocalEtcd {
 public:
  // `options` go to every member, `scheme` is of the client URLs.
  explicit LocalEtcd(std::string release, std::vector<std::string> options = {}, std::string scheme = "http");

  void add_seat();
  std::string client_url(int seat) const;
  std::string peer_url(int seat) const;
  std::string address(int seat) const;
  std::string data_dir(int seat) const;

  void found(int founders);  // the first seats make a new cluster
  void join(int seat, const std::vector<model::ListedMember>& members);
  void kill(int seat);
  void start_again(int seat);  // on its data, as it was started before
  void pause(int seat);
  void resume(int seat);
  bool wait_until_ready(int seat) { return at(seat).process && at(seat).process->wait_until_ready(); }
  std::string log(int seat) const;

 private:
  struct Seat {
    std::string name;
    std::string address;
    int client_port = 0;
    int peer_port = 0;
    std::vector<std::string> boot;
    std::unique_ptr<integration::EtcdProcess> process;
  };
  Seat& at(int seat) { return seats_.at(static_cast<std::size_t>(seat)); }
  const Seat& at(int seat) const { return seats_.at(static_cast<std::size_t>(seat)); }
  void run(int seat);

  std::string release_;
  std::vector<std::string> options_;
  std::string scheme_;
  integration::TempDir folder_;  // outlives the processes
  std::vector<Seat> seats_;
};

}  // namespace quorate::contract
