// Each member behind a link of its own to a bridge, to which the test has one too; only root can have that. All of it
// goes with the spaces.
#pragma once

#include <string>
#include <vector>

#include <unistd.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/integration/certificates.h"

namespace quorate::e2e {

class Network {
 public:
  explicit Network(const std::string& folder) {
    const int pid = ::getpid();
    prefix_ = folder.substr(folder.rfind('.') + 1);
    subnet_ = "10." + std::to_string(64 + (pid >> 8) % 128) + "." + std::to_string(pid & 255) + ".";
    hub_ = prefix_ + "-hub";
    spaces_ = {hub_};
    good_ = ip({"netns", "add", hub_}) && ip({"-n", hub_, "link", "add", "name", "br", "type", "bridge"}) &&
            ip({"-n", hub_, "link", "set", "dev", "br", "up"}) &&
            ip({"link", "add", "name", "q" + prefix_, "type", "veth", "peer", "name", "test", "netns", hub_}) &&
            ip({"-n", hub_, "link", "set", "dev", "test", "master", "br", "up"}) &&
            ip({"addr", "add", subnet_ + "254/24", "dev", "q" + prefix_}) &&
            ip({"link", "set", "dev", "q" + prefix_, "up"});
  }

  ~Network() {
    for (const std::string& space : spaces_) ip({"netns", "del", space});
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  bool add(const std::string& member) {
    const std::string space = prefix_ + "-" + member;
    spaces_.push_back(space);
    good_ = good_ && ip({"netns", "add", space}) && ip({"-n", space, "link", "set", "dev", "lo", "up"}) &&
            ip({"-n", hub_, "link", "add", "name", "to-" + member, "type", "veth", "peer", "name", "eth", "netns",
                space}) &&
            ip({"-n", hub_, "link", "set", "dev", "to-" + member, "master", "br", "up"}) &&
            ip({"-n", space, "addr", "add", address(member) + "/24", "dev", "eth"}) &&
            ip({"-n", space, "link", "set", "dev", "eth", "up"});
    return good_;
  }
  bool cut_off(const std::string& machine) { return ip({"-n", hub_, "link", "set", "dev", "to-" + machine, "down"}); }
  bool join_again(const std::string& machine) { return ip({"-n", hub_, "link", "set", "dev", "to-" + machine, "up"}); }

  std::string address(const std::string& member) const { return subnet_ + std::to_string(member.front() - 'a' + 1); }
  // For c2 the second machine with the address of c.
  Names prefix(const std::string& machine) const { return {"ip", "netns", "exec", prefix_ + "-" + machine}; }
  const std::string& problem() const { return problem_; }
  bool good() const { return good_; }

  // Agents that are not all on loopback talk over TLS only; the test's file says so. False: see problem().
  bool take_in(Fleet& fleet, const Names& members, Wording& wording) {
    std::vector<std::string> addresses;
    for (const std::string& member : members) {
      if (!add(member)) return false;
      fleet.move(member, address(member), prefix(member));
      addresses.push_back(address(member));
    }
    const integration::Authority authority(fleet.folder(), "ca");
    authority.issue(fleet.folder() + "/agent.crt", fleet.folder() + "/agent.key", addresses);
    wording.tls = "mode: \"off\", agent: {cert: " + fleet.folder() + "/agent.crt, key: " + fleet.folder() +
                  "/agent.key, ca: " + authority.certificate() + "}";
    return true;
  }
  // A second machine that has taken the address of the first; only one of them is heard at a time.
  bool add_double(const std::string& member) {
    const std::string space = prefix_ + "-" + member + "2";
    spaces_.push_back(space);
    const std::string eth = mac_of(member);
    return ip({"netns", "add", space}) && ip({"-n", space, "link", "set", "dev", "lo", "up"}) &&
           ip({"-n", hub_, "link", "add", "name", "to-" + member + "2", "type", "veth", "peer", "name", "eth",
               "address", eth, "netns", space}) &&
           ip({"-n", hub_, "link", "set", "dev", "to-" + member + "2", "master", "br"}) &&
           ip({"-n", space, "addr", "add", address(member) + "/24", "dev", "eth"}) &&
           ip({"-n", space, "link", "set", "dev", "eth", "up"});
  }

 private:
  std::string mac_of(const std::string& member) {
    const auto shown = integration::run({{"ip", "-n", prefix_ + "-" + member, "-o", "link", "show", "dev", "eth"}, {}});
    const std::size_t at = shown.output.find("link/ether ");
    return at == std::string::npos ? "" : shown.output.substr(at + 11, 17);
  }
  bool ip(Names arguments) {
    arguments.insert(arguments.begin(), "ip");
    const auto ended = integration::run({arguments, {}});
    if (ended.exit_code != 0) problem_ = ended.errors;
    return ended.exit_code == 0;
  }

  std::string prefix_;
  std::string subnet_;
  std::string hub_;
  Names spaces_;
  std::string problem_;
  bool good_ = false;
};

}  // namespace quorate::e2e
