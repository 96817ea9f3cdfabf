// What etcd's options take: texts as on its command line, and the values its configuration file wants for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/base/yaml_text.h"
#include "renderers/etcd_options.h"

namespace quorate::renderers {

// "10ms", "1h30m", "0": what Go reads, and d and w besides. In nanoseconds.
std::optional<std::int64_t> parse_nanoseconds(std::string_view text);

// As Go reads it back: "168h", "1m30s", "0s".
std::string go_duration(std::int64_t nanoseconds);
std::string go_duration(base::Duration duration);

// The value for the configuration file: durations are whole nanoseconds there. Invalid, naming the option, when the
// texts are not what it takes.
base::Result<base::Json> config_value(const EtcdOption& option, const std::vector<std::string>& texts);

// One text for the command line and for ETCD_*. The texts must have a config_value().
std::string command_line_text(const EtcdOption& option, const std::vector<std::string>& texts);

}  // namespace quorate::renderers
