// Line by line: a fence is a block of its own at the end, and the lines that it stands for are comments.
#include "renderers/etcd_config/fence.h"

#include <algorithm>

#include "reconciler/base/yaml_text.h"

namespace quorate::renderers {
namespace {

constexpr std::string_view kOpen = "# fence: until a majority of the members is back, clients are kept out\n";
constexpr std::string_view kClose = "# end of the fence\n";
constexpr std::string_view kInstead = "#fenced: ";
constexpr std::string_view kListen = "listen-client-urls:";
constexpr std::string_view kClientTls = "client-transport-security:";

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// With its line end; a last line that lacks one is given one.
std::string next_line(std::string_view& text) {
  const auto end = text.find('\n');
  std::string line(text.substr(0, end));
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line + "\n";
}

// A listener in plain text would take everybody: etcd asks nobody for a certificate there.
std::string with_tls(std::string line) {
  for (auto at = line.find("http://"); at != std::string::npos; at = line.find("http://", at)) {
    line.replace(at, 7, "https://");
  }
  return line;
}

std::string block(const std::string& listeners, const FenceFiles& files) {
  base::Json tls;
  tls["client-transport-security"] = {
      {"cert-file", files.pass}, {"key-file", files.key}, {"client-cert-auth", true}, {"trusted-ca-file", files.ca}};
  return std::string(kOpen) + listeners + base::to_yaml(tls) + std::string(kClose);
}

}  // namespace

bool has_fence(std::string_view text) {
  return starts_with(text, kOpen) || text.find("\n" + std::string(kOpen)) != std::string_view::npos;
}

std::string with_fence(std::string_view text, const FenceFiles& files) {
  const std::string open = without_fence(text);
  std::string result;
  std::string listeners;
  bool inside = false;  // a mapping, whose lines are indented
  for (std::string_view rest = open; !rest.empty();) {
    const std::string line = next_line(rest);
    inside = starts_with(line, kClientTls) || (inside && starts_with(line, " "));
    const bool listens = starts_with(line, kListen);
    if (listens) listeners += with_tls(line);
    result += listens || inside ? std::string(kInstead) + line : line;
  }
  return result + block(listeners, files);
}

std::string without_fence(std::string_view text) {
  if (!has_fence(text)) return std::string(text);
  std::string result;
  bool inside = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string line = next_line(rest);
    if (line == kOpen) inside = true;
    if (!inside) result += starts_with(line, kInstead) ? line.substr(kInstead.size()) : line;
    if (line == kClose) inside = false;
  }
  return result;
}

}  // namespace quorate::renderers
