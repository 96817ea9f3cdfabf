// The unit: notify readiness, come back after a crash but not after a removal, and see as little of the node as it can.
#include "renderers/systemd/systemd.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "reconciler/base/path.h"
#include "renderers/etcd_settings.h"
#include "renderers/notice.h"

namespace quorate::renderers {
namespace {

bool is_privileged(const base::Url& url) {
  return url.port < 1024;
}

// Does a path below `root` start anywhere in the text? "jwt,pub-key=/home/x" has one below /home/, "/data/home/x" none.
bool names_path_below(std::string_view text, std::string_view root) {
  const auto is_path_sign = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-' || c == '/';
  };
  for (auto at = text.find(root); at != std::string_view::npos; at = text.find(root, at + 1)) {
    if (at == 0 || !is_path_sign(text[at - 1])) return true;
  }
  return false;
}

// What the sandbox has to leave open for this member.
struct Needs {
  std::set<std::string> writable;     // directories
  std::vector<std::string> mentions;  // every text in which a path of ours may stand
  bool low_port = false;
  bool locked_memory = false;

  bool touches(std::initializer_list<std::string_view> roots) const {
    return std::any_of(mentions.begin(), mentions.end(), [&](const std::string& text) {
      return std::any_of(roots.begin(), roots.end(),
                         [&](std::string_view root) { return names_path_below(text, root); });
    });
  }
};

Needs needs_of(const Input& input, const std::vector<EtcdSetting>& settings) {
  const model::Member& member = input.member;
  Needs needs;
  needs.mentions = {input.cluster.etcd.binary, input.config_path};
  // The parents, since etcd makes its directories itself and quorate renames them.
  needs.writable.insert(base::parent_path(member.data_dir));
  if (!member.wal_dir.empty()) needs.writable.insert(base::parent_path(member.wal_dir));
  for (const EtcdSetting& setting : settings) {
    for (const std::string& text : setting.texts) {
      needs.mentions.push_back(text);
      if (setting.option->name == "log-outputs" && base::is_absolute(text))
        needs.writable.insert(base::parent_path(text));
      if (setting.option->name.find("memory-mlock") != std::string_view::npos) needs.locked_memory = text == "true";
    }
  }
  for (const auto* urls : {&member.listen_peer, &member.listen_client, &member.listen_metrics}) {
    needs.low_port = needs.low_port || std::any_of(urls->begin(), urls->end(), is_privileged);
  }
  return needs;
}

std::string words(const std::set<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) line += (line.empty() ? "" : " ") + unit_word(text);
  return line;
}

std::string unit_section(const Input& input) {
  std::set<std::string> mounts{input.member.data_dir, base::parent_path(input.config_path)};
  if (!input.member.wal_dir.empty()) mounts.insert(input.member.wal_dir);
  return "[Unit]\n"
         "Description=etcd member " +
         input.member.name + " of cluster " + input.cluster.name +
         "\n"
         "After=network-online.target\n"
         "Wants=network-online.target\n"
         "# A disk that is not mounted must not look like an empty directory.\n"
         "RequiresMountsFor=" +
         words(mounts) +
         "\n"
         "# Never give up: a member is worth starting again however often it fell.\n"
         "StartLimitIntervalSec=0\n";
}

std::string start_section(const Input& input, const model::SystemdRuntime& runtime, const Needs& needs) {
  std::string text =
      "\n[Service]\n"
      "Type=notify\n"
      "NotifyAccess=main\n"
      "# A RAM disk is empty after a reboot, and a fresh node has no directories. Made empty, the directory is refused "
      "by\n"
      "# etcd where it should hold data.\n"
      "ExecStartPre=+/usr/bin/install -d -m 0700 -o " +
      unit_word(runtime.user.empty() ? "root" : runtime.user) + " " + exec_word(input.member.data_dir) +
      "\n"
      "ExecStart=" +
      unit_word(input.cluster.etcd.binary) + " " + exec_word("--config-file=" + input.config_path) + "\n";
  if (!runtime.user.empty()) text += "User=" + unit_word(runtime.user) + "\n";
  text +=
      "# A member that was removed from its cluster exits with 0 and has to stay down.\n"
      "Restart=on-failure\n"
      "RestartSec=2s\n"
      "# A member is ready when it has found its peers, however long those take.\n"
      "TimeoutStartSec=infinity\n"
      "LimitNOFILE=65536\n";
  if (needs.locked_memory) text += "LimitMEMLOCK=infinity\n";
  return text + "UMask=0077\n";
}

std::string file_sandbox(const Needs& needs) {
  std::string text =
      "\n# What it may see and write: its own directories, nothing else.\n"
      "NoNewPrivileges=yes\n";
  if (needs.writable.count("/") == 1) {
    text +=
        "# A directory of this member stands right under /, so most of / has to stay writable.\n"
        "ProtectSystem=full\n";
  } else {
    text +=
        "ProtectSystem=strict\n"
        "ReadWritePaths=" +
        words(needs.writable) + "\n";
  }
  if (needs.touches({"/home/", "/root/", "/run/user/"})) {
    text +=
        "# A path of this member lies under /home, /root or /run/user.\n"
        "ProtectHome=no\n";
  } else {
    text += "ProtectHome=yes\n";
  }
  if (needs.touches({"/tmp/", "/var/tmp/"})) {
    text +=
        "# A path of this member lies under /tmp or /var/tmp.\n"
        "PrivateTmp=no\n";
  } else {
    text += "PrivateTmp=yes\n";
  }
  return text +
         "PrivateDevices=yes\n"
         "ProtectKernelTunables=yes\n"
         "ProtectKernelModules=yes\n"
         "ProtectKernelLogs=yes\n"
         "ProtectControlGroups=yes\n"
         "ProtectClock=yes\n"
         "ProtectHostname=yes\n"
         "ProtectProc=invisible\n";
}

std::string call_sandbox(const Needs& needs, bool is_root) {
  std::string text =
      "\n# What it may do: speak TCP, and be an ordinary process.\n"
      "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX\n"
      "RestrictNamespaces=yes\n"
      "RestrictRealtime=yes\n"
      "RestrictSUIDSGID=yes\n"
      "LockPersonality=yes\n"
      "MemoryDenyWriteExecute=yes\n"
      "SystemCallArchitectures=native\n"
      "SystemCallFilter=@system-service\n"
      "SystemCallErrorNumber=EPERM\n";
  std::string capabilities;
  if (needs.low_port) {
    text +=
        "# It listens on a port below 1024.\n"
        "AmbientCapabilities=CAP_NET_BIND_SERVICE\n";
    capabilities = "CAP_NET_BIND_SERVICE";
  }
  if (is_root) {
    text +=
        "# Without it root could not open files of other users, such as a directory from before its user changed.\n";
    capabilities += (capabilities.empty() ? "" : " ") + std::string("CAP_DAC_OVERRIDE");
  }
  return text + "CapabilityBoundingSet=" + capabilities + "\n";
}

std::string quoted_if_needed(const std::string& text) {
  if (!text.empty() && text.find_first_of(" \t\n\"'\\;#") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string doubled(std::string_view text, std::string_view signs) {
  std::string result;
  for (const char c : text) result.append(signs.find(c) == std::string_view::npos ? 1 : 2, c);
  return result;
}

}  // namespace

std::string unit_word(std::string_view text) {
  return quoted_if_needed(doubled(text, "%"));
}

std::string exec_word(std::string_view text) {
  return quoted_if_needed(doubled(text, "%$"));
}

base::Result<std::vector<File>> render_systemd(const Input& input) {
  const auto* runtime = std::get_if<model::SystemdRuntime>(&input.cluster.runtime);
  if (runtime == nullptr) return base::invalid("cluster " + input.cluster.name + " does not run under systemd");
  const Boot keep = BootKeep{};  // whatever the boot mode is, the unit is the same
  const auto settings = etcd_settings(Input{input.cluster, input.member, keep, input.config_path});
  if (!settings) return tl::unexpected(settings.error());
  const Needs needs = needs_of(input, *settings);
  std::string text = notice(input.cluster, input.member) + unit_section(input) + start_section(input, *runtime, needs) +
                     file_sandbox(needs) + call_sandbox(needs, runtime->user.empty() || runtime->user == "root") +
                     "\n[Install]\n"
                     "WantedBy=multi-user.target\n";
  return std::vector<File>{File{"/etc/systemd/system/" + runtime->unit, 0644, "", std::move(text)}};
}

}  // namespace quorate::renderers
