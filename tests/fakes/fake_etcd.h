// A cluster in memory that accepts and refuses what real etcd of a version does, in the same words. Where real etcd
// leaves something to chance (whether a late request took effect), it takes the worse.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reconciler/adapters/etcd_grpc/errors.h"
#include "reconciler/base/version.h"
#include "reconciler/ports/etcd_admin.h"
#include "tests/fakes/fake_clock.h"

namespace quorate::fakes {

// A place where a member can run.
struct Seat {
  std::string name;
  std::string peer_url;
  std::string client_url;
};

class FakeEtcd : public ports::EtcdAdmin {
 public:
  // Founds a cluster of voters that are all up.
  FakeEtcd(FakeClock& clock, base::Version version, const std::vector<Seat>& founders);

  // ------------------------------------------------------------------------------------------------ what tests do to
  // it
  void stop(const std::string& name);
  void start(const std::string& name);  // an emptied or removed member ends again at once, as etcd does
  void wipe(const std::string& name);   // stops it and empties its data directory
  void hang(const std::string& name);   // accepts connections and never answers, as after SIGSTOP
  void resume(const std::string& name);
  void slow(const std::string& name,
            base::Duration latency);                         // a change that is too slow for its deadline still happens
  void lag(const std::string& name, std::uint64_t entries);  // stays that far behind; 0: catches up
  void upgrade(const std::string& name, base::Version version);
  // Starts on an empty directory as the member that was added with this peer URL.
  void join(const Seat& seat, base::Version version);
  void limit(std::int64_t quota) { quota_ = quota; }
  void raise(model::Alarm alarm);
  base::ClusterId cluster() const { return cluster_; }
  base::MemberId id_of(const std::string& name) const;
  base::MemberId leader() const { return leader_; }

  // ----------------------------------------------------------------------------------------------------------- the
  // port
  base::Result<ports::MemberList> member_list(const std::string& endpoint, ports::Consistency consistency,
                                              base::Duration within) override;
  base::Result<ports::StatusAnswer> status(const std::string& endpoint, base::Duration within) override;
  base::Result<std::vector<model::Alarm>> alarms(const std::string& endpoint, base::Duration within) override;
  base::Result<ports::Hash> hash_kv(const std::string& endpoint, std::int64_t revision, base::Duration within) override;
  base::Result<std::optional<ports::KeyValue>> get(const std::string& endpoint, std::string_view key,
                                                   ports::Consistency consistency, base::Duration within) override;
  base::Result<std::int64_t> put(const std::string& endpoint, std::string_view key, std::string_view value,
                                 base::Duration within) override;
  base::Result<std::vector<ports::KeyValue>> get_all(const std::string& endpoint, std::string_view prefix,
                                                     ports::Consistency consistency, base::Duration within) override;
  base::Result<bool> changed_since(const std::string& endpoint, std::int64_t revision, std::string_view except,
                                   base::Duration within) override;
  base::Result<std::int64_t> count(const std::string& endpoint, std::int64_t revision, base::Duration within) override;
  base::Result<ports::TxnAnswer> transact(const std::string& endpoint, const ports::Txn& txn,
                                          base::Duration within) override;
  base::Result<std::int64_t> grant_lease(const std::string& endpoint, base::Duration ttl,
                                         base::Duration within) override;
  base::Result<void> keep_lease_alive(const std::string& endpoint, std::int64_t lease, base::Duration within) override;
  base::Result<void> revoke_lease(const std::string& endpoint, std::int64_t lease, base::Duration within) override;
  base::Result<ports::Added> add_learner(const std::string& endpoint, const std::vector<std::string>& peer_urls,
                                         base::Duration within) override;
  base::Result<void> promote(const std::string& endpoint, base::MemberId member, base::Duration within) override;
  base::Result<void> remove(const std::string& endpoint, base::MemberId member, base::Duration within) override;
  base::Result<void> update_peer_urls(const std::string& endpoint, base::MemberId member,
                                      const std::vector<std::string>& peer_urls, base::Duration within) override;
  base::Result<void> move_leader(const std::string& endpoint, base::MemberId to, base::Duration within) override;
  base::Result<void> compact(const std::string& endpoint, std::int64_t revision, base::Duration within) override;
  base::Result<void> defragment(const std::string& endpoint, base::Duration within) override;
  base::Result<void> disarm(const std::string& endpoint, model::Alarm alarm, base::Duration within) override;
  base::Result<ports::Answered> snapshot(const std::string& endpoint, const Sink& sink, base::Duration within) override;

 private:
  enum class State { Up, Stopped, Hung };
  struct Process {
    Seat seat;
    base::MemberId id;
    base::Version version;
    State state = State::Up;
    bool wiped = false;
    bool founded = false;  // was there from the beginning: nothing to catch up with
    base::Duration latency{};
    base::Time up_since{};
    std::uint64_t lag = 0;
    bool has_lag = false;  // set by a test: it does not go away by itself
    std::int64_t db_size = 0;
  };
  struct Written {
    std::int64_t revision = 0;
    ports::Write write;
  };
  struct Lease {
    base::Duration ttl{};
    base::Time ends{};
  };
  using Asked = base::Result<Process*>;

  base::Time time() const { return base::Time(clock_.elapsed()); }  // a clock that somebody sets changes nothing here

  // Who answers at this address, in time; `learners` is whether a learner does.
  Asked reach(const etcd_grpc::Call& call, bool learners);
  // The same for what needs a leader.
  Asked reach_quorum(const etcd_grpc::Call& call);
  tl::unexpected<base::Error> refuse(const etcd_grpc::Call& call, etcd_grpc::Code code, std::string_view text) const;
  tl::unexpected<base::Error> too_late(const etcd_grpc::Call& call);
  // After the effect: the answer to a slow call comes after its deadline.
  base::Result<void> answer(const etcd_grpc::Call& call, const Process& process);
  ports::Answered header(const Process& process) const;

  Process* running(base::MemberId id);
  Process& named(const std::string& name);
  model::ListedMember* listed(base::MemberId id);
  bool has_url(const std::vector<std::string>& urls, base::MemberId except) const;
  std::size_t voters() const;
  std::size_t voters_up();
  std::size_t started_voters(base::MemberId except) const;
  bool connected(const Process& self, base::MemberId other);  // for 5 s
  std::size_t connected_voters(const Process& self);
  bool may_add(const Process& self);
  bool in_sync(base::MemberId id);
  void publish(Process& process);
  void elect();
  void append() { ++index_; }
  std::int64_t size_in_use() const;
  // What etcd says before it takes a write of this size (0: it only deletes); nothing when it takes it.
  std::optional<tl::unexpected<base::Error>> refuse_write(const etcd_grpc::Call& call, const Process& process,
                                                          std::int64_t size);
  // What is wrong with a transaction whose comparisons hold.
  std::optional<tl::unexpected<base::Error>> refuse_txn(const etcd_grpc::Call& call, const ports::Txn& txn) const;
  bool holds(const ports::Compare& compare) const;
  void write_all(const std::vector<ports::Write>& writes);  // at one revision
  void end_lease(std::int64_t lease);                       // and the keys that hang on it
  void expire();                                            // leases whose time is up, as long as somebody leads

  FakeClock& clock_;
  mutable std::mutex mutex_;
  base::ClusterId cluster_;
  std::vector<model::ListedMember> members_;  // by ID
  std::set<base::MemberId> removed_;
  std::vector<Process> processes_;
  base::MemberId leader_;
  base::Time leads_from_{};
  std::uint64_t term_ = 2;
  std::uint64_t index_ = 8;
  std::int64_t revision_ = 1;
  std::int64_t compacted_ = 0;
  std::int64_t quota_ = std::int64_t{2} << 30;
  std::uint64_t next_id_ = 0x1000;
  std::vector<Written> writes_;
  std::map<std::string, ports::KeyValue, std::less<>> keys_;
  std::map<std::int64_t, Lease> leases_;
  std::int64_t next_lease_ = 0x7000;
  std::set<model::Alarm> alarms_;
};

}  // namespace quorate::fakes
