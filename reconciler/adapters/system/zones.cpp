// One folder, whose files are named as the zones are.
#include "reconciler/adapters/system/zones.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "reconciler/adapters/system/files.h"
#include "reconciler/base/time_zone.h"

namespace quorate::adapters::system {
namespace {

constexpr const char* kUsual = "/usr/share/zoneinfo";
constexpr std::size_t kMostOfZone = std::size_t{1} << 20;

}  // namespace

base::Result<std::optional<std::string>> zone_file(const std::string& name) {
  const char* chosen = std::getenv("TZDIR");
  const std::string folder = chosen != nullptr && *chosen != '\0' ? chosen : kUsual;
  const auto there = open_folder(folder);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return base::invalid("there is no tz database in " + folder, "install the package tzdata");
  const std::string path = folder + "/" + name;
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  const bool is_none = type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::directory;
  if (is_none || !base::is_zone_name(name)) return std::nullopt;
  return read_whole_file(path, kMostOfZone);
}

}  // namespace quorate::adapters::system
