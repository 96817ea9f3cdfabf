// Where an agent keeps what it must not forget: one folder for each member below the state directory.
#pragma once

#include <string>

#include "reconciler/base/path.h"

namespace quorate::model {

inline std::string member_folder(const std::string& state_dir, const std::string& cluster, const std::string& member) {
  return base::join_path(base::join_path(state_dir, cluster), member);
}

inline constexpr const char* kMemoryFile = "memory.json";
inline constexpr const char* kJournalFile = "journal";

inline std::string memory_path(const std::string& state_dir, const std::string& cluster, const std::string& member) {
  return base::join_path(member_folder(state_dir, cluster, member), kMemoryFile);
}

// What keeps clients out of a cluster that comes back: who signs passes, our own, its key.
inline std::string fence_folder(const std::string& member_folder) {
  return base::join_path(member_folder, "fence");
}
inline std::string fence_ca(const std::string& folder) {
  return base::join_path(folder, "ca.pem");
}
inline std::string fence_pass(const std::string& folder) {
  return base::join_path(folder, "pass.pem");
}
inline std::string fence_key(const std::string& folder) {
  return base::join_path(folder, "key.pem");
}

// What stood in its place before a decision that its node keeps to; what is made for the decision, until it is whole.
inline constexpr const char* kYielded = ".yielded-";
inline std::string yielded_path(const std::string& directory, const std::string& decision) {
  return directory + kYielded + decision;
}
inline std::string restoring_path(const std::string& directory, const std::string& decision) {
  return directory + ".restoring-" + decision;
}

// A snapshot on its way to be restored from, beside the place that it is for.
inline std::string fetched_path(const std::string& directory) {
  return directory + ".fetched";
}
// Where it is until its agent has taken note of it: what it remembers is never said of another one.
inline std::string fetching_path(const std::string& directory) {
  return fetched_path(directory) + ".next";
}

// Stands in both, and says of which decision.
inline std::string decision_path(const std::string& directory) {
  return base::join_path(directory, "quorate-decision.json");
}

// Says in a data directory whose it is.
inline std::string marker_path(const std::string& data_dir) {
  return base::join_path(data_dir, "quorate.json");
}

}  // namespace quorate::model
