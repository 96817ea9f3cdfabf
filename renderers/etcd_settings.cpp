// From a member and its boot mode to etcd's options: addresses, TLS, sizes, and how it is to treat its directory.
#include "renderers/etcd_settings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "reconciler/base/check.h"
#include "reconciler/base/net.h"
#include "renderers/etcd_value.h"

namespace quorate::renderers {
namespace {

class SettingList {
 public:
  explicit SettingList(const std::optional<base::Version>& version) : version_(version) {}

  void group(SettingGroup group) { group_ = group; }

  void add(std::string_view name, std::vector<std::string> texts) {
    const EtcdOption* option = find_etcd_option(name);
    QUORATE_CHECK(option != nullptr);
    if (has_option(*option, version_)) settings_.push_back(EtcdSetting{option, std::move(texts), group_});
  }
  void add(std::string_view name, std::string text) { add(name, std::vector<std::string>{std::move(text)}); }
  void add(std::string_view name, const std::vector<base::Url>& urls) {
    std::vector<std::string> texts;
    for (const base::Url& url : urls) texts.push_back(base::to_string(url));
    add(name, std::move(texts));
  }

  std::vector<EtcdSetting> take() { return std::move(settings_); }

 private:
  std::optional<base::Version> version_;
  SettingGroup group_ = SettingGroup::Identity;
  std::vector<EtcdSetting> settings_;
};

// ---------------------------------------------------------------------------------------------- the boot mode
using NamedUrl = std::pair<std::string, base::Url>;

std::string initial_cluster_text(const std::vector<NamedUrl>& entries) {
  std::string text;
  for (const auto& [name, url] : entries) text += (text.empty() ? "" : ",") + name + "=" + base::to_string(url);
  return text;
}

std::vector<NamedUrl> entries_of(const model::Member& member) {
  std::vector<NamedUrl> entries;
  for (const base::Url& url : member.peer_urls) entries.emplace_back(member.name, url);
  std::sort(entries.begin(), entries.end());
  return entries;
}

base::Result<std::vector<NamedUrl>> parse_initial_cluster(std::string_view text) {
  std::vector<NamedUrl> entries;
  while (true) {
    const auto comma = text.find(',');
    const std::string entry(text.substr(0, comma));
    const auto equals = entry.find('=');
    if (equals == std::string::npos) {
      return base::invalid("the initial cluster has \"" + entry + "\", which is not name=url");
    }
    base::UrlProblem problem;
    const auto url = base::parse_url(std::string_view(entry).substr(equals + 1), problem);
    if (!url) return base::invalid("the initial cluster has \"" + entry + "\", whose URL " + problem.what);
    entries.emplace_back(entry.substr(0, equals), *url);
    if (comma == std::string_view::npos) return entries;
    text.remove_prefix(comma + 1);
  }
}

base::Result<void> add_boot(SettingList& list, const Input& input, const BootNew& boot) {
  // Without a token etcd takes a constant, and clusters that share it can take each other's members for their own.
  if (boot.token.empty()) return base::invalid("a new cluster needs a token of its own");
  std::vector<NamedUrl> all;
  for (const model::Member& member : input.cluster.members) {
    const auto entries = entries_of(member);
    all.insert(all.end(), entries.begin(), entries.end());
  }
  std::sort(all.begin(), all.end());
  list.add("initial-cluster-state", std::string("new"));
  list.add("initial-cluster", initial_cluster_text(all));
  list.add("initial-cluster-token", boot.token);
  return {};
}

base::Result<void> add_boot(SettingList& list, const Input& input, const BootJoin& boot) {
  const auto given = parse_initial_cluster(boot.initial_cluster);
  if (!given) return tl::unexpected(given.error());
  for (const NamedUrl& entry : entries_of(input.member)) {
    if (std::find(given->begin(), given->end(), entry) == given->end()) {
      return base::invalid("the initial cluster lacks " + entry.first + "=" + base::to_string(entry.second) +
                           ", so etcd would not let this member in");
    }
  }
  list.add("initial-cluster-state", std::string("existing"));
  list.add("initial-cluster", boot.initial_cluster);
  return {};
}

// A safety catch: a filled directory starts on it, an emptied one is refused by etcd.
base::Result<void> add_boot(SettingList& list, const Input& input, const BootKeep& /*boot*/) {
  list.add("initial-cluster-state", std::string("existing"));
  list.add("initial-cluster", initial_cluster_text(entries_of(input.member)));
  return {};
}

// ------------------------------------------------------------------------------------------------ the other groups
void add_identity(SettingList& list, const model::Member& member) {
  list.group(SettingGroup::Identity);
  list.add("name", member.name);
  list.add("data-dir", member.data_dir);
  if (!member.wal_dir.empty()) list.add("wal-dir", member.wal_dir);
}

void add_listeners(SettingList& list, const model::Member& member) {
  list.group(SettingGroup::Listen);
  list.add("listen-peer-urls", member.listen_peer);
  list.add("initial-advertise-peer-urls", member.peer_urls);
  list.add("listen-client-urls", member.listen_client);
  list.add("advertise-client-urls", member.client_urls);
  if (!member.listen_metrics.empty()) list.add("listen-metrics-urls", member.listen_metrics);
}

void add_tls(SettingList& list, const model::Tls& tls) {
  list.group(SettingGroup::Tls);
  if (tls.mode == model::TlsMode::Off) return;
  list.add("cert-file", tls.client.cert);
  list.add("key-file", tls.client.key);
  // A trusted CA alone makes etcd ask clients for certificates, whatever client-cert-auth says.
  if (tls.mode == model::TlsMode::Mutual) {
    list.add("trusted-ca-file", tls.client.ca);
    list.add("client-cert-auth", std::string("true"));
  }
  list.add("peer-cert-file", tls.peer.cert);
  list.add("peer-key-file", tls.peer.key);
  list.add("peer-trusted-ca-file", tls.peer.ca);
  list.add("peer-client-cert-auth", std::string("true"));
}

void add_tuning(SettingList& list, const model::Etcd& etcd) {
  list.group(SettingGroup::Tuning);
  if (etcd.quota) list.add("quota-backend-bytes", std::to_string(etcd.quota->bytes));
  if (etcd.heartbeat) list.add("heartbeat-interval", std::to_string(etcd.heartbeat->count()));
  if (etcd.election) list.add("election-timeout", std::to_string(etcd.election->count()));
  if (etcd.snapshot_count) list.add("snapshot-count", std::to_string(*etcd.snapshot_count));
  if (etcd.auto_compaction) {
    const bool periodic = etcd.auto_compaction->mode == model::CompactionMode::Periodic;
    list.add("auto-compaction-mode", std::string(periodic ? "periodic" : "revision"));
    list.add("auto-compaction-retention",
             periodic ? go_duration(etcd.auto_compaction->period) : std::to_string(etcd.auto_compaction->revisions));
  }
  list.add("strict-reconfig-check", std::string("true"));
  // The documented default; etcd 3.4 forgets it when it reads a configuration file.
  if (etcd.flags.count("enable-grpc-gateway") == 0) list.add("enable-grpc-gateway", std::string("true"));
}

void add_logging(SettingList& list, const model::Etcd& etcd) {
  list.group(SettingGroup::Logging);
  list.add("logger", std::string("zap"));
  if (etcd.log_level) list.add("log-level", *etcd.log_level);
  if (etcd.metrics) list.add("metrics", *etcd.metrics);
}

base::Result<void> add_flags(SettingList& list, const model::Etcd& etcd) {
  list.group(SettingGroup::Flags);
  for (const auto& [name, texts] : etcd.flags) {
    const EtcdOption* option = find_etcd_option(name);
    if (option == nullptr) return base::invalid("etcd has no option " + name);
    // Set twice, the file would say two things about one key.
    if (!option->is_free()) return base::invalid("etcd.flags may not set " + name);
    const auto value = config_value(*option, texts);
    if (!value) return tl::unexpected(value.error());
    list.add(name, value->is_array() ? value->get<std::vector<std::string>>() : texts);
  }
  return {};
}

}  // namespace

base::Result<std::vector<EtcdSetting>> etcd_settings(const Input& input) {
  SettingList list(input.cluster.etcd.version);
  add_identity(list, input.member);
  add_listeners(list, input.member);
  list.group(SettingGroup::Start);
  const auto boot = std::visit([&](const auto& mode) { return add_boot(list, input, mode); }, input.boot);
  if (!boot) return tl::unexpected(boot.error());
  add_tls(list, input.cluster.tls);
  add_tuning(list, input.cluster.etcd);
  add_logging(list, input.cluster.etcd);
  if (const auto flags = add_flags(list, input.cluster.etcd); !flags) return tl::unexpected(flags.error());
  return list.take();
}

}  // namespace quorate::renderers
