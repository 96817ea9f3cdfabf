// Generated observations: clusters of one to seven members in every state that an observation can show.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/model/observed.h"
#include "tests/support/gen.h"

namespace quorate::support {

// Known with a value that `make` makes, or Unknown for some reason.
template <class Make>
auto any_fact(const Make& make, int unknown_once_in = 4) {
  using Fact = model::Fact<decltype(make())>;
  if (!once_in(unknown_once_in)) return Fact::known(make(), any_time());
  return coin() ? Fact() : Fact::unknown(any_text(), coin() ? any_time() : base::Time{});
}

inline model::MemberStatus any_status(base::MemberId leader, std::uint64_t term, std::uint64_t index) {
  model::MemberStatus status;
  status.version = one_of_these<std::string>({"3.4.23", "3.5.16", "3.5.21", "3.6.4"});
  status.leader = leader;
  status.raft_term = term;
  status.raft_index = index - std::min<std::uint64_t>(index, static_cast<std::uint64_t>(number(0, 2000)));
  status.raft_applied = status.raft_index;
  status.revision = any_whole();
  status.db_size = any_whole();
  status.db_size_in_use = status.db_size / 2;
  status.errors = some(2, any_text);
  status.latency = any_duration();
  return status;
}

inline model::Membership any_membership() {
  model::Membership membership;
  membership.cluster.value = any_id();
  membership.linearizable = coin();
  const int count = number(1, 8);
  std::vector<std::uint64_t> ids;
  while (static_cast<int>(ids.size()) < count) {
    const std::uint64_t id = any_id();
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  // Sometimes nobody leads.
  const base::MemberId leader{once_in(5) ? 0 : ids.front()};
  const std::uint64_t term = any_natural();
  const std::uint64_t index = any_natural();
  for (int i = 0; i < count; ++i) {
    model::ObservedMember member;
    member.listed.id.value = ids[static_cast<std::size_t>(i)];
    member.listed.learner = i > 0 && once_in(6);
    const bool started = !once_in(8);
    const std::string address = "10.0.0." + std::to_string(11 + i);
    if (started) member.listed.name = member_name(i);
    member.listed.peer_urls = {"https://" + address + ":2380"};
    if (once_in(6)) member.listed.peer_urls.push_back("https://192.168.1." + std::to_string(i) + ":2380");
    if (started) member.listed.client_urls = {"https://" + address + ":2379"};
    member.status = any_fact([&] { return any_status(leader, term, index); });
    member.serves = member.status ? any_fact(any_duration) : model::Fact<base::Duration>::unknown("it did not answer");
    member.silent_since = any_fact(any_time, 2);
    membership.members.push_back(std::move(member));
  }
  return membership;
}

inline model::DataDir any_data_dir() {
  model::DataDir data;
  data.state = one_of_these({model::DataState::Fresh, model::DataState::Empty, model::DataState::Valid,
                             model::DataState::Damaged, model::DataState::Foreign});
  data.path = "/var/lib/etcd";
  data.problem = data.state == model::DataState::Damaged ? any_text() : "";
  if (data.state != model::DataState::Fresh && data.state != model::DataState::Empty) {
    data.cluster.value = any_id();
    data.member.value = any_id();
    data.term = any_natural();
    data.commit = any_natural();
    data.last_term = any_natural();
    data.last_index = any_natural();
    data.snapshot_index = any_natural();
    data.torn = coin();
    data.consistent_index = any_natural();
    data.revision = any_whole();
  }
  if (coin()) data.held.value = any_id();
  return data;
}

inline model::NodeFacts any_node(const std::string& member) {
  model::NodeFacts node;
  node.member = member;
  node.data = any_fact(any_data_dir);
  node.manifest = any_fact([] { return model::Manifest{coin() ? digest_text() : ""}; });
  node.process = any_fact([] {
    const bool running = coin();
    return model::Process{running, running ? number(1, 99999) : 0, running ? "3.5.16" : ""};
  });
  node.certificates = any_fact([] {
    return some(3, [] {
      return model::Certificate{"/etc/etcd/tls/peer.crt", one_of_these<std::string>({"client", "peer", "ca"}),
                                any_text(), any_time(), any_time()};
    });
  });
  node.binaries = any_fact([] { return some(2, [] { return model::Binary{"/usr/bin/etcd", "3.5.16"}; }); });
  node.promised = any_fact([] { return coin() ? digest_text() : ""; });
  node.disk = any_fact([] { return model::DiskSpace{"/var/lib/etcd", any_natural(), any_natural()}; });
  return node;
}

inline model::Alarm any_alarm() {
  return {{any_id()}, one_of_these({model::AlarmKind::NoSpace, model::AlarmKind::Corrupt})};
}

// What an observation can hold, read back as it was written.
inline rc::Gen<model::Observed> any_observed() {
  return rc::gen::exec([] {
    model::Observed observed;
    observed.at = any_time();
    observed.by = coin() ? "quorate observe on node-1" : any_text();
    observed.membership = any_fact(any_membership, 8);
    const int count = observed.membership ? static_cast<int>(observed.membership->members.size()) : number(1, 8);
    for (int i = 0; i < count; ++i) {
      model::EndpointAnswer answer;
      answer.endpoint = "https://10.0.0." + std::to_string(11 + i) + ":2379";
      answer.cluster = any_fact([] { return base::ClusterId{any_id()}; });
      answer.member = any_fact([] { return base::MemberId{any_id()}; });
      observed.endpoints.push_back(std::move(answer));
      if (coin()) observed.nodes.push_back(any_node(member_name(i)));
    }
    observed.alarms = any_fact([] { return once_in(3) ? some(2, any_alarm) : std::vector<model::Alarm>(); });
    observed.compact_revision = any_fact(any_whole);
    observed.last_backup = any_fact(any_time);
    observed.backups = any_fact([] {
      model::BackupsSeen seen;
      seen.store = any_text();
      seen.count = number(0, 100);
      seen.newest = any_text();
      seen.revision = any_whole();
      seen.size = any_natural();
      seen.taken = any_time();
      seen.covers = any_time();
      seen.oldest = any_time();
      if (coin()) seen.verified = any_time();
      seen.verified_name = any_text();
      seen.verified_how = coin() ? model::VerifiedHow::Restore : model::VerifiedHow::Checksum;
      seen.damaged = any_text();
      seen.removable = number(0, 100);
      return seen;
    });
    if (coin()) {
      observed.backup_trouble =
          model::BackupTrouble{any_text(), any_time(), any_text(), static_cast<model::StoreTask>(number(0, 4))};
    }
    observed.applied = any_fact([] {
      return model::Applied{digest_text(), some(5, [] { return member_name(number(0, 7)); }), {coin() ? any_id() : 0}};
    });
    observed.last_change = any_fact(any_time);
    observed.heals_of_the_day = any_fact([] { return some(4, any_time); });
    return observed;
  });
}

}  // namespace quorate::support
