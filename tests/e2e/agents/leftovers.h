// What of a test is still there: processes, mounts and namespaces of its folder.
#pragma once

#include <string>
#include <vector>

namespace quorate::e2e {

// Kills the members that agents keep: those are meant to outlive an agent that is killed, and nothing else is.
// True: there were any.
bool kill_members(const std::string& folder);
// A line each.
std::vector<std::string> leftovers_of(const std::string& folder);

}  // namespace quorate::e2e
