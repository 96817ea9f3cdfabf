// etcd's configuration file, the only place where the boot mode stands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "renderers/renderer.h"

namespace quorate::renderers {

inline constexpr std::string_view kEtcdConfigName = "etcd-config";

base::Result<std::string> etcd_config_text(const Input& input);
base::Result<std::vector<File>> render_etcd_config(const Input& input);

// Who may read what only a member and root should: the user of its systemd unit, else root (empty).
std::string file_owner(const model::Desired& cluster);

// The configuration without the lines that the boot mode changes, and as it is when no fence keeps clients out.
std::string without_boot_mode(std::string_view text);

// Whether the boot mode in it is Keep for this member: etcd starts on data that are there and refuses an empty place.
bool keeps(std::string_view text, std::string_view kept);

// How large the database may become, as this text says; 0: it does not.
std::int64_t quota_in(std::string_view text);

// The text with the boot mode of `kept` and everything else as it is.
std::string with_boot_mode_of(std::string_view text, std::string_view kept);

// The same for a file of Kubernetes objects, where the configuration is a block of text in a ConfigMap.
std::string objects_without_boot_mode(std::string_view text);

}  // namespace quorate::renderers
