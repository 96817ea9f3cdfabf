// Etcd as far as losing data goes: clusters that form out of what is started where, one log for each, of which every
// disk holds a beginning; leaders that need a quorum, and the rules for changing members of release 3.5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reconciler/adapters/etcd_grpc/errors.h"
#include "reconciler/model/standing.h"
#include "reconciler/ports/etcd_admin.h"
#include "reconciler/ports/restorer.h"
#include "tests/sim/world.h"

namespace quorate::sim {

using Members = std::vector<model::ListedMember>;

struct Cluster {
  struct Conf {
    std::uint64_t index = 0;
    Members members;
  };
  struct Lease {
    Duration ttl{};
    Duration ends{};
  };
  struct Change {  // of the keys
    std::uint64_t index = 0;
    std::int64_t revision = 0;
    std::vector<ports::Write> writes;
  };
  base::ClusterId id;
  std::vector<Conf> confs;
  std::uint64_t committed = 0;
  std::uint64_t term = 1;
  base::MemberId leader;
  bool formed = false;  // it has had a leader
  Duration election_at{-1};
  std::int64_t revision = 1;
  std::int64_t born_with = 1;  // revision
  std::map<std::string, ports::KeyValue, std::less<>> keys;
  std::map<std::int64_t, Lease> leases;
  std::int64_t next_lease = 0x7000;
  std::map<base::MemberId, std::uint64_t> removed;  // by which entry
  std::set<base::MemberId> ever_ran;
  std::uint64_t acknowledged = 0;                              // the last entry that a client was told of
  Duration in_force_since{};                                   // the file that the record names
  std::vector<Change> changes;                                 // all of them: a survivor has a beginning
  std::vector<std::pair<std::uint64_t, std::uint64_t>> terms;  // first entry, and its term

  // Of one that goes on with the data of another.
  std::vector<base::ClusterId> after;  // whose place it takes, the latest first
  std::string decision;
  std::int64_t generation = 1;
  std::vector<std::string> founders;
  bool replaced = false;  // another one has taken its place

  const Members& members() const { return confs.back().members; }
  const Members& members_at(std::uint64_t last) const;
  std::uint64_t term_at(std::uint64_t last) const;
};

struct Snapshot {
  ports::Answered from;
  std::string bytes;
};

struct Reach {  // as raft compares logs
  std::uint64_t term = 0;
  std::uint64_t index = 0;
  friend auto operator<=>(const Reach&, const Reach&) = default;
};

// Nothing: no answer comes in time.
template <class T>
using Answer = std::optional<base::Result<T>>;

// What the configuration file says that a process starts with.
struct Boot {
  std::string name;
  std::string data_dir;
  std::string peer_url;
  std::string client_url;
  std::string state;
  std::string token;
  std::map<std::string, std::string> initial;  // name -> peer URL
};
std::optional<Boot> read_boot(const std::string& text);
std::optional<model::Decision> read_decision(const std::string& text);  // as it is signed in a directory
bool is_set_aside(const std::string& path);                             // or not in its place yet
std::string place_of(const Machine& machine);                           // of the data of its member

class Etcd {
 public:
  explicit Etcd(World& world) : world_(world) {}

  void boot(Machine& machine);
  void tick();
  // A client that reaches everybody writes through this machine; true: it was acknowledged.
  bool write(Machine& machine);

  // ------------------------------------------------------------------------------------------ of the port, at a
  // machine
  using Call = etcd_grpc::Call;
  Answer<ports::MemberList> member_list(Machine& at, const Call& call, bool linearizable);
  Answer<ports::StatusAnswer> status(Machine& at, const Call& call);
  Answer<Snapshot> snapshot(Machine& at);
  Answer<bool> alive(Machine& at, const Call& call);  // serves reads that need a quorum
  Answer<std::vector<ports::KeyValue>> range(Machine& at, const Call& call, const std::string& start, bool prefix);
  Answer<ports::TxnAnswer> transact(Machine& at, const Call& call, const ports::Txn& txn);
  Answer<std::int64_t> grant(Machine& at, const Call& call, Duration ttl);
  Answer<bool> keep_alive(Machine& at, const Call& call, std::int64_t lease);
  Answer<bool> revoke(Machine& at, const Call& call, std::int64_t lease);
  Answer<ports::Added> add(Machine& at, const Call& call, const std::vector<std::string>& urls);
  Answer<bool> promote(Machine& at, const Call& call, base::MemberId id);
  Answer<bool> remove(Machine& at, const Call& call, base::MemberId id);
  Answer<bool> update(Machine& at, const Call& call, base::MemberId id, const std::vector<std::string>& urls);
  Answer<bool> move_leader(Machine& at, const Call& call, base::MemberId to);
  std::vector<base::MemberId> active_peers(Machine& at);

  // --------------------------------------------------------------------------------------------------- for the checks
  Cluster* formed();  // the one that has had a leader, and that no other has replaced
  Cluster* cluster_of(const Machine& machine);
  Machine* leader(Cluster& cluster);  // that has a quorum behind it now
  bool lock_is_held_by(Machine& at, const std::string& member);
  // Voters whose data are on a disk, of so many.
  std::pair<int, int> whole_voters(const Cluster& cluster);
  Machine* machine_of(base::ClusterId cluster, base::MemberId member);  // where it runs
  Machine* disk_of(base::ClusterId cluster, base::MemberId member);     // where its data are in place
  bool sees_quorum(const Machine& machine);
  // Whoever changes the members does so for the file that is in force, and promotes whom he has seen in sync.
  void check_file(const Machine& machine, const model::JournalEntry& entry);
  void check_promotion(base::MemberId member);
  std::uint64_t committed(base::ClusterId cluster) const { return clusters_.at(cluster).committed; }

  // --------------------------------------------------------------------------------------------- without a quorum
  // A cluster of one member, with the beginning of the log that such a directory has; not started yet.
  void seed(Machine& machine, const ports::Seeding& seeding, const MemberData& source, const model::Decision& decision);
  // These are the data that all have promised, and there are none that reach further.
  void check_source(const Machine& machine, const MemberData& data, const std::string& source);
  // Everybody who has promised keeps to it by what stands on his disk, or does not stand there any more.
  void check_promises(const Machine& seed, const model::Decision& decision);
  // Nobody gives way while a quorum could still be started.
  void check_giving_way(const Machine& machine, const model::Decision& decision);
  // The same for what all have promised to restore from a backup.
  void check_backup(const Machine& machine, const model::Decision& decision, const MemberData& data);
  Reach reach(const MemberData& data) const;
  std::int64_t revision(const MemberData& data) const;
  bool has_served(base::ClusterId cluster) const;
  bool is_restored(base::ClusterId cluster) const;  // from the data of another
  bool has_data(const Cluster& cluster) const;      // anywhere, also of who has no vote, or restored from it
  bool is_replaced(base::ClusterId cluster) const;
  std::vector<Machine*> holders(const Cluster& cluster, const Machine& asker);  // whose data could be gone on with

 private:
  MemberData& data_of(Machine& machine) { return machine.disk.data.at(machine.etcd->data_dir); }
  void check_start(Machine& machine, Cluster& cluster);
  bool is_unheard_of(const Machine& machine, const Cluster& cluster, base::MemberId member) const;
  void succeed(Cluster& cluster);
  bool is_nowhere(base::ClusterId cluster) const;
  // Data that are asked, and reach further than these did when somebody looked: on which machine, and how far.
  std::optional<std::pair<std::string, Reach>> reaches_further(const Machine& asker, const MemberData& data,
                                                               Duration looked);
  void end_removed();
  void grow_tail(Cluster& cluster);
  void found(Machine& machine, const Boot& boot);
  void join(Machine& machine, const Boot& boot);
  void begin(Machine& machine, Cluster& cluster, base::MemberId member, std::uint64_t last);
  void end(Machine& machine, model::EndReason reason, const std::string& text);
  void check_founding(Machine& machine, const Boot& boot, const Cluster& cluster, base::MemberId member);

  bool serves(Machine& at);
  void commit(Cluster& cluster, Machine& leader);
  std::uint64_t reached(const Cluster& cluster, Machine& machine);
  void change(Cluster& cluster, Machine& leader, Members members);
  std::int64_t write_keys(Cluster& cluster, Machine& leader, const std::vector<ports::Write>& writes);
  void elect(Cluster& cluster);
  bool electable(const Cluster& cluster, Machine& candidate);
  void replicate(Cluster& cluster, Machine& leader);
  void publish(Cluster& cluster, Machine& leader, Machine& machine);
  void expire(Cluster& cluster, Machine& leader);
  void end_lease(Cluster& cluster, Machine& leader, std::int64_t lease);
  bool connected(const Machine& self, const Machine& other) const;
  int connected_voters(const Cluster& cluster, Machine& self);
  int started_voters(const Cluster& cluster, base::MemberId except) const;
  ports::Answered header(Machine& at);
  void check_removal(Cluster& cluster, Machine& leader, base::MemberId id);
  void check_condemned(const Cluster& cluster, base::MemberId id);
  tl::unexpected<base::Error> refuse(const Call& call, etcd_grpc::Code code, std::string_view text) const {
    return tl::unexpected(etcd_grpc::explain(call, code, text));
  }

  World& world_;
  std::map<base::ClusterId, Cluster> clusters_;
};

const model::ListedMember* member_in(const Members& members, base::MemberId id);
int voters_in(const Members& members);

}  // namespace quorate::sim
