// etcd's options as its sources, its changelogs and its binaries have them; tests/integration asks the binaries again.
#include "renderers/etcd_option_table.h"

namespace quorate::renderers {
namespace {

using V = OptionValue;

// ------------------------------------------------------------------------------------------------ which releases
constexpr Releases kAll{0, 0, 0};
constexpr Releases kNone{kNever, kNever, kNever};
constexpr Releases kOnly34{0, kNever, kNever};
constexpr Releases kBefore36{0, 0, kNever};
constexpr Releases kFrom35{kNever, 0, 0};
constexpr Releases kFrom36{kNever, kNever, 0};

constexpr Releases from35(int patch) {
  return {kNever, patch, 0};
}
constexpr Releases first(int patch34, int patch35, int patch36) {
  return {patch34, patch35, patch36};
}

// ------------------------------------------------------------------------------------------------------- one row
// Most keys of the configuration file are spelled like the option; the exceptions say so with keyed().
constexpr EtcdOption free_option(std::string_view name, V value, Releases releases) {
  return {name, value, releases, name, releases, {}, {}, {}};
}

constexpr EtcdOption owned(std::string_view name, V value, Releases releases, std::string_view field) {
  EtcdOption option = free_option(name, value, releases);
  option.field = field;
  return option;
}

constexpr EtcdOption refused(std::string_view name, V value, Releases releases, std::string_view why) {
  EtcdOption option = free_option(name, value, releases);
  option.refusal = why;
  return option;
}

constexpr EtcdOption keyed(std::string_view key, EtcdOption option) {
  option.config_key = key;
  return option;
}

constexpr EtcdOption keyed(std::string_view key, Releases releases, EtcdOption option) {
  option.config_key = key;
  option.config_releases = releases;
  return option;
}

constexpr EtcdOption then(std::string_view successor, EtcdOption option) {
  option.successor = successor;
  return option;
}

constexpr EtcdOption command_line_only(std::string_view name, V value, Releases releases) {
  return keyed("", kNone,
               refused(name, value, releases,
                       "etcd reads it from its command line alone, and members start from a "
                       "configuration file"));
}

constexpr std::string_view kDiscovery = "quorate knows the members from the desired file and asks no discovery service";
constexpr std::string_view kProxy = "a member managed by quorate is no proxy";
constexpr std::string_view kV2 = "v2 keys are in no backup and stand in the way of the upgrade to 3.6";

constexpr EtcdOption discovery(std::string_view name, V value, Releases releases) {
  return keyed("", kNone, refused(name, value, releases, kDiscovery));
}

constexpr EtcdOption proxy(std::string_view name, V value) {
  return keyed("", kNone, refused(name, value, kBefore36, kProxy));
}

// ---------------------------------------------------------------------------------------------------- the groups
// clang-format off
void add_member(std::vector<EtcdOption>& rows) {
  rows.insert(rows.end(), {
    owned("name", V::Text, kAll, "members"),
    owned("data-dir", V::Text, kAll, "storage.dir"),
    owned("wal-dir", V::Text, kAll, "storage.wal"),
    owned("snapshot-count", V::Integer, kAll, "etcd.snapshotCount"),
    owned("heartbeat-interval", V::Integer, kAll, "etcd.heartbeat"),
    owned("election-timeout", V::Integer, kAll, "etcd.election"),
    free_option("initial-election-tick-advance", V::Bool, kAll),
    owned("listen-peer-urls", V::UrlList, kAll, "network.listen"),
    owned("listen-client-urls", V::UrlList, kAll, "network.listen"),
    refused("listen-client-http-urls", V::UrlList, first(25, 8, 0),
            "clients would get in where quorate cannot keep them out while a restore grows"),
    free_option("max-snapshots", V::Integer, kAll),
    free_option("max-wals", V::Integer, kAll),
    owned("quota-backend-bytes", V::Integer, kAll, "etcd.quota"),
    then("backend-bbolt-freelist-type", free_option("experimental-backend-bbolt-freelist-type", V::Text, kOnly34)),
    free_option("backend-bbolt-freelist-type", V::Text, kFrom35),
    free_option("backend-batch-interval", V::Duration, kAll),
    free_option("backend-batch-limit", V::Integer, kAll),
    free_option("max-txn-ops", V::Integer, kAll),
    free_option("max-request-bytes", V::Integer, kAll),
    // 3.4.23 is the oldest 3.4 that has been seen with it.
    free_option("max-concurrent-streams", V::Integer, first(23, 5, 0)),
    free_option("enable-grpc-gateway", V::Bool, kAll),
    free_option("grpc-keepalive-min-time", V::Duration, kAll),
    free_option("grpc-keepalive-interval", V::Duration, kAll),
    free_option("grpc-keepalive-timeout", V::Duration, kAll),
    keyed("socket-options/reuse-port", from35(10), free_option("socket-reuse-port", V::Bool, kFrom35)),
    keyed("socket-options/reuse-address", from35(10), free_option("socket-reuse-address", V::Bool, kFrom35)),
    command_line_only("raft-read-timeout", V::Duration, kFrom35),
    command_line_only("raft-write-timeout", V::Duration, kFrom35),
    command_line_only("config-file", V::Text, kAll),
    command_line_only("version", V::Bool, kAll),
  });
}

void add_clustering(std::vector<EtcdOption>& rows) {
  rows.insert(rows.end(), {
    owned("initial-advertise-peer-urls", V::UrlList, kAll, "members"),
    owned("advertise-client-urls", V::UrlList, kAll, "members"),
    refused("initial-cluster", V::Text, kAll, "quorate works it out from the members"),
    refused("initial-cluster-state", V::Text, kAll, "quorate works it out from what it finds on the nodes"),
    owned("initial-cluster-token", V::Text, kAll, "etcd.token"),
    discovery("discovery", V::Text, kAll),
    discovery("discovery-fallback", V::Text, kAll),
    discovery("discovery-proxy", V::Text, kAll),
    discovery("discovery-srv", V::Text, kAll),
    discovery("discovery-srv-name", V::Text, kAll),
    discovery("discovery-endpoints", V::CommaList, kFrom36),
    discovery("discovery-token", V::Text, kFrom36),
    discovery("discovery-dial-timeout", V::Duration, kFrom36),
    discovery("discovery-request-timeout", V::Duration, kFrom36),
    discovery("discovery-keepalive-time", V::Duration, kFrom36),
    discovery("discovery-keepalive-timeout", V::Duration, kFrom36),
    discovery("discovery-insecure-transport", V::Bool, kFrom36),
    discovery("discovery-insecure-skip-tls-verify", V::Bool, kFrom36),
    discovery("discovery-cert", V::Text, kFrom36),
    discovery("discovery-key", V::Text, kFrom36),
    discovery("discovery-cacert", V::Text, kFrom36),
    discovery("discovery-user", V::Text, kFrom36),
    discovery("discovery-password", V::Text, kFrom36),
    refused("strict-reconfig-check", V::Bool, kAll,
            "quorate keeps it on: without it etcd lets a change cost the quorum"),
    free_option("pre-vote", V::Bool, kAll),
    owned("auto-compaction-retention", V::Text, kAll, "etcd.autoCompaction"),
    owned("auto-compaction-mode", V::Text, kAll, "etcd.autoCompaction"),
    free_option("max-learners", V::Integer, kFrom36),
    refused("enable-v2", V::Bool, kBefore36, kV2),
    refused("experimental-enable-v2v3", V::Text, kBefore36, kV2),
    refused("v2-deprecation", V::Text, kFrom35, "it can delete data, and 3.6 ignores it"),
    proxy("proxy", V::Text),
    proxy("proxy-failure-wait", V::Integer),
    proxy("proxy-refresh-interval", V::Integer),
    proxy("proxy-dial-timeout", V::Integer),
    proxy("proxy-write-timeout", V::Integer),
    proxy("proxy-read-timeout", V::Integer),
  });
}

void add_security(std::vector<EtcdOption>& rows) {
  constexpr std::string_view kTls = "tls";
  rows.insert(rows.end(), {
    keyed("client-transport-security/cert-file", owned("cert-file", V::Text, kAll, kTls)),
    keyed("client-transport-security/key-file", owned("key-file", V::Text, kAll, kTls)),
    keyed("client-transport-security/client-cert-file", owned("client-cert-file", V::Text, kFrom35, kTls)),
    keyed("client-transport-security/client-key-file", owned("client-key-file", V::Text, kFrom35, kTls)),
    keyed("client-transport-security/client-cert-auth", owned("client-cert-auth", V::Bool, kAll, kTls)),
    keyed("client-transport-security/trusted-ca-file", owned("trusted-ca-file", V::Text, kAll, kTls)),
    keyed("client-transport-security/auto-tls", owned("auto-tls", V::Bool, kAll, kTls)),
    // A text in 3.5.14, a list ever since: only the list is rendered.
    keyed("client-transport-security/allowed-hostname", from35(15),
          free_option("client-cert-allowed-hostname", V::TextList, kAll)),
    command_line_only("client-crl-file", V::Text, kAll),
    keyed("peer-transport-security/cert-file", owned("peer-cert-file", V::Text, kAll, kTls)),
    keyed("peer-transport-security/key-file", owned("peer-key-file", V::Text, kAll, kTls)),
    keyed("peer-transport-security/client-cert-file", owned("peer-client-cert-file", V::Text, kFrom35, kTls)),
    keyed("peer-transport-security/client-key-file", owned("peer-client-key-file", V::Text, kFrom35, kTls)),
    keyed("peer-transport-security/client-cert-auth", owned("peer-client-cert-auth", V::Bool, kAll, kTls)),
    keyed("peer-transport-security/trusted-ca-file", owned("peer-trusted-ca-file", V::Text, kAll, kTls)),
    keyed("peer-transport-security/auto-tls", owned("peer-auto-tls", V::Bool, kAll, kTls)),
    keyed("peer-transport-security/allowed-cn", from35(15),
          free_option("peer-cert-allowed-cn", V::TextList, kAll)),
    keyed("peer-transport-security/allowed-hostname", from35(15),
          free_option("peer-cert-allowed-hostname", V::TextList, kAll)),
    command_line_only("peer-crl-file", V::Text, kAll),
    then("peer-skip-client-san-verification",
         keyed("experimental-peer-skip-client-san-verification", kFrom36,
               free_option("experimental-peer-skip-client-san-verification", V::Bool, kAll))),
    keyed("peer-transport-security/skip-client-san-verification",
          free_option("peer-skip-client-san-verification", V::Bool, kFrom36)),
    keyed("self-signed-cert-validity", from35(1),
          refused("self-signed-cert-validity", V::Integer, kFrom35,
                  "it belongs to certificates that etcd makes for itself, which quorate never uses")),
    free_option("cipher-suites", V::TextList, kAll),
    free_option("cors", V::CommaList, kAll),
    free_option("host-whitelist", V::CommaList, kAll),
    free_option("tls-min-version", V::Text, first(25, 8, 0)),
    free_option("tls-max-version", V::Text, first(25, 8, 0)),
    free_option("auth-token", V::Text, kAll),
    free_option("bcrypt-cost", V::Integer, kAll),
    free_option("auth-token-ttl", V::Integer, first(10, 0, 0)),
  });
}

void add_monitoring(std::vector<EtcdOption>& rows) {
  constexpr std::string_view kCapnslog = "it speaks to capnslog, a logger that quorate does not use";
  rows.insert(rows.end(), {
    free_option("enable-pprof", V::Bool, kAll),
    owned("metrics", V::Text, kAll, "etcd.metrics"),
    owned("listen-metrics-urls", V::UrlList, kAll, "network.ports.metrics"),
    refused("logger", V::Text, kAll, "quorate always lets etcd log through zap"),
    free_option("log-outputs", V::TextList, kAll),
    then("log-outputs", free_option("log-output", V::TextList, kOnly34)),
    owned("log-level", V::Text, kAll, "etcd.logLevel"),
    then("log-level", owned("debug", V::Bool, kOnly34, "etcd.logLevel")),
    refused("log-package-levels", V::Text, kOnly34, kCapnslog),
    free_option("log-format", V::Text, kFrom36),
    free_option("enable-log-rotation", V::Bool, kFrom35),
    free_option("log-rotation-config-json", V::Text, kFrom35),
  });
}

// 3.6 took most "experimental-" off; it still reads the old names, but not both at once.
void add_experimental(std::vector<EtcdOption>& rows) {
  const auto renamed = [&](std::string_view old_name, std::string_view new_name, V value, Releases releases) {
    rows.push_back(then(new_name, free_option(old_name, value, releases)));
    rows.push_back(free_option(new_name, value, kFrom36));
  };
  renamed("experimental-enable-distributed-tracing", "enable-distributed-tracing", V::Bool, kFrom35);
  renamed("experimental-distributed-tracing-address", "distributed-tracing-address", V::Text, kFrom35);
  renamed("experimental-distributed-tracing-service-name", "distributed-tracing-service-name", V::Text, kFrom35);
  renamed("experimental-distributed-tracing-instance-id", "distributed-tracing-instance-id", V::Text, kFrom35);
  renamed("experimental-distributed-tracing-sampling-rate", "distributed-tracing-sampling-rate",
          V::Integer, from35(11));
  renamed("experimental-corrupt-check-time", "corrupt-check-time", V::Duration, kAll);
  renamed("experimental-compact-hash-check-time", "compact-hash-check-time", V::Duration, from35(5));
  renamed("experimental-compaction-batch-limit", "compaction-batch-limit", V::Integer, kAll);
  renamed("experimental-compaction-sleep-interval", "compaction-sleep-interval", V::Duration, from35(16));
  renamed("experimental-watch-progress-notify-interval", "watch-progress-notify-interval",
          V::Duration, first(11, 0, 0));
  renamed("experimental-downgrade-check-time", "downgrade-check-time", V::Duration, kFrom35);
  renamed("experimental-warning-apply-duration", "warning-apply-duration", V::Duration, first(16, 0, 0));
  renamed("experimental-warning-unary-request-duration", "warning-unary-request-duration", V::Duration, kFrom36);
  renamed("experimental-memory-mlock", "memory-mlock", V::Bool, kFrom35);
  renamed("experimental-bootstrap-defrag-threshold-megabytes", "bootstrap-defrag-threshold-megabytes",
          V::Integer, kFrom35);
  rows.insert(rows.end(), {
    // The file's key is not spelled like the option. 3.5.16 is the oldest 3.5 that has been seen with it.
    then("snapshot-catchup-entries",
         keyed("experimental-snapshot-catch-up-entries",
               free_option("experimental-snapshot-catchup-entries", V::Integer, from35(16)))),
    free_option("snapshot-catchup-entries", V::Integer, kFrom36),
    free_option("feature-gates", V::CommaList, kFrom36),
    then("feature-gates", free_option("experimental-initial-corrupt-check", V::Bool, kAll)),
    then("feature-gates", free_option("experimental-compact-hash-check-enabled", V::Bool, from35(5))),
    then("feature-gates", free_option("experimental-enable-lease-checkpoint", V::Bool, kAll)),
    // 3.4.23 is the oldest 3.4 that has been seen with it.
    then("feature-gates", free_option("experimental-enable-lease-checkpoint-persist", V::Bool, first(23, 2, 0))),
    then("feature-gates", free_option("experimental-txn-mode-write-with-shared-buffer", V::Bool, kFrom35)),
    then("feature-gates", free_option("experimental-stop-grpc-service-on-defrag", V::Bool, from35(14))),
  });
}

void add_unsafe(std::vector<EtcdOption>& rows) {
  rows.insert(rows.end(), {
    refused("force-new-cluster", V::Bool, kAll, "left in place it splits the cluster at the next restart"),
    refused("unsafe-no-fsync", V::Bool, first(10, 0, 0), "it loses writes that clients were told are safe"),
  });
}
// clang-format on

}  // namespace

std::vector<EtcdOption> etcd_option_rows() {
  std::vector<EtcdOption> rows;
  add_member(rows);
  add_clustering(rows);
  add_security(rows);
  add_monitoring(rows);
  add_experimental(rows);
  add_unsafe(rows);
  return rows;
}

}  // namespace quorate::renderers
