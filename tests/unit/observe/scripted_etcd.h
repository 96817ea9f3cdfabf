// Addresses that answer what a test wrote down: worlds that no healthy cluster shows, and who was asked how often.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/ports/etcd_admin.h"

namespace quorate::observe {

inline tl::unexpected<base::Error> transient(std::string message) {
  return tl::unexpected(base::Error{base::ErrorKind::Transient, std::move(message), ""});
}

struct Script {
  base::Result<ports::StatusAnswer> status = transient("connection refused");
  base::Result<ports::MemberList> own_list = transient("connection refused");
  base::Result<ports::MemberList> agreed_list = transient("connection refused");
  base::Result<std::vector<model::Alarm>> alarms = transient("connection refused");
  base::Result<ports::Hash> hash = transient("connection refused");
  bool reads = false;
};

class ScriptedEtcd final : public ports::EtcdAdmin {
 public:
  std::map<std::string, Script> at;   // an address that is not named refuses connections
  std::map<std::string, int> asked;   // for the status
  std::vector<base::Duration> times;  // that these had
  std::function<void(base::Duration within)> at_each_status;
  std::int64_t compacted = 0;
  std::vector<std::int64_t> counted;  // at which revisions
  int hashes = 0;

  base::Result<ports::MemberList> member_list(const std::string& endpoint, ports::Consistency consistency,
                                              base::Duration /*within*/) override {
    return consistency == ports::Consistency::Serializable ? at[endpoint].own_list : at[endpoint].agreed_list;
  }
  base::Result<ports::StatusAnswer> status(const std::string& endpoint, base::Duration within) override {
    ++asked[endpoint];
    times.push_back(within);
    if (at_each_status) at_each_status(within);
    return at[endpoint].status;
  }
  base::Result<std::vector<model::Alarm>> alarms(const std::string& endpoint, base::Duration /*within*/) override {
    return at[endpoint].alarms;
  }
  base::Result<ports::Hash> hash_kv(const std::string& endpoint, std::int64_t /*revision*/,
                                    base::Duration /*within*/) override {
    ++hashes;
    return at[endpoint].hash;
  }
  base::Result<std::optional<ports::KeyValue>> get(const std::string& endpoint, std::string_view /*key*/,
                                                   ports::Consistency /*consistency*/,
                                                   base::Duration /*within*/) override {
    if (!at[endpoint].reads) return transient("no leader");
    return std::optional<ports::KeyValue>{};
  }
  base::Result<std::vector<ports::KeyValue>> get_all(const std::string& endpoint, std::string_view /*prefix*/,
                                                     ports::Consistency /*consistency*/,
                                                     base::Duration /*within*/) override {
    if (!at[endpoint].reads) return transient("no leader");
    return std::vector<ports::KeyValue>{};
  }

  // Observation never asks for a change.
  base::Result<std::int64_t> put(const std::string&, std::string_view, std::string_view, base::Duration) override {
    return changed();
  }
  base::Result<bool> changed_since(const std::string&, std::int64_t, std::string_view, base::Duration) override {
    return changed();
  }
  base::Result<std::int64_t> count(const std::string&, std::int64_t revision, base::Duration) override {
    counted.push_back(revision);
    if (revision < compacted) return tl::unexpected(base::Error{base::ErrorKind::Conflict, "compacted", ""});
    return 7;
  }
  base::Result<ports::TxnAnswer> transact(const std::string&, const ports::Txn&, base::Duration) override {
    return changed();
  }
  base::Result<std::int64_t> grant_lease(const std::string&, base::Duration, base::Duration) override {
    return changed();
  }
  base::Result<void> keep_lease_alive(const std::string&, std::int64_t, base::Duration) override { return changed(); }
  base::Result<void> revoke_lease(const std::string&, std::int64_t, base::Duration) override { return changed(); }
  base::Result<ports::Added> add_learner(const std::string&, const std::vector<std::string>&, base::Duration) override {
    return changed();
  }
  base::Result<void> promote(const std::string&, base::MemberId, base::Duration) override { return changed(); }
  base::Result<void> remove(const std::string&, base::MemberId, base::Duration) override { return changed(); }
  base::Result<void> update_peer_urls(const std::string&, base::MemberId, const std::vector<std::string>&,
                                      base::Duration) override {
    return changed();
  }
  base::Result<void> move_leader(const std::string&, base::MemberId, base::Duration) override { return changed(); }
  base::Result<void> compact(const std::string&, std::int64_t, base::Duration) override { return changed(); }
  base::Result<void> defragment(const std::string&, base::Duration) override { return changed(); }
  base::Result<void> disarm(const std::string&, model::Alarm, base::Duration) override { return changed(); }
  base::Result<ports::Answered> snapshot(const std::string&, const Sink&, base::Duration) override { return changed(); }

  int changes = 0;

 private:
  tl::unexpected<base::Error> changed() {
    ++changes;
    return transient("observation changes nothing");
  }
};

}  // namespace quorate::observe
