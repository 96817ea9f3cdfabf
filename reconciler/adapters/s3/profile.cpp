// Line by line; what is not understood is somebody else's.
#include "reconciler/adapters/s3/profile.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "reconciler/adapters/s3/secrets.h"

namespace quorate::s3 {
namespace {

constexpr const char* kKeyNames[] = {"aws_access_key_id", "aws_secret_access_key", "aws_session_token"};

std::string file_of(const Surroundings& surroundings, const std::string& variable, const std::string& usual) {
  const std::string path = surroundings.variable(variable);
  return path.empty() ? surroundings.variable("HOME") + "/.aws/" + usual : path;
}

// Keys are taken from one of the two files, never mixed.
void add_from_config(Section& section, Section config) {
  if (section.count(kKeyNames[0]) != 0 || section.count(kKeyNames[1]) != 0) {
    for (const char* const name : kKeyNames) config.erase(name);
  }
  section.merge(config);
}

}  // namespace

std::optional<Section> section_of(std::string_view text, std::string_view name) {
  std::optional<Section> section;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const bool indented = text.front() == ' ' || text.front() == '\t';  // belongs to the line before
    const std::string line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || indented || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      inside = line.back() == ']' && trimmed(std::string_view(line).substr(1, line.size() - 2)) == name;
      if (inside && !section) section.emplace();
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!inside || equals == std::string::npos) continue;
    (*section)[trimmed(std::string_view(line).substr(0, equals))] = trimmed(std::string_view(line).substr(equals + 1));
  }
  return section;
}

std::string value_of(const Section& section, const std::string& name) {
  const auto found = section.find(name);
  return found == section.end() ? "" : found->second;
}

base::Result<std::optional<Keys>> keys_of(const Section& section, const std::string& profile) {
  Keys keys{value_of(section, kKeyNames[0]), value_of(section, kKeyNames[1]), value_of(section, kKeyNames[2]), {}};
  if (keys.access.empty() && keys.secret.empty()) return std::nullopt;
  if (is_key(keys.access) && is_key(keys.secret) && (keys.token.empty() || is_key(keys.token))) return keys;
  return base::invalid("the profile " + profile + " does not hold a pair of keys",
                       "set aws_access_key_id and aws_secret_access_key in it");
}

std::string name_of_profile(const Surroundings& surroundings) {
  if (!surroundings.profile.empty()) return surroundings.profile;
  const std::string name = surroundings.variable("AWS_PROFILE");
  return name.empty() ? "default" : name;
}

base::Result<Profile> read_profile(const Surroundings& surroundings, const std::string& name) {
  Profile profile{name, file_of(surroundings, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
                  file_of(surroundings, "AWS_CONFIG_FILE", "config"), std::nullopt};
  const auto credentials = read_small_file(profile.credentials_file, Readers::Any);
  if (!credentials) return tl::unexpected(credentials.error());
  const auto config = read_small_file(profile.config_file, Readers::Any);
  if (!config) return tl::unexpected(config.error());
  if (*credentials) profile.section = section_of(**credentials, name);
  auto more = *config ? section_of(**config, name == "default" ? name : "profile " + name) : std::nullopt;
  if (!more) return profile;
  if (!profile.section) profile.section.emplace();
  add_from_config(*profile.section, std::move(*more));
  return profile;
}

std::string setting_of_profile(const Surroundings& surroundings, const std::string& name) {
  const auto profile = read_profile(surroundings, name_of_profile(surroundings));
  return profile && profile->section ? value_of(*profile->section, name) : "";
}

}  // namespace quorate::s3
