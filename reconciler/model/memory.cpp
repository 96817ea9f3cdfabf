// The agent's memory and the marker in its data directory as JSON, and what both say of what lies there.
#include "reconciler/model/memory.h"

#include "reconciler/model/node_json.h"
#include "reconciler/model/standing_json.h"

namespace quorate::model {

void forget_data(Memory& memory) {
  memory.cluster_id = {};
  memory.member_id = {};
  memory.highest_term = memory.latest_index = memory.lagged_index = 0;
}

std::string to_json(const Memory& memory) {
  base::Json root = base::Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "memory";
  root["cluster"] = memory.cluster;
  root["member"] = memory.member;
  root["incarnation"] = memory.incarnation;
  root["promised"] = memory.promised;
  root["generation"] = memory.generation;
  root["started"] = memory.started;
  root["initialised"] = memory.initialised;
  root["withdrawn"] = memory.withdrawn;
  root["cluster_id"] = id_or_null(memory.cluster_id.value);
  root["member_id"] = id_or_null(memory.member_id.value);
  root["highest_term"] = memory.highest_term;
  root["latest_index"] = memory.latest_index;
  root["lagged_index"] = memory.lagged_index;
  root["data_dir"] = memory.data_dir;
  root["wal_dir"] = memory.wal_dir;
  root["filesystem"] = memory.filesystem;
  root["wal_filesystem"] = memory.wal_filesystem;
  root["program"] = memory.program;
  root["version"] = memory.version;
  root["promised_with"] = memory.promised_with;
  if (memory.paused) {
    root["paused"] = {{"reason", memory.paused->reason},
                      {"until", base::to_string(memory.paused->until)},
                      {"members", memory.paused->members}};
  }
  if (memory.formed) root["formed"] = formed_json(*memory.formed);
  if (memory.applied) root["applied"] = applied_json(*memory.applied);
  root["standing"] = standing_json(memory.standing);
  return document_text(root);
}

base::Result<Memory> read_memory(std::string_view text, const std::string& name) {
  const auto unusable = [](std::string problem) {
    return base::invalid(std::move(problem),
                         "it is written by the agent alone; keep a copy and see who changed it. Without a memory the "
                         "member is taken for a new one");
  };
  const auto tree = open_document(text, name, "memory");
  if (!tree) return unusable(tree.error().message);
  JsonReading reading{*tree, {}};
  const JsonPlace root(reading);
  Memory memory;
  memory.cluster = root.at("cluster").text();
  memory.member = root.at("member").text();
  memory.incarnation = root.at("incarnation").text();
  memory.promised = root.at("promised").text();
  memory.started = root.at("started").text();
  memory.initialised = root.at("initialised").truth();
  memory.withdrawn = root.at("withdrawn").truth();
  memory.cluster_id.value = root.at("cluster_id").id_or_null();
  memory.member_id.value = root.at("member_id").id_or_null();
  memory.highest_term = root.at("highest_term").natural();
  memory.latest_index = root.at("latest_index").natural();
  memory.lagged_index = root.at("lagged_index").natural();
  memory.data_dir = root.at("data_dir").text();
  memory.wal_dir = root.at("wal_dir").text();
  if (root.has("filesystem")) memory.filesystem = root.at("filesystem").text();
  if (root.has("wal_filesystem")) memory.wal_filesystem = root.at("wal_filesystem").text();
  if (root.has("program")) memory.program = root.at("program").text();
  if (root.has("version")) memory.version = root.at("version").text();
  if (root.has("generation")) memory.generation = root.at("generation").whole();
  if (root.has("promised_with")) memory.promised_with = root.at("promised_with").texts();
  if (root.has("paused")) {
    const JsonPlace paused = root.at("paused");
    memory.paused = Paused{paused.at("reason").text(), paused.at("until").time(), paused.at("members").texts()};
  }
  if (root.has("formed")) memory.formed = read_formed(root.at("formed"));
  if (root.has("applied")) memory.applied = read_applied(root.at("applied"));
  if (root.has("standing")) memory.standing = read_standing(root.at("standing"));
  if (reading.problem.empty()) return memory;
  return unusable(name + ": " + reading.problem);
}

std::string to_json(const Marker& marker) {
  base::Json root = base::Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "marker";
  root["cluster"] = base::to_string(marker.cluster);
  root["member"] = base::to_string(marker.member);
  root["name"] = marker.name;
  root["incarnation"] = marker.incarnation;
  root["generation"] = marker.generation;
  return document_text(root);
}

base::Result<Marker> read_marker(std::string_view text, const std::string& name) {
  const auto tree = open_document(text, name, "marker");
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  const JsonPlace root(reading);
  Marker marker;
  marker.cluster.value = root.at("cluster").id();
  marker.member.value = root.at("member").id();
  marker.name = root.at("name").text();
  marker.incarnation = root.at("incarnation").text();
  marker.generation = root.at("generation").whole();
  if (reading.problem.empty()) return marker;
  return base::invalid(name + ": " + reading.problem, "");
}

namespace {

void call(DataDir& data, DataState state, std::string problem) {
  data.state = state;
  data.problem = std::move(problem);
}

bool differ(const std::string& then, const std::string& now) {
  return !then.empty() && !now.empty() && then != now;
}

// A disk that is not mounted looks like one that was emptied, and lets through what lies beneath its place.
bool is_disk_away(const DataDir& data, const Memory* memory) {
  return memory != nullptr &&
         (differ(memory->filesystem, data.filesystem) || differ(memory->wal_filesystem, data.wal_filesystem));
}

bool is_other(const DataDir& data, const Memory& memory) {
  return memory.cluster_id.value != 0 && (data.cluster != memory.cluster_id || data.member != memory.member_id);
}

void call_away(DataDir& data, const Memory& memory) {
  const std::string& place = differ(memory.filesystem, data.filesystem) ? data.path : memory.wal_dir;
  data.disk_away = true;
  data.problem = place + " is on another file system than when it was last used: is its disk mounted?";
  if (data.state == DataState::Valid && is_other(data, memory)) {
    data.problem += " What is there now is of another member: what is looked for may lie beneath it";
  }
}

}  // namespace

void judge_data(DataDir& data, const Memory* memory, const Marker* marker) {
  if (memory != nullptr) data.held = memory->member_id;
  if (holds_nothing(data)) {
    const bool held = memory != nullptr && (memory->initialised || !memory->started.empty());
    data.state = held ? DataState::Empty : DataState::Fresh;
    if (!is_disk_away(data, memory)) return;
    data.state = DataState::Fresh;
    return call_away(data, *memory);
  }
  if (memory != nullptr && marker != nullptr && !memory->member.empty() && marker->name != memory->member) {
    return call(data, DataState::Foreign,
                data.path + ": the marker in it says that it belongs to " + marker->name + ", and this is " +
                    memory->member + ": two processes must never run as one member. Move it away, and " +
                    memory->member + " is filled from the others");
  }
  // What is left of a directory whose log is gone is still told apart from a stranger's by its marker.
  if (data.state == DataState::Damaged && data.member.value == 0 && marker != nullptr) {
    data.cluster = marker->cluster;
    data.member = marker->member;
  }
  // Half of it may be on the disk that is away.
  if (data.state == DataState::Damaged && is_disk_away(data, memory)) return call_away(data, *memory);
  if (data.state != DataState::Valid) return;
  data.marked = marker != nullptr && marker->cluster == data.cluster && marker->member == data.member;
  if (marker != nullptr && (marker->cluster != data.cluster || marker->member != data.member)) {
    return call(data, DataState::Foreign,
                data.path + ": the marker in it is of member " + base::to_string(marker->member) + " of cluster " +
                    base::to_string(marker->cluster) + ", its log of member " + base::to_string(data.member) +
                    " of cluster " + base::to_string(data.cluster));
  }
  if (memory == nullptr) return;
  if (marker == nullptr && is_other(data, *memory)) {
    return call(data, DataState::Foreign,
                data.path + ": it holds member " + base::to_string(data.member) + " of cluster " +
                    base::to_string(data.cluster) + ", and here ran member " + base::to_string(memory->member_id) +
                    " of cluster " + base::to_string(memory->cluster_id));
  }
  if (is_other(data, *memory)) {  // a successor that the memory has not been told of, or what lies beneath its disk
    if (is_disk_away(data, memory)) call_away(data, *memory);
    return;
  }
  if (data.term < memory->highest_term) {
    call(data, DataState::Reverted,
         data.path + ": its log is of term " + std::to_string(data.term) + ", and term " +
             std::to_string(memory->highest_term) + " has been on this disk");
  } else if (data.last_index < memory->lagged_index) {
    call(data, DataState::Reverted,
         data.path + ": its log ends at entry " + std::to_string(data.last_index) + ", and entry " +
             std::to_string(memory->lagged_index) + " has been on this disk");
  }
  if (data.state == DataState::Reverted && is_disk_away(data, memory)) call_away(data, *memory);
}

}  // namespace quorate::model
