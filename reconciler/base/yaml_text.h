// A JSON value as block-style YAML that every YAML 1.1 and 1.2 reader reads back as the same value.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace quorate::base {

using Json = nlohmann::ordered_json;

std::string to_yaml(const Json& value);

}  // namespace quorate::base
