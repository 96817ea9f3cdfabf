// What one member runs with: the one list behind its configuration file and its environment.
#pragma once

#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "renderers/etcd_options.h"
#include "renderers/renderer.h"

namespace quorate::renderers {

// The order in which people look for things.
enum class SettingGroup { Identity, Listen, Start, Tls, Tuning, Logging, Flags };

struct EtcdSetting {
  const EtcdOption* option = nullptr;
  std::vector<std::string> texts;  // as on the command line; more than one only where the option takes a list
  SettingGroup group = SettingGroup::Identity;
};

// In a fixed order; only options that this cluster's version reads from its file. Invalid when a Boot or a flag is
// wrong.
base::Result<std::vector<EtcdSetting>> etcd_settings(const Input& input);

}  // namespace quorate::renderers
