// Names of snapshots that other tools lay down as one object each, without anything beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/time.h"

namespace quorate::model {

struct RawName {
  std::string of;                // whose layout it is: "etcd-operator"
  std::optional<base::Time> at;  // as its name says it; local times are taken as UTC
  std::optional<std::int64_t> revision;
  friend bool operator==(const RawName&, const RawName&) = default;
};

// By the last part of the object's name. Nothing: no tool that we know of names snapshots so.
std::optional<RawName> parse_raw_name(std::string_view object);

}  // namespace quorate::model
