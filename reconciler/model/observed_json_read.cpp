// The mirror of observed_json_write.cpp; what stands in the text is not believed before it has the right form.
#include <algorithm>
#include <set>

#include "reconciler/model/backups_seen_json.h"
#include "reconciler/model/json_facts.h"
#include "reconciler/model/node_json.h"
#include "reconciler/model/observed_json.h"
#include "reconciler/model/standing_json.h"

namespace quorate::model {
namespace {

base::Time read_time(const JsonPlace& place) {
  return place.time();
}

base::Duration read_milliseconds(const JsonPlace& place) {
  return place.milliseconds();
}

MemberStatus read_status(const JsonPlace& place) {
  MemberStatus status;
  status.version = place.at("version").text();
  status.leader.value = place.at("leader").id_or_null();
  status.raft_term = place.at("raft_term").natural();
  status.raft_index = place.at("raft_index").natural();
  status.raft_applied = place.at("raft_applied").natural();
  status.revision = place.at("revision").whole();
  status.db_size = place.at("db_size").whole();
  status.db_size_in_use = place.at("db_size_in_use").whole();
  status.errors = place.at("errors").texts();
  status.latency = place.at("latency_ms").milliseconds();
  return status;
}

ObservedMember read_member(const JsonPlace& place) {
  ObservedMember member;
  member.listed.id.value = place.at("id").id();
  member.listed.name = place.at("name").text();
  member.listed.peer_urls = place.at("peer_urls").texts();
  member.listed.client_urls = place.at("client_urls").texts();
  member.listed.learner = place.at("learner").truth();
  member.status = read_fact(place, "status", read_status);
  member.serves = read_fact(place, "serves_ms", read_milliseconds);
  member.silent_since = read_fact(place, "silent_since", read_time);
  return member;
}

Membership read_membership(const JsonPlace& place) {
  Membership membership;
  membership.cluster.value = place.at("cluster").id();
  membership.linearizable = place.at("linearizable").truth();
  std::set<base::MemberId> seen;
  place.at("members").each([&](const JsonPlace& item) {
    membership.members.push_back(read_member(item));
    if (!seen.insert(membership.members.back().listed.id).second) item.at("id").fail("stands twice in the list");
  });
  std::sort(membership.members.begin(), membership.members.end(),
            [](const ObservedMember& a, const ObservedMember& b) { return a.listed.id < b.listed.id; });
  return membership;
}

EndpointAnswer read_endpoint(const JsonPlace& place) {
  EndpointAnswer answer;
  answer.endpoint = place.at("endpoint").text();
  answer.cluster = read_fact(place, "cluster", [](const JsonPlace& id) { return base::ClusterId{id.id()}; });
  answer.member = read_fact(place, "member", [](const JsonPlace& id) { return base::MemberId{id.id()}; });
  return answer;
}

void read_nodes(const JsonPlace& place, std::vector<NodeFacts>& nodes) {
  std::set<std::string> seen;
  place.each([&](const JsonPlace& item) {
    nodes.push_back(read_node(item));
    if (!seen.insert(nodes.back().member).second) item.at("member").fail("stands twice in the list");
  });
  std::sort(nodes.begin(), nodes.end(), [](const NodeFacts& a, const NodeFacts& b) { return a.member < b.member; });
}

Restorable read_restorable(const JsonPlace& place) {
  Restorable backup;
  backup.name = place.at("name").text();
  backup.at = place.at("at").time_or_null();
  backup.cluster.value = place.at("cluster").id_or_null();
  backup.term = place.at("term").natural();
  backup.index = place.at("index").natural();
  backup.revision = place.at("revision").whole();
  backup.size = place.at("size").natural();
  backup.sha256 = place.at("sha256").text_or_null();
  if (place.has("etcd_version")) backup.etcd_version = place.at("etcd_version").text_or_null();
  backup.verified = place.has("verified") && place.at("verified").truth();
  backup.auth = place.has("auth") && place.at("auth").truth();
  backup.raw = place.has("raw") && place.at("raw").truth();
  backup.damage = place.at("damage").text_or_null();
  return backup;
}

}  // namespace

base::Result<Observed> read_observed(std::string_view text, std::string_view name) {
  const auto tree = open_document(text, name, "observation");
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  const JsonPlace root(reading);
  Observed observed;
  observed.at = root.at("at").time();
  observed.by = root.at("by").text();
  observed.membership = read_fact(root, "membership", read_membership);
  if (root.has("endpoints")) observed.endpoints = read_list(read_endpoint)(root.at("endpoints"));
  observed.alarms = read_fact(root, "alarms", read_list(read_alarm));
  if (root.has("nodes")) read_nodes(root.at("nodes"), observed.nodes);
  observed.compact_revision =
      read_fact(root, "compact_revision", [](const JsonPlace& number) { return number.whole(); });
  observed.last_backup = read_fact(root, "last_backup", read_time);
  observed.backups = read_fact(root, "backups", read_backups_seen);
  if (root.has("backup_trouble")) observed.backup_trouble = read_backup_trouble(root.at("backup_trouble"));
  if (root.has("backup_awaited")) observed.backup_awaited = root.at("backup_awaited").time();
  if (root.has("store_voters")) observed.store_voters = read_voters(root.at("store_voters"));
  observed.restorable = read_fact(root, "restorable", read_list(read_restorable));
  if (root.has("ordered")) {
    const JsonPlace order = root.at("ordered");
    observed.ordered = RestoreOrder{order.at("backup").text(), order.at("generation").whole()};
  }
  observed.formed = read_fact(root, "formed", read_formed);
  observed.applied = read_fact(root, "applied", read_applied);
  observed.announced = read_fact(root, "announced", read_announced);
  if (root.has("data_check")) {
    const JsonPlace check = root.at("data_check");
    observed.data_check = DataCheck{check.at("revision").whole(), check.at("same").truth(), check.at("text").text()};
  }
  observed.last_change = read_fact(root, "last_change", read_time);
  observed.heals_of_the_day = read_fact(root, "heals_of_the_day", read_list(read_time));
  if (!reading.problem.empty()) {
    return base::invalid(std::string(name) + ": " + reading.problem, "write it anew with quorate observe");
  }
  return observed;
}

}  // namespace quorate::model
