// Changes of the membership that somebody has asked etcd for, and that may still take effect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/base/ids.h"

namespace quorate::model {

// New peer URLs of a member, as they were announced before etcd was asked for them.
struct Updating {
  base::MemberId member;
  std::vector<std::string> peer_urls;
  bool in_flight = true;          // it may still take effect; false: whoever looks has seen it for long enough
  std::int64_t mod_revision = 0;  // of its record; in no document
  friend bool operator==(const Updating&, const Updating&) = default;
};

// Changes of the membership that an agent has announced and nobody has seen the end of yet. A condemned voter is
// removed for good, whoever announced it; a learner that has no name and stands at announced URLs is ours.
struct Announced {
  std::vector<base::MemberId> condemned;
  std::vector<std::vector<std::string>> adding;  // peer URLs
  std::vector<Updating> updating{};
  friend bool operator==(const Announced&, const Announced&) = default;
};

}  // namespace quorate::model
