// The mirror of observed_json_write.cpp; what stands in the text is not believed before it has the right form.
#include <algorithm>
#include <set>

#include "reconciler/model/json_words.h"
#include "reconciler/model/observed_json.h"

namespace quorate::model {
namespace {

// A fact that does not stand there is one that nobody looked at.
template <class Read>
auto read_fact(const JsonPlace& parent, const char* key, const Read& read) {
  using Value = decltype(read(parent));
  if (!parent.names(key)) return Fact<Value>();
  const JsonPlace place = parent.at(key);
  const base::Time at = place.has("at") ? place.at("at").time() : base::Time{};
  if (place.has("known") == place.has("unknown")) {
    place.fail("must have one of known and unknown");
    return Fact<Value>();
  }
  return place.has("known") ? Fact<Value>::known(read(place.at("known")), at)
                            : Fact<Value>::unknown(place.at("unknown").text(), at);
}

template <class Read>
auto read_list(const Read& read) {
  return [read](const JsonPlace& place) {
    std::vector<decltype(read(place))> all;
    place.each([&](const JsonPlace& item) { all.push_back(read(item)); });
    return all;
  };
}

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

std::string optional_text(const JsonPlace& place, const char* key) {
  return place.has(key) ? place.at(key).text() : "";
}

// What was measured of a directory stands there; what does not apply to its state need not.
DataDir read_data(const JsonPlace& place) {
  DataDir data;
  data.state = one_of(place.at("state"), kDataStates, [](DataState state) { return word_of(state); });
  data.path = optional_text(place, "path");
  data.problem = optional_text(place, "problem");
  if (place.has("cluster")) data.cluster.value = place.at("cluster").id();
  if (place.has("member")) data.member.value = place.at("member").id();
  if (place.has("term")) data.term = place.at("term").natural();
  if (place.has("commit")) data.commit = place.at("commit").natural();
  if (place.has("last_term")) data.last_term = place.at("last_term").natural();
  if (place.has("last_index")) data.last_index = place.at("last_index").natural();
  if (place.has("snapshot_index")) data.snapshot_index = place.at("snapshot_index").natural();
  if (place.has("torn")) data.torn = place.at("torn").truth();
  if (place.has("consistent_index")) data.consistent_index = place.at("consistent_index").natural();
  if (place.has("revision")) data.revision = place.at("revision").whole();
  return data;
}

Manifest read_manifest(const JsonPlace& place) {
  return {place.at("digest").text_or_null()};
}

Process read_process(const JsonPlace& place) {
  return {place.at("running").truth(), place.at("pid").whole(), place.at("version").text_or_null()};
}

Certificate read_certificate(const JsonPlace& place) {
  return {place.at("path").text(), place.at("use").text(), place.at("subject").text(), place.at("not_before").time(),
          place.at("not_after").time()};
}

Binary read_binary(const JsonPlace& place) {
  return {place.at("path").text(), place.at("version").text()};
}

DiskSpace read_disk(const JsonPlace& place) {
  return {place.at("path").text(), place.at("free_bytes").natural(), place.at("total_bytes").natural()};
}

NodeFacts read_node(const JsonPlace& place) {
  NodeFacts node;
  node.member = place.at("member").text();
  node.data = read_fact(place, "data", read_data);
  node.manifest = read_fact(place, "manifest", read_manifest);
  node.process = read_fact(place, "process", read_process);
  node.certificates = read_fact(place, "certificates", read_list(read_certificate));
  node.binaries = read_fact(place, "binaries", read_list(read_binary));
  node.disk = read_fact(place, "disk", read_disk);
  node.promised = read_fact(place, "promised", [](const JsonPlace& text) { return text.text(); });
  return node;
}

Applied read_applied(const JsonPlace& place) {
  const base::ClusterId cluster{place.has("cluster") ? place.at("cluster").id() : 0};
  return {place.at("digest").text(), place.at("members").texts(), cluster};
}

void read_nodes(const JsonPlace& place, std::vector<NodeFacts>& nodes) {
  std::set<std::string> seen;
  place.each([&](const JsonPlace& item) {
    nodes.push_back(read_node(item));
    if (!seen.insert(nodes.back().member).second) item.at("member").fail("stands twice in the list");
  });
  std::sort(nodes.begin(), nodes.end(), [](const NodeFacts& a, const NodeFacts& b) { return a.member < b.member; });
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
  observed.applied = read_fact(root, "applied", read_applied);
  observed.last_change = read_fact(root, "last_change", read_time);
  observed.heals_of_the_day = read_fact(root, "heals_of_the_day", read_list(read_time));
  if (!reading.problem.empty()) {
    return base::invalid(std::string(name) + ": " + reading.problem, "write it anew with quorate observe");
  }
  return observed;
}

}  // namespace quorate::model
