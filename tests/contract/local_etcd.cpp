// Command lines of etcd, and signals for its processes.
#include "tests/contract/local_etcd.h"

#include <utility>

#include "tests/contract/world.h"

namespace quorate::contract {

LocalEtcd::LocalEtcd(std::string release, std::vector<std::string> options, std::string scheme)
    : release_(std::move(release)), options_(std::move(options)), scheme_(std::move(scheme)) {}

void LocalEtcd::add_seat() {
  const int number = static_cast<int>(seats_.size());
  Seat seat;
  seat.name = std::string(1, static_cast<char>('a' + number));
  seat.address = integration::own_address(1);
  seat.client_port = integration::free_port();
  seat.peer_port = integration::free_port();
  seats_.push_back(std::move(seat));
}

std::string LocalEtcd::address(int seat) const {
  return at(seat).address;
}

std::string LocalEtcd::client_url(int seat) const {
  return scheme_ + "://" + at(seat).address + ":" + std::to_string(at(seat).client_port);
}

std::string LocalEtcd::peer_url(int seat) const {
  return "http://" + at(seat).address + ":" + std::to_string(at(seat).peer_port);
}

std::string LocalEtcd::data_dir(int seat) const {
  return folder_ / at(seat).name;
}

void LocalEtcd::found(int founders) {
  std::string everyone;
  for (int seat = 0; seat < founders; ++seat) {
    everyone += (seat == 0 ? "" : ",") + at(seat).name + "=" + peer_url(seat);
  }
  for (int seat = 0; seat < founders; ++seat) {
    at(seat).boot = {"--initial-cluster=" + everyone, "--initial-cluster-state=new",
                     "--initial-cluster-token=contract"};
    run(seat);
  }
}

void LocalEtcd::join(int seat, const std::vector<model::ListedMember>& members) {
  std::string everyone;
  for (const model::ListedMember& member : members) {
    everyone += (everyone.empty() ? "" : ",") + (member.name.empty() ? at(seat).name : member.name) + "=" +
                member.peer_urls.front();
  }
  at(seat).boot = {"--initial-cluster=" + everyone, "--initial-cluster-state=existing"};
  run(seat);
}

void LocalEtcd::run(int seat) {
  Seat& it = at(seat);
  integration::Command command{
      {integration::etcd_program(release_), "--name=" + it.name, "--data-dir=" + folder_ / it.name,
       "--listen-peer-urls=" + peer_url(seat), "--initial-advertise-peer-urls=" + peer_url(seat),
       "--listen-client-urls=" + client_url(seat), "--advertise-client-urls=" + client_url(seat), "--logger=zap",
       "--log-outputs=stderr", "--quota-backend-bytes=" + std::to_string(kQuota)},
      {}};
  command.arguments.insert(command.arguments.end(), options_.begin(), options_.end());
  command.arguments.insert(command.arguments.end(), it.boot.begin(), it.boot.end());
  it.process = std::make_unique<integration::EtcdProcess>(command);
}

void LocalEtcd::kill(int seat) {
  at(seat).process.reset();
}

void LocalEtcd::start_again(int seat) {
  run(seat);
}

void LocalEtcd::pause(int seat) {
  if (at(seat).process) at(seat).process->pause();
}

void LocalEtcd::resume(int seat) {
  if (at(seat).process) at(seat).process->resume();
}

std::string LocalEtcd::log(int seat) const {
  return at(seat).process ? at(seat).process->log() : std::string("not running");
}

}  // namespace quorate::contract
