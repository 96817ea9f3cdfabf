// The shared files of AWS's tools: sections of name = value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/base/result.h"

namespace quorate::s3 {

using Section = std::map<std::string, std::string>;

// Nothing: the section is not there. What is not understood is somebody else's, and left out.
std::optional<Section> section_of(std::string_view text, std::string_view name);

std::string value_of(const Section& section, const std::string& name);  // "" when it is not there

// Nothing: the section names no keys. Invalid: half a pair, or no keys at all.
base::Result<std::optional<Keys>> keys_of(const Section& section, const std::string& profile);

// One profile as both files have it together; the credentials file goes first.
struct Profile {
  std::string name;
  std::string credentials_file;
  std::string config_file;
  std::optional<Section> section;  // nothing: neither file has it
};
std::string name_of_profile(const Surroundings& surroundings);
base::Result<Profile> read_profile(const Surroundings& surroundings, const std::string& name);

}  // namespace quorate::s3
