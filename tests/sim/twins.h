// The ports of one agent, in memory: each call takes virtual time and may be where the agent ends.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/loop/agent.h"
#include "reconciler/model/answer_check.h"
#include "tests/sim/agent_life.h"
#include "tests/sim/sim_etcd.h"
#include "tests/sim/twins_store.h"

namespace quorate::sim {

class EtcdTwin final : public ports::EtcdAdmin {
 public:
  explicit EtcdTwin(AgentLife& life) : life_(life) {}

  base::Result<ports::MemberList> member_list(const std::string& endpoint, ports::Consistency consistency,
                                              Duration within) override;
  base::Result<ports::StatusAnswer> status(const std::string& endpoint, Duration within) override;
  base::Result<std::vector<model::Alarm>> alarms(const std::string& endpoint, Duration within) override;
  base::Result<ports::Hash> hash_kv(const std::string& endpoint, std::int64_t revision, Duration within) override;
  base::Result<std::optional<ports::KeyValue>> get(const std::string& endpoint, std::string_view key,
                                                   ports::Consistency consistency, Duration within) override;
  base::Result<std::int64_t> put(const std::string& endpoint, std::string_view key, std::string_view value,
                                 Duration within) override;
  base::Result<std::vector<ports::KeyValue>> get_all(const std::string& endpoint, std::string_view prefix,
                                                     ports::Consistency consistency, Duration within) override;
  base::Result<bool> changed_since(const std::string& /*endpoint*/, std::int64_t /*revision*/,
                                   std::string_view /*except*/, Duration /*within*/) override {
    return true;  // somebody always writes
  }
  base::Result<std::int64_t> count(const std::string& /*endpoint*/, std::int64_t /*revision*/,
                                   Duration /*within*/) override {
    return base::invalid("keys are not counted there");
  }
  base::Result<ports::TxnAnswer> transact(const std::string& endpoint, const ports::Txn& txn, Duration within) override;
  base::Result<std::int64_t> grant_lease(const std::string& endpoint, Duration ttl, Duration within) override;
  base::Result<void> keep_lease_alive(const std::string& endpoint, std::int64_t lease, Duration within) override;
  base::Result<void> revoke_lease(const std::string& endpoint, std::int64_t lease, Duration within) override;
  base::Result<ports::Added> add_learner(const std::string& endpoint, const std::vector<std::string>& peer_urls,
                                         Duration within) override;
  base::Result<void> promote(const std::string& endpoint, base::MemberId member, Duration within) override;
  base::Result<void> remove(const std::string& endpoint, base::MemberId member, Duration within) override;
  base::Result<void> update_peer_urls(const std::string& endpoint, base::MemberId member,
                                      const std::vector<std::string>& peer_urls, Duration within) override;
  base::Result<void> move_leader(const std::string& endpoint, base::MemberId to, Duration within) override;
  base::Result<void> compact(const std::string& endpoint, std::int64_t revision, Duration within) override;
  base::Result<void> defragment(const std::string& endpoint, Duration within) override;
  base::Result<void> disarm(const std::string& endpoint, model::Alarm alarm, Duration within) override;
  base::Result<ports::Answered> snapshot(const std::string& endpoint, const Sink& sink, Duration within) override;

 private:
  template <class T, class Effect>
  base::Result<T> ask(const etcd_grpc::Call& call, const Effect& effect);
  void needs_lock(const etcd_grpc::Call& call);
  base::Result<void> revoke_at_once(const etcd_grpc::Call& call, std::int64_t lease);

  AgentLife& life_;
};

class NodeTwin final : public ports::Node {
 public:
  explicit NodeTwin(AgentLife& life) : life_(life) {}
  bool is_here(const model::Member& member) override { return member.name == life_.machine.name; }
  base::Result<model::DataDir> data_dir(const std::string& data, const std::string& wal) override;
  base::Result<std::optional<ports::FileOnNode>> read_file(const std::string& path) override;
  base::Result<model::Process> process_of(const model::Member& member) override;
  base::Result<model::Certificate> certificate(const std::string& path, const std::string& use) override;
  base::Result<model::Binary> binary(const std::string& path) override { return model::Binary{path, kVersion}; }
  base::Result<model::DiskSpace> disk_space(const std::string& path) override;

 private:
  bool joins() const;

  AgentLife& life_;
};

class HostTwin final : public ports::Host {
 public:
  explicit HostTwin(AgentLife& life) : life_(life) {}
  base::Result<bool> write_file(const ports::FileToWrite& file) override;
  base::Result<std::optional<std::string>> read_file(const std::string& path) override;
  base::Result<void> remove_file(const std::string& path) override;
  base::Result<void> rename(const std::string& from, const std::string& to) override;
  base::Result<std::optional<std::vector<std::string>>> list(const std::string& folder) override;
  base::Result<void> remove_tree(const std::string& path) override;

 private:
  std::optional<tl::unexpected<base::Error>> change(const std::string& path);
  std::string without_start(const ports::FileToWrite& file) const;
  bool shows_at_start(const ports::FileToWrite& memory_file) const;

  AgentLife& life_;
};

class RuntimeTwin final : public ports::Runtime {
 public:
  explicit RuntimeTwin(AgentLife& life) : life_(life) {}
  base::Result<void> start(const ports::Launch& launch) override;
  base::Result<void> stop(Duration patience) override;
  model::RunState look() override;

 private:
  AgentLife& life_;
};

class PeersTwin final : public ports::Peers {
 public:
  explicit PeersTwin(AgentLife& life) : life_(life) {}
  std::vector<ports::PeerAnswer> ask(const std::string& cluster, const std::vector<ports::Peer>& peers,
                                     Duration within) override;

 private:
  base::Result<model::AgentReport> answer(const std::string& cluster, const std::string& member, bool& silent);
  void tell_lies(model::AgentReport& report);

  AgentLife& life_;
  model::AnswerCheck check_;
  std::uint64_t nonces_ = 0;
  std::map<std::string, std::pair<Duration, model::AgentReport>> old_;  // for a planted bug
};

class RestorerTwin final : public ports::Restorer {
 public:
  explicit RestorerTwin(AgentLife& life) : life_(life) {}
  base::Result<void> ready(Duration within) override;
  base::Result<void> seed(const ports::Seeding& seeding, Duration within) override;
  base::Result<ports::Extracted> extract(const ports::Survivor& survivor, Duration within) override;
  base::Result<ports::Tried> try_out(const ports::Trial& /*trial*/, Duration /*within*/) override {
    return base::invalid("no file asks for test restores");
  }

 private:
  std::optional<tl::unexpected<base::Error>> work(Duration least, Duration most);

  AgentLife& life_;
};

class SmallTwins final : public ports::Links,
                         public ports::Journal,
                         public ports::Clock,
                         public ports::Parallel,
                         public ports::Entropy,
                         public ports::Events {
 public:
  explicit SmallTwins(AgentLife& life);
  base::Result<std::vector<base::MemberId>> active_peers(const std::string& endpoint, Duration within) override;
  base::Result<void> append(const model::JournalEntry& entry) override;
  base::Result<std::vector<model::JournalEntry>> read() override { return life_.machine.journal; }
  base::Time now() override;
  Duration elapsed() override;
  void run(std::vector<std::function<void()>> jobs) override { life_.side_by_side(std::move(jobs)); }
  std::string hex(int digits) override { return rng_.hex(digits); }
  std::uint64_t below(std::uint64_t bound) override { return rng_.below(bound); }
  void say(ports::EventLevel level, const std::string& text) override;

 private:
  AgentLife& life_;
  Rng rng_;
};

struct Twins {
  explicit Twins(AgentLife& of)
      : life(of),
        etcd(of),
        node(of),
        host(of),
        runtime(of),
        peers(of),
        restorer(of),
        stores(of),
        spool(of),
        small(of) {}
  loop::AgentPorts ports() {
    return {etcd, node, host, runtime, peers, small, small, small, small, small, small, &restorer, &stores, &spool};
  }
  void adopt_process();     // by its pidfile
  void put_back_yielded();  // in a planted bug

  AgentLife& life;
  EtcdTwin etcd;
  NodeTwin node;
  HostTwin host;
  RuntimeTwin runtime;
  PeersTwin peers;
  RestorerTwin restorer;
  StoresTwin stores;
  SpoolTwin spool;
  SmallTwins small;
};

}  // namespace quorate::sim
