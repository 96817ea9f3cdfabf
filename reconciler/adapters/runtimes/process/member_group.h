// A cgroup of the member's own below ours, so that what etcd uses is counted apart and can be limited apart.
#pragma once

#include <string>

namespace quorate::adapters::process {

// Where to look; tests have other places.
struct GroupPlace {
  std::string own = "/proc/self/cgroup";
  std::string mount = "/sys/fs/cgroup";
};

// Only where ours has been given to us to divide, which systemd's Delegate=yes writes on it. Whatever stands in the
// way, the member stays in ours: it is no reason not to start it.
void enter_group(const std::string& member, int pid, const GroupPlace& place = {});
// One that is still in use stays.
void remove_group(const std::string& member, const GroupPlace& place = {});

}  // namespace quorate::adapters::process
