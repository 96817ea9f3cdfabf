// Questions to this machine and its network that only a person asks: is it reached, is it free, how fast is it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::adapters::system {

// By TCP, and closed at once; how long it took. A DNS name counts by the first of its addresses that answers.
base::Result<base::Duration> reach(const std::string& host, std::uint16_t port, base::Duration within);

enum class Port { Free, Taken, NotOurs, Forbidden };  // NotOurs: the address is none of this machine
base::Result<Port> look_at_port(const std::string& address, std::uint16_t port);

struct Folder {
  int mode = 0;              // permission bits
  std::string owner;         // name of the user; digits where it has none
  bool owned_by_us = false;  // by the user that this program runs as
  bool writable = false;     // by that user
  bool mount_point = false;  // it cannot be renamed
};

// Nothing: it is not there. Invalid: something else is.
base::Result<std::optional<Folder>> look_at_folder(const std::string& path);

// Each write of 8 KiB with what it takes to be on disk, as etcd's log does; slowest last. Leaves nothing behind.
base::Result<std::vector<std::chrono::microseconds>> time_writes(const std::string& folder, int count);

}  // namespace quorate::adapters::system
