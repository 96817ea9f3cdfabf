// What an agent remembers of its member between two lives: what it promised, what it started, what it once held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

struct Memory {
  std::string cluster;  // name
  std::string member;
  std::string incarnation;       // 32 hex digits, drawn when the directory was found empty
  std::string promised;          // the decision it keeps to; empty: none
  std::int64_t generation = 0;   // of the file that it was promised for; 0: nothing was
  std::string started;           // the decision that etcd was started under as a founder; empty: never
  bool initialised = false;      // its directory has held a log: from then on an empty one is a loss
  bool withdrawn = false;        // it was taken out of service: nothing starts it but a new manifest
  base::ClusterId cluster_id{};  // of the log that it held last
  base::MemberId member_id{};
  std::uint64_t highest_term = 0;
  std::uint64_t latest_index = 0;  // committed, as etcd said last
  std::uint64_t lagged_index = 0;  // the value before that: only that is known to be on disk
  std::string data_dir;            // where it was, and its log where that has a place of its own
  std::string wal_dir;
  std::string filesystem;  // that it was on, and that its log was on where that has a place of its own
  std::string wal_filesystem;
  std::string program;  // that its manifest was written for, and the release that was asked of it
  std::string version;
  std::vector<std::string> promised_with;  // the founders of that decision, by name
  std::optional<Paused> paused;            // as etcd had it when it could last be asked
  std::optional<Formed> formed;
  std::optional<Applied> applied;
  Standing standing;  // what of it does not follow from the rest
  friend bool operator==(const Memory&, const Memory&) = default;
};

void forget_data(Memory& memory);  // what was known of a log that is gone

std::string to_json(const Memory& memory);
base::Result<Memory> read_memory(std::string_view text, const std::string& name);

// Stands inside the data directory, so that it moves with it.
struct Marker {
  base::ClusterId cluster;
  base::MemberId member;
  std::string name;  // of the member
  std::string incarnation;
  std::int64_t generation = 1;
  friend bool operator==(const Marker&, const Marker&) = default;
};

std::string to_json(const Marker& marker);
base::Result<Marker> read_marker(std::string_view text, const std::string& name);

// What a directory is, once it is known what its agent remembers of it: emptied is not fresh, and a log that ends
// before what etcd has had on disk went back in time.
void judge_data(DataDir& data, const Memory* memory, const Marker* marker);

}  // namespace quorate::model
