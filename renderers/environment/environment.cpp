// One KEY="value" line for each setting, in the order of the configuration file.
#include "renderers/environment/environment.h"

#include "reconciler/base/path.h"
#include "renderers/etcd_config/etcd_config.h"
#include "renderers/etcd_settings.h"
#include "renderers/etcd_value.h"
#include "renderers/notice.h"

namespace quorate::renderers {
namespace {

std::string variable_of(std::string_view option) {
  std::string name = "ETCD_";
  for (const char c : option) name += c == '-' ? '_' : (c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  return name;
}

}  // namespace

std::string quote_for_environment(std::string_view value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

base::Result<std::vector<File>> render_environment(const Input& input) {
  const auto settings = etcd_settings(input);
  if (!settings) return tl::unexpected(settings.error());
  std::string text = notice(input.cluster, input.member);
  for (const EtcdSetting& setting : *settings) {
    text += variable_of(setting.option->name) + "=" +
            quote_for_environment(command_line_text(*setting.option, setting.texts)) + "\n";
  }
  const std::string directory = base::parent_path(input.config_path);
  return std::vector<File>{File{directory + "/etcd.env", 0600, file_owner(input.cluster), text}};
}

}  // namespace quorate::renderers
