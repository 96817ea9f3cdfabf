// Settings in groups as YAML: a block for each group of etcd's options, with a word on those that are not plain.
#include "renderers/etcd_config/etcd_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "reconciler/base/yaml_text.h"
#include "renderers/etcd_config/fence.h"
#include "renderers/etcd_settings.h"
#include "renderers/etcd_value.h"
#include "renderers/notice.h"

namespace quorate::renderers {
namespace {

constexpr std::array<std::string_view, 3> kBootKeys{"initial-cluster", "initial-cluster-state",
                                                    "initial-cluster-token"};

std::string_view heading(SettingGroup group) {
  switch (group) {
    case SettingGroup::Listen:
      return "# where it listens, and where it tells others to find it\n";
    case SettingGroup::Start:
      return "# how it treats an empty or a filled directory at its next start\n";
    case SettingGroup::Flags:
      return "# etcd.flags\n";
    case SettingGroup::Identity:
    case SettingGroup::Tls:
    case SettingGroup::Tuning:
    case SettingGroup::Logging:
      break;
  }
  return {};
}

// A mapping may stand in the file once, so all of client- and peer-transport-security goes together.
SettingGroup group_of(const EtcdSetting& setting) {
  return setting.option->config_key.find("-transport-security/") == std::string_view::npos ? setting.group
                                                                                           : SettingGroup::Tls;
}

void put(base::Json& object, std::string_view key, base::Json value) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) {
    object[std::string(key)] = std::move(value);
  } else {
    put(object[std::string(key.substr(0, slash))], key.substr(slash + 1), std::move(value));
  }
}

bool is_boot_line(std::string_view line) {
  return std::any_of(kBootKeys.begin(), kBootKeys.end(), [&](std::string_view key) {
    return line.substr(0, key.size()) == key && line.substr(key.size(), 1) == ":";
  });
}

// Without the lines of the boot mode that stand at this indentation.
std::string without_lines(std::string_view text, std::string_view indent) {
  std::string kept;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const bool indented = line.substr(0, indent.size()) == indent;
    if (!indented || !is_boot_line(line.substr(indent.size()))) kept += line;
    text.remove_prefix(end);
  }
  return kept;
}

// In any order, since etcd does not mind.
std::vector<std::string> only_boot_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (is_boot_line(text.substr(0, end))) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

base::Result<std::string> etcd_config_text(const Input& input) {
  const auto settings = etcd_settings(input);
  if (!settings) return tl::unexpected(settings.error());
  std::map<SettingGroup, base::Json> groups;
  for (const EtcdSetting& setting : *settings) {
    auto value = config_value(*setting.option, setting.texts);
    if (!value) return tl::unexpected(value.error());
    put(groups[group_of(setting)], setting.option->config_key, std::move(*value));
  }
  std::string text = notice(input.cluster, input.member);
  for (const auto& [group, object] : groups) {
    text += "\n";
    text += heading(group);
    text += base::to_yaml(object);
  }
  return text;
}

std::string file_owner(const model::Desired& cluster) {
  const auto* systemd = std::get_if<model::SystemdRuntime>(&cluster.runtime);
  return systemd == nullptr || systemd->user == "root" ? std::string() : systemd->user;
}

base::Result<std::vector<File>> render_etcd_config(const Input& input) {
  auto text = etcd_config_text(input);
  if (!text) return tl::unexpected(text.error());
  return std::vector<File>{File{input.config_path, 0600, file_owner(input.cluster), std::move(*text)}};
}

std::string without_boot_mode(std::string_view text) {
  return without_lines(without_fence(text), "");
}

bool keeps(std::string_view text, std::string_view kept) {
  return only_boot_lines(text) == only_boot_lines(kept);
}

std::int64_t quota_in(std::string_view text) {
  constexpr std::string_view kKey = "quota-backend-bytes: ";
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    std::int64_t quota = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), quota);
    return read.ec == std::errc{} && quota > 0 ? quota : 0;
  }
  return 0;
}

std::string with_boot_mode_of(std::string_view text, std::string_view kept) {
  std::string wanted;
  for (const std::string& line : only_boot_lines(kept)) wanted += line;
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (is_boot_line(text.substr(0, end))) {
      result += wanted;
      wanted.clear();
    } else {
      result += text.substr(0, end);
    }
    text.remove_prefix(end);
  }
  // A file that was cut in the middle of its last line keeps that line to itself.
  if (!wanted.empty() && !result.empty() && result.back() != '\n') result += '\n';
  return result + wanted;
}

std::string objects_without_boot_mode(std::string_view text) {
  // Labels and annotations may have the same names; only the block of text under the file's key is meant.
  const auto key = text.find("\n  etcd.yaml: |\n");
  if (key == std::string_view::npos) return std::string(text);
  const auto next = text.find("\n---\n", key);
  const auto end = next == std::string_view::npos ? text.size() : next + 1;
  return std::string(text.substr(0, key)) + without_lines(text.substr(key, end - key), "    ") +
         std::string(text.substr(end));
}

}  // namespace quorate::renderers
