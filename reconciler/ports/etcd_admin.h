// What we ask of etcd's public API, one address at a time. Every call has a deadline; nothing here retries.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/model/observed.h"

namespace quorate::ports {

enum class Consistency { Linearizable, Serializable };

// The header that etcd puts on every answer.
struct Answered {
  base::ClusterId cluster;
  base::MemberId member;
  std::int64_t revision = 0;
  std::uint64_t term = 0;
};

struct MemberList {
  Answered from;
  std::vector<model::ListedMember> members;  // by ID
};

struct StatusAnswer {
  Answered from;
  model::MemberStatus status;
  bool learner = false;
};

struct Hash {
  Answered from;
  std::uint32_t hash = 0;
  std::int64_t compact_revision = 0;
};

struct KeyValue {
  std::string key;
  std::string value;
  std::int64_t mod_revision = 0;
  std::int64_t create_revision = 0;
  std::int64_t lease = 0;
};

// A transaction that does all of `then` when every comparison holds, and nothing otherwise.
struct Compare {
  enum class What { CreateRevision, ModRevision } what = What::CreateRevision;  // 0: the key is not there
  std::string key;
  std::int64_t equals = 0;
};
struct Write {
  std::string key;
  std::optional<std::string> value;  // nothing: the key is deleted
  std::int64_t lease = 0;
};
struct Txn {
  std::vector<Compare> when;
  std::vector<Write> then;
};
struct TxnAnswer {
  bool done = false;
  std::int64_t revision = 0;  // of the store after it
};

struct Added {
  model::ListedMember member;
  std::vector<model::ListedMember> members;  // the list after it
};

class EtcdAdmin {
 public:
  EtcdAdmin() = default;
  EtcdAdmin(const EtcdAdmin&) = delete;
  EtcdAdmin& operator=(const EtcdAdmin&) = delete;
  virtual ~EtcdAdmin() = default;

  // Linearizable is refused by learners and by members without a leader. etcd 3.4 always answers from its own memory.
  virtual base::Result<MemberList> member_list(const std::string& endpoint, Consistency consistency,
                                               base::Duration within) = 0;
  virtual base::Result<StatusAnswer> status(const std::string& endpoint, base::Duration within) = 0;
  virtual base::Result<std::vector<model::Alarm>> alarms(const std::string& endpoint, base::Duration within) = 0;
  virtual base::Result<Hash> hash_kv(const std::string& endpoint, std::int64_t revision, base::Duration within) = 0;
  virtual base::Result<std::optional<KeyValue>> get(const std::string& endpoint, std::string_view key,
                                                    Consistency consistency, base::Duration within) = 0;
  virtual base::Result<std::int64_t> put(const std::string& endpoint, std::string_view key, std::string_view value,
                                         base::Duration within) = 0;  // the revision it got

  // By key.
  virtual base::Result<std::vector<KeyValue>> get_all(const std::string& endpoint, std::string_view prefix,
                                                      Consistency consistency, base::Duration within) = 0;
  // Whether anything but the keys under `except` was written or deleted after this revision. True also where that
  // cannot be told: the history has been compacted, or is too long to look through.
  virtual base::Result<bool> changed_since(const std::string& endpoint, std::int64_t revision, std::string_view except,
                                           base::Duration within) = 0;
  // How many keys there were at this revision; 0: there are now.
  virtual base::Result<std::int64_t> count(const std::string& endpoint, std::int64_t revision,
                                           base::Duration within) = 0;
  virtual base::Result<TxnAnswer> transact(const std::string& endpoint, const Txn& txn, base::Duration within) = 0;

  virtual base::Result<std::int64_t> grant_lease(const std::string& endpoint, base::Duration ttl,
                                                 base::Duration within) = 0;  // its ID
  virtual base::Result<void> keep_lease_alive(const std::string& endpoint, std::int64_t lease,
                                              base::Duration within) = 0;  // Conflict: it has run out
  virtual base::Result<void> revoke_lease(const std::string& endpoint, std::int64_t lease,
                                          base::Duration within) = 0;  // one that is not there: done

  virtual base::Result<Added> add_learner(const std::string& endpoint, const std::vector<std::string>& peer_urls,
                                          base::Duration within) = 0;
  virtual base::Result<void> promote(const std::string& endpoint, base::MemberId member, base::Duration within) = 0;
  virtual base::Result<void> remove(const std::string& endpoint, base::MemberId member, base::Duration within) = 0;
  virtual base::Result<void> update_peer_urls(const std::string& endpoint, base::MemberId member,
                                              const std::vector<std::string>& peer_urls, base::Duration within) = 0;
  // `endpoint` must be the leader's.
  virtual base::Result<void> move_leader(const std::string& endpoint, base::MemberId to, base::Duration within) = 0;
  virtual base::Result<void> compact(const std::string& endpoint, std::int64_t revision, base::Duration within) = 0;
  virtual base::Result<void> defragment(const std::string& endpoint, base::Duration within) = 0;
  virtual base::Result<void> disarm(const std::string& endpoint, model::Alarm alarm, base::Duration within) = 0;

  // The db file followed by its 32-byte SHA-256, in pieces; a sink that returns false ends the call with Refused.
  using Sink = std::function<bool(std::string_view piece)>;
  virtual base::Result<Answered> snapshot(const std::string& endpoint, const Sink& sink, base::Duration within) = 0;
};

}  // namespace quorate::ports
