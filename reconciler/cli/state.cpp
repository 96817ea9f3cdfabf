// Only positive answers: a file that cannot be read is an error and never the same as none.
#include "reconciler/cli/state.h"

#include <filesystem>

#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/local_host.h"
#include "reconciler/base/path.h"
#include "reconciler/cli/commands.h"
#include "reconciler/model/state_paths.h"

namespace quorate::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return base::join_path("/", (error ? fs::path(path) : whole.lexically_normal()).string());
}

std::string state_directory(const Arguments& arguments, const OpenedSettings& settings) {
  if (arguments.state_directory_given) return absolute_path(arguments.state_directory);
  if (settings.from_file) return settings.settings.state_dir;
  const std::string file = chosen_file(arguments);
  if (!file.empty() && file != "-") {
    const fs::path beside = fs::path(absolute_path(file)).parent_path() / ".quorate";
    std::error_code error;
    if (fs::is_directory(beside, error)) return beside.string();
  }
  return settings.settings.state_dir;
}

base::Result<std::optional<model::Memory>> memory_of(const std::string& state_dir, const std::string& cluster,
                                                     const std::string& member) {
  const std::string path = model::memory_path(state_dir, cluster, member);
  const auto text = adapters::system::read_whole_file(path, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto memory = model::read_memory(**text, path);
  if (!memory) return tl::unexpected(memory.error());
  if (memory->cluster != cluster || memory->member != member) {
    return base::invalid(path + " is of member " + memory->member + " of cluster " + memory->cluster,
                         "it was copied from elsewhere: see what wrote it before anything starts");
  }
  return *std::move(memory);
}

std::vector<std::string> members_on_disk(ports::Host& host, const std::string& state_dir, const std::string& cluster) {
  std::vector<std::string> members;
  const auto names = host.list(base::join_path(state_dir, cluster));
  if (!names || !*names) return members;
  for (const std::string& name : **names) {
    const auto memory = memory_of(state_dir, cluster, name);
    if (!memory || !*memory) continue;
    // Its files are gone before its data are set aside, and its agent may have ended between the two.
    const auto data = host.list((*memory)->data_dir);
    const bool has_data = data && *data && !(*data)->empty();
    if (!(*memory)->withdrawn || has_data) members.push_back(name);
  }
  return members;
}

base::Result<std::optional<model::Marker>> marker_in(const std::string& data_dir) {
  const std::string path = model::marker_path(data_dir);
  const auto text = adapters::system::read_whole_file(path, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto marker = model::read_marker(**text, path);
  if (!marker) return tl::unexpected(marker.error());
  return *std::move(marker);
}

std::string node_name(const model::AgentSettings& settings) {
  return settings.node.empty() ? adapters::system::local_host().name : settings.node;
}

}  // namespace quorate::cli
