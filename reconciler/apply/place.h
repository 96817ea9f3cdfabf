// What stands in a place where a member is to begin and no log is: what a start that was refused leaves behind, or more
// than that, which somebody may miss.
#pragma once

#include <optional>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/ports/host.h"

namespace quorate::apply {

// The ends of names of what is set aside and is no member's data.
inline constexpr const char* kNothing = "empty";  // deleted when it is old
inline constexpr const char* kKept = "kept";      // for people, who put it there

enum class Place {
  Empty,
  Leftovers,  // of etcd, and notes of ours: nothing that was ever acknowledged
  More,
};

// A folder in it that is another etcd's data directory; nothing: none was found.
std::optional<std::string> other_etcd_below(ports::Host& host, const std::string& data_dir);

// Whether the database among the leftovers was used is for those to tell who can read it.
base::Result<Place> look_at_place(ports::Host& host, const std::string& data_dir);

}  // namespace quorate::apply
