// The rules of etcd's server, as its releases 3.4 and 3.5 have them, over a list of members and a list of writes.
#include "tests/fakes/fake_etcd.h"

#include <algorithm>
#include <cstdlib>

#include "reconciler/base/digest.h"
#include "reconciler/model/etcd_release.h"
#include "reconciler/model/quorum.h"

namespace quorate::fakes {
namespace {

using base::Duration;
using base::MemberId;
using base::Result;
using etcd_grpc::Call;
using etcd_grpc::Code;
using ports::Consistency;

constexpr Duration kHealthInterval{5000};  // a connection counts when it is older
constexpr Duration kElection{1500};
constexpr Duration kCatchUp{200};
constexpr std::int64_t kEmptyDb = 20480;

constexpr const char* kUnhealthy = "etcdserver: unhealthy cluster";
constexpr const char* kNotStarted = "etcdserver: re-configuration failed due to not enough started members";
constexpr const char* kNotFound = "etcdserver: member not found";
constexpr const char* kUrlExists = "etcdserver: Peer URLs already exists";

std::uint64_t checksum(std::string_view text) {
  return std::strtoull(base::sha256_hex(text).substr(0, 15).c_str(), nullptr, 16);
}

std::string line_of(std::int64_t revision, const ports::Write& write) {
  return std::to_string(revision) + write.key + (write.value ? "=" + *write.value : std::string("-"));
}

std::string raw_sha256(std::string_view text) {
  const std::string hex = base::sha256_hex(text);
  std::string raw;
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    raw += static_cast<char>(std::strtoul(hex.substr(at, 2).c_str(), nullptr, 16));
  }
  return raw;
}

}  // namespace

FakeEtcd::FakeEtcd(FakeClock& clock, base::Version version, const std::vector<Seat>& founders) : clock_(clock) {
  std::string everyone;
  for (const Seat& seat : founders) everyone += seat.peer_url + ",";
  cluster_ = {checksum(everyone)};
  for (const Seat& seat : founders) {
    const MemberId id{checksum(seat.peer_url)};
    members_.push_back({id, seat.name, {seat.peer_url}, {seat.client_url}, false});
    Process process{seat, id, version};
    process.founded = true;
    process.up_since = time();
    process.db_size = kEmptyDb;
    processes_.push_back(process);
  }
  std::sort(members_.begin(), members_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  elect();
  leads_from_ = time();
}

// ---------------------------------------------------------------------------------------------------- what tests do to
// it
FakeEtcd::Process& FakeEtcd::named(const std::string& name) {
  // The latest of that name: a removed member's successor may have it, too.
  const auto found = std::find_if(processes_.rbegin(), processes_.rend(),
                                  [&](const Process& process) { return process.seat.name == name; });
  if (found == processes_.rend()) std::abort();
  return *found;
}

void FakeEtcd::stop(const std::string& name) {
  const std::lock_guard lock(mutex_);
  named(name).state = State::Stopped;
  elect();
}

void FakeEtcd::start(const std::string& name) {
  const std::lock_guard lock(mutex_);
  Process& process = named(name);
  if (process.state != State::Stopped || process.wiped || removed_.count(process.id) != 0) return;
  process.state = State::Up;
  process.up_since = time();
  elect();
}

void FakeEtcd::wipe(const std::string& name) {
  const std::lock_guard lock(mutex_);
  named(name).state = State::Stopped;
  named(name).wiped = true;
  elect();
}

void FakeEtcd::hang(const std::string& name) {
  const std::lock_guard lock(mutex_);
  named(name).state = State::Hung;
  elect();
}

void FakeEtcd::resume(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (named(name).state != State::Hung) return;
  named(name).state = State::Up;
  named(name).up_since = time();
  elect();
}

void FakeEtcd::slow(const std::string& name, Duration latency) {
  const std::lock_guard lock(mutex_);
  named(name).latency = latency;
}

void FakeEtcd::lag(const std::string& name, std::uint64_t entries) {
  const std::lock_guard lock(mutex_);
  named(name).lag = entries;
  named(name).has_lag = entries != 0;
}

void FakeEtcd::upgrade(const std::string& name, base::Version version) {
  const std::lock_guard lock(mutex_);
  named(name).version = version;
}

void FakeEtcd::join(const Seat& seat, base::Version version) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const model::ListedMember& member) {
    return member.name.empty() && member.peer_urls == std::vector<std::string>{seat.peer_url};
  });
  if (found == members_.end()) return;  // etcd ends: the member is unknown or has started before
  Process process{seat, found->id, version};
  process.up_since = time();
  process.db_size = kEmptyDb + size_in_use();
  processes_.push_back(process);
  publish(processes_.back());
  elect();
}

void FakeEtcd::raise(model::Alarm alarm) {
  const std::lock_guard lock(mutex_);
  alarms_.insert(alarm);
}

MemberId FakeEtcd::id_of(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  for (auto process = processes_.rbegin(); process != processes_.rend(); ++process) {
    if (process->seat.name == name) return process->id;
  }
  return {};
}

// --------------------------------------------------------------------------------------------------------- the rules
// of it
FakeEtcd::Process* FakeEtcd::running(MemberId id) {
  for (Process& process : processes_) {
    if (process.id == id && process.state == State::Up) return &process;
  }
  return nullptr;
}

model::ListedMember* FakeEtcd::listed(MemberId id) {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const model::ListedMember& member) { return member.id == id; });
  return found == members_.end() ? nullptr : &*found;
}

bool FakeEtcd::has_url(const std::vector<std::string>& urls, MemberId except) const {
  return std::any_of(members_.begin(), members_.end(), [&](const model::ListedMember& member) {
    return member.id != except && std::any_of(urls.begin(), urls.end(), [&](const std::string& url) {
             return std::count(member.peer_urls.begin(), member.peer_urls.end(), url) != 0;
           });
  });
}

std::size_t FakeEtcd::voters() const {
  return static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(), [](const auto& m) { return !m.learner; }));
}

std::size_t FakeEtcd::voters_up() {
  return static_cast<std::size_t>(std::count_if(members_.begin(), members_.end(),
                                                [&](const auto& m) { return !m.learner && running(m.id) != nullptr; }));
}

std::size_t FakeEtcd::started_voters(MemberId except) const {
  return static_cast<std::size_t>(std::count_if(members_.begin(), members_.end(), [&](const auto& m) {
    return !m.learner && m.id != except && !m.name.empty();
  }));
}

bool FakeEtcd::connected(const Process& self, MemberId other) {
  const Process* process = running(other);
  return other == self.id ||
         (process != nullptr && time() - std::max(self.up_since, process->up_since) >= kHealthInterval);
}

std::size_t FakeEtcd::connected_voters(const Process& self) {
  return static_cast<std::size_t>(std::count_if(members_.begin(), members_.end(),
                                                [&](const auto& m) { return !m.learner && connected(self, m.id); }));
}

bool FakeEtcd::may_add(const Process& self) {
  const std::size_t all = voters();
  const std::size_t active = connected_voters(self);
  if (model::add_needs_all_voters(self.version)) return active == all;
  return all == 1 || active >= static_cast<std::size_t>(model::quorum(static_cast<int>(all) + 1));
}

// Its log holds nine tenths of the leader's; one that never started has none.
bool FakeEtcd::in_sync(MemberId id) {
  const Process* process = running(id);
  if (process == nullptr) return false;
  const bool caught_up = process->founded || time() - process->up_since >= kCatchUp;
  const std::uint64_t behind = process->has_lag ? process->lag : (caught_up ? 0 : index_);
  return static_cast<double>(index_ - std::min(behind, index_)) >= static_cast<double>(index_) * 0.9;
}

void FakeEtcd::publish(Process& process) {
  model::ListedMember* member = listed(process.id);
  member->name = process.seat.name;
  member->client_urls = {process.seat.client_url};
  append();
}

// The leader stays as long as it can; another takes over after an election's time.
void FakeEtcd::elect() {
  expire();  // under the one who led until now
  const bool quorum =
      voters() > 0 && voters_up() >= static_cast<std::size_t>(model::quorum(static_cast<int>(voters())));
  const model::ListedMember* now = listed(leader_);
  if (quorum && now != nullptr && !now->learner && running(leader_) != nullptr) return;
  leader_ = {};
  if (!quorum) return;
  for (const model::ListedMember& member : members_) {
    const Process* process = running(member.id);
    if (member.learner || process == nullptr || process->has_lag) continue;
    leader_ = member.id;
    leads_from_ = time() + kElection;
    for (auto& [id, lease] : leases_) lease.ends = leads_from_ + lease.ttl;  // a new leader begins their time anew
    ++term_;
    append();
    return;
  }
}

ports::Answered FakeEtcd::header(const Process& process) const {
  return {cluster_, process.id, revision_, term_};
}

tl::unexpected<base::Error> FakeEtcd::refuse(const Call& call, Code code, std::string_view text) const {
  return tl::unexpected(etcd_grpc::explain(call, code, text));
}

tl::unexpected<base::Error> FakeEtcd::too_late(const Call& call) {
  clock_.advance(call.within);
  return refuse(call, Code::DeadlineExceeded, "Deadline Exceeded");
}

FakeEtcd::Asked FakeEtcd::reach(const Call& call, bool learners) {
  const auto found = std::find_if(processes_.rbegin(), processes_.rend(), [&](const Process& process) {
    return process.seat.client_url == call.endpoint && process.state != State::Stopped;
  });
  expire();
  if (found == processes_.rend()) return tl::unexpected(etcd_grpc::not_connected(call, "Connection refused"));
  if (found->state == State::Hung) return too_late(call);
  const model::ListedMember* member = listed(found->id);
  if (member != nullptr && member->learner && !learners) {
    return refuse(call, Code::Unavailable, "etcdserver: rpc not supported for learner");
  }
  return &*found;
}

FakeEtcd::Asked FakeEtcd::reach_quorum(const Call& call) {
  auto process = reach(call, false);
  if (!process) return process;
  if (leader_.value == 0) return too_late(call);
  const Duration wait = leads_from_ > time() ? leads_from_ - time() : Duration(0);
  if (wait > call.within) return too_late(call);
  clock_.advance(wait);
  expire();
  return process;
}

Result<void> FakeEtcd::answer(const Call& call, const Process& process) {
  if (process.latency > call.within) return too_late(call);
  clock_.advance(process.latency);
  return {};
}

// ------------------------------------------------------------------------------------------------------------- the
// port
Result<ports::MemberList> FakeEtcd::member_list(const std::string& endpoint, Consistency consistency, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "listing the members", false, within};
  auto process = reach(call, false);
  if (process && consistency == Consistency::Linearizable && model::can_list_linearizably((*process)->version)) {
    process = reach_quorum(call);
  }
  if (!process) return tl::unexpected(process.error());
  return answer(call, **process).map([&] { return ports::MemberList{header(**process), members_}; });
}

Result<ports::StatusAnswer> FakeEtcd::status(const std::string& endpoint, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "asking for the status", false, within};
  const auto process = reach(call, true);
  if (!process) return tl::unexpected(process.error());
  const Process& it = **process;
  ports::StatusAnswer result;
  result.from = header(it);
  const model::ListedMember* member = listed(it.id);
  result.learner = member != nullptr && member->learner;
  model::MemberStatus& status = result.status;
  status.version = base::to_string(it.version);
  status.leader = leads_from_ <= time() ? leader_ : MemberId{};
  status.raft_term = term_;
  status.raft_index = status.raft_applied = index_ - std::min(index_, it.lag);
  status.revision = revision_;
  status.db_size = it.db_size;
  status.db_size_in_use = std::min(it.db_size, kEmptyDb + size_in_use());
  for (const model::Alarm& alarm : alarms_) {
    status.errors.push_back("memberID:" + std::to_string(alarm.member.value) +
                            (alarm.kind == model::AlarmKind::NoSpace ? " alarm:NOSPACE " : " alarm:CORRUPT "));
  }
  if (status.leader.value == 0) status.errors.emplace_back("etcdserver: no leader");
  status.latency = it.latency;
  return answer(call, it).map([&] { return result; });
}

Result<std::vector<model::Alarm>> FakeEtcd::alarms(const std::string& endpoint, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "asking for alarms", false, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  return answer(call, **process).map([&] { return std::vector<model::Alarm>(alarms_.begin(), alarms_.end()); });
}

Result<ports::Hash> FakeEtcd::hash_kv(const std::string& endpoint, std::int64_t revision, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "hashing the keys", false, within};
  const auto process = reach(call, false);
  if (!process) return tl::unexpected(process.error());
  const std::int64_t wanted = revision == 0 ? revision_ : revision;
  if (wanted > revision_)
    return refuse(call, Code::OutOfRange, "etcdserver: mvcc: required revision is a future revision");
  if (wanted < compacted_)
    return refuse(call, Code::OutOfRange, "etcdserver: mvcc: required revision has been compacted");
  std::string text = std::to_string(compacted_);
  for (const Written& each : writes_) {
    if (each.revision <= wanted) text += ";" + line_of(each.revision, each.write);
  }
  return answer(call, **process).map([&] {
    return ports::Hash{header(**process), static_cast<std::uint32_t>(checksum(text)), compacted_};
  });
}

Result<ports::Added> FakeEtcd::add_learner(const std::string& endpoint, const std::vector<std::string>& peer_urls,
                                           Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "adding a learner", true, within};
  const auto process = reach(call, false);
  if (!process) return tl::unexpected(process.error());
  if (peer_urls.empty()) return refuse(call, Code::InvalidArgument, "etcdserver: given member URLs are invalid");
  if (!may_add(**process)) return refuse(call, Code::Unavailable, kUnhealthy);
  const auto with_leader = reach_quorum(call);
  if (!with_leader) return tl::unexpected(with_leader.error());
  if (has_url(peer_urls, {})) return refuse(call, Code::FailedPrecondition, kUrlExists);
  if (std::count_if(members_.begin(), members_.end(), [](const auto& m) { return m.learner; }) >= model::kMaxLearners) {
    return refuse(call, Code::FailedPrecondition, "etcdserver: too many learner members in cluster");
  }
  append();
  const model::ListedMember added{{checksum(peer_urls.front() + std::to_string(++next_id_))}, "", peer_urls, {}, true};
  members_.push_back(added);
  std::sort(members_.begin(), members_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return answer(call, **process).map([&] { return ports::Added{added, members_}; });
}

Result<void> FakeEtcd::promote(const std::string& endpoint, MemberId id, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "promoting " + base::to_string(id), true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  model::ListedMember* member = listed(id);
  if (member == nullptr) return refuse(call, Code::NotFound, kNotFound);
  if (!in_sync(id)) {
    return refuse(call, Code::FailedPrecondition,
                  "etcdserver: can only promote a learner member which is in sync with leader");
  }
  if (!member->learner) {
    return refuse(call, Code::FailedPrecondition, "etcdserver: can only promote a learner member");
  }
  const int after = static_cast<int>(voters()) + 1;
  if (static_cast<int>(started_voters({})) + 1 < model::quorum(after)) return refuse(call, Code::Unknown, kNotStarted);
  append();
  member->learner = false;
  return answer(call, **process);
}

Result<void> FakeEtcd::remove(const std::string& endpoint, MemberId id, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "removing " + base::to_string(id), true, within};
  const auto process = reach(call, false);
  if (!process) return tl::unexpected(process.error());
  const Process& it = **process;
  const model::ListedMember* member = listed(id);
  if (member == nullptr || !member->learner) {
    const int rest = static_cast<int>(voters()) - (member == nullptr ? 0 : 1);
    if (static_cast<int>(started_voters(id)) < model::quorum(rest)) return refuse(call, Code::Unknown, kNotStarted);
    const bool victim_up = member != nullptr && running(id) != nullptr;
    const int active = static_cast<int>(connected_voters(it));
    if (victim_up && active - 1 < 1 + (static_cast<int>(voters()) - 1) / 2)
      return refuse(call, Code::Unavailable, kUnhealthy);
  }
  const auto with_leader = reach_quorum(call);
  if (!with_leader) return tl::unexpected(with_leader.error());
  if (member == nullptr) return refuse(call, Code::NotFound, kNotFound);
  append();
  removed_.insert(id);
  members_.erase(std::find_if(members_.begin(), members_.end(), [&](const auto& m) { return m.id == id; }));
  // Copied: the member that is asked may remove itself.
  const Process asked = it;
  for (Process& each : processes_) {
    if (each.id == id) each.state = State::Stopped;
  }
  elect();
  return answer(call, asked);
}

Result<void> FakeEtcd::update_peer_urls(const std::string& endpoint, MemberId id,
                                        const std::vector<std::string>& peer_urls, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "changing the peer URLs of " + base::to_string(id), true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  model::ListedMember* member = listed(id);
  if (member == nullptr) return refuse(call, Code::NotFound, kNotFound);
  if (has_url(peer_urls, id)) return refuse(call, Code::FailedPrecondition, kUrlExists);
  append();
  member->peer_urls = peer_urls;
  if (model::member_update_makes_learner_a_voter((*process)->version)) member->learner = false;
  elect();
  return answer(call, **process);
}

Result<void> FakeEtcd::move_leader(const std::string& endpoint, MemberId to, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "moving leadership to " + base::to_string(to), true, within};
  const auto process = reach(call, false);
  if (!process) return tl::unexpected(process.error());
  if ((*process)->id != leader_ || leads_from_ > time()) {
    return refuse(call, Code::FailedPrecondition, "etcdserver: not leader");
  }
  const model::ListedMember* member = listed(to);
  if (member == nullptr || member->learner) {
    return refuse(call, Code::FailedPrecondition, "etcdserver: bad leader transferee");
  }
  if (to == leader_) return answer(call, **process);
  const Process* target = running(to);
  if (target == nullptr || target->has_lag) return too_late(call);
  expire();
  leader_ = to;
  leads_from_ = time();
  for (auto& [lease, granted] : leases_) granted.ends = leads_from_ + granted.ttl;
  ++term_;
  append();
  return answer(call, **process);
}

Result<void> FakeEtcd::compact(const std::string& endpoint, std::int64_t revision, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "compacting to revision " + std::to_string(revision), true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  if (revision <= compacted_) {
    return refuse(call, Code::OutOfRange, "etcdserver: mvcc: required revision has been compacted");
  }
  if (revision > revision_) {
    return refuse(call, Code::OutOfRange, "etcdserver: mvcc: required revision is a future revision");
  }
  append();
  compacted_ = revision;
  return answer(call, **process);
}

Result<void> FakeEtcd::defragment(const std::string& endpoint, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "defragmenting", true, within};
  const auto process = reach(call, false);
  if (!process) return tl::unexpected(process.error());
  (*process)->db_size = kEmptyDb + size_in_use();
  return answer(call, **process);
}

Result<void> FakeEtcd::disarm(const std::string& endpoint, model::Alarm alarm, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "disarming an alarm", true, within};
  const auto process = reach_quorum(call);
  if (!process) return tl::unexpected(process.error());
  alarms_.erase(alarm);
  append();
  return answer(call, **process);
}

Result<ports::Answered> FakeEtcd::snapshot(const std::string& endpoint, const Sink& sink, Duration within) {
  const std::lock_guard lock(mutex_);
  const Call call{endpoint, "taking a snapshot", false, within};
  const auto process = reach(call, true);
  if (!process) return tl::unexpected(process.error());
  const model::ListedMember* member = listed((*process)->id);
  if (member != nullptr && member->learner && !model::learner_sends_snapshots((*process)->version)) {
    return refuse(call, Code::Unavailable, "etcdserver: rpc not supported for learner");
  }
  std::string db(static_cast<std::size_t>(kEmptyDb), '\0');
  for (const Written& each : writes_) db += line_of(each.revision, each.write) + "\n";
  const std::string hash = raw_sha256(db);
  for (const std::string& piece : {db, hash}) {
    if (sink(piece)) continue;
    return tl::unexpected(base::Error{base::ErrorKind::Refused,
                                      call.doing + " at " + endpoint + ": whoever receives it stopped",
                                      "the reason is where the bytes went"});
  }
  return answer(call, **process).map([&] { return header(**process); });
}

}  // namespace quorate::fakes
