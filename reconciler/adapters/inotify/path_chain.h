// Every name on the way to a path, through links: whoever changes one of them changes what the path means.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace quorate::inotify {

// What a path means now. Two that differ are two different files, or two states of one.
struct Meaning {
  bool there = false;
  bool regular = false;
  std::string real_path;  // without links; where it is not there, up to the first name that is missing
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;
  friend bool operator==(const Meaning&, const Meaning&) = default;
};

// `visit(folder, name, last)` is called before the name is looked at in the folder, which has no link on its way.
// `last`: no name of the path comes after it, though it may turn out to be a link.
using Visit = std::function<void(const std::string& folder, const std::string& name, bool last)>;
Meaning follow(const std::string& absolute_path, const Visit& visit);

}  // namespace quorate::inotify
