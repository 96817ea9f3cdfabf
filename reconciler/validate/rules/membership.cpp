// Who votes: exactly one way to say it, names that fit the runtime, a number and a spread that survive failures.
#include <algorithm>
#include <map>
#include <string>

#include "reconciler/base/net.h"
#include "reconciler/model/quorum.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/rules/rules.h"

namespace quorate::validate {
namespace {

using model::Code;
using model::Node;

std::string names_of(const model::Desired& desired) {
  std::string names;
  for (const auto& member : desired.members) {
    if (!member.retire) names += (names.empty() ? "" : ", ") + member.name;
  }
  return names;
}

void check_members_or_size(const Context& context) {
  const model::Entry* members = context.root.entry("members");
  const model::Entry* size = context.root.entry("size");
  if (members != nullptr && size != nullptr) {
    auto& finding = context.findings.add(Code::E110, *size->key, "the file has both members and size",
                                         "expected one of the two", "size");
    context.findings.relate(finding, *members->key, "the members are listed here");
  }
  if (members == nullptr && size == nullptr) {
    context.findings
        .add(Code::E100, context.root, "the file says neither members nor size", "expected members: {...}", "members")
        .help.push_back("write  members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}");
  }
  const std::string runtime = context.fields.text_or_default("runtime.type");
  if (size != nullptr && runtime != "kubernetes") {
    context.findings
        .add(Code::E111, *size->key, "size needs runtime kubernetes, the runtime here is " + runtime,
             "expected members with their addresses", "size")
        .help.push_back("only Kubernetes makes members itself; elsewhere people say where each one runs");
  }
}

void check_names(const Context& context) {
  if (!std::holds_alternative<model::KubernetesRuntime>(context.desired().runtime)) return;
  constexpr std::size_t kMostLabel = 63;
  const std::string& name = context.desired().name;
  const Node* at = context.fields.node("name");
  if (at != nullptr && name.size() + std::string_view("-client").size() > kMostLabel) {
    context.findings.add(Code::E106, *at, "name is too long for the Service " + name.substr(0, 20) + "...-client",
                         "expected at most 56 characters with runtime kubernetes", "name");
  }
  if (at != nullptr && !name.empty() && name.front() >= '0' && name.front() <= '9') {
    context.findings.add(Code::E106, *at, "name cannot start with a digit: Kubernetes refuses such a Service",
                         "expected a letter first with runtime kubernetes", "name");
  }
  for (std::size_t i = 0; i < context.draft.places.size(); ++i) {
    const std::string& member = context.desired().members[i].name;
    if (base::is_dns_label(member) || !base::is_dns_subdomain(member) || !context.desired().members[i].managed) {
      continue;
    }
    context.findings.add(Code::E106, *context.draft.places[i].name,
                         "the name " + member + " cannot be a pod's hostname",
                         "expected a name without dots with runtime kubernetes", "members." + member);
  }
}

// During a move old and new voters stand side by side.
bool is_moving(const model::Desired& desired) {
  return desired.adopt && desired.adopt->stage != model::AdoptStage::Done;
}

void check_voters(const Context& context) {
  const int voters = remaining_voters(context);
  if (is_moving(context.desired())) return;
  if (voters < 2 || voters % 2 != 0 || voters > 9) return;  // beyond nine there is a finding already
  const int lost = model::can_lose(voters);
  const model::Entry* at = context.root.entry("members");
  if (at == nullptr) at = context.root.entry("size");
  if (at == nullptr) return;
  context.findings.add(Code::W201, *at->key,
                       std::to_string(voters) + " voters survive " + std::to_string(lost) + " failure" +
                           (lost == 1 ? "" : "s") + ", the same as " + std::to_string(voters - 1) +
                           ", and need one more vote for every write",
                       "expected " + std::to_string(voters - 1) + " or " + std::to_string(voters + 1) + " voters (" +
                           names_of(context.desired()) + ")",
                       at->key->text);
}

void check_zones(const Context& context) {
  const auto& members = context.desired().members;
  std::map<std::string, int> voters_of;
  for (const auto& member : members) {
    if (member.retire) continue;
    if (member.zone.empty()) return;  // a spread that is half said cannot be judged
    ++voters_of[member.zone];
  }
  if (voters_of.size() < 2) return;
  const int voters = remaining_voters(context);
  const model::Entry* at = context.root.entry("members");
  for (const auto& [zone, count] : voters_of) {
    if (count <= model::can_lose(voters) || at == nullptr) continue;
    context.findings.add(Code::W206, *at->key,
                         "zone " + zone + " holds " + std::to_string(count) + " of " + std::to_string(voters) +
                             " voters: losing it loses quorum",
                         "expected at most " + std::to_string(model::can_lose(voters)) + " in one zone", "members");
  }
}

// The key of a field in a member's entry, or the member's name where it is not written.
const Node& key_of(const MemberPlace& place, std::string_view field) {
  const model::Entry* entry = place.value->entry(field);
  return entry != nullptr ? *entry->key : *place.name;
}

void check_managed(const Context& context) {
  for (std::size_t i = 0; i < context.draft.places.size(); ++i) {
    const auto& member = context.desired().members[i];
    if (member.managed || context.root.get("adopt") != nullptr) continue;
    context.findings.add(Code::E123, key_of(context.draft.places[i], "managed"),
                         "no agent manages " + member.name + ", and no cluster is being adopted",
                         "expected adopt in the file, or a member that is managed",
                         "members." + member.name + ".managed");
  }
}

void check_lost(const Context& context) {
  for (std::size_t i = 0; i < context.draft.places.size(); ++i) {
    const auto& member = context.desired().members[i];
    if (!member.lost || (!member.retire && member.managed)) continue;
    const MemberPlace& place = context.draft.places[i];
    auto& finding =
        context.findings.add(Code::E125, key_of(place, "lost"),
                             member.name + (member.retire ? " is lost and is to retire"
                                                          : " is lost, and no agent would start its successor"),
                             "expected one of the two", "members." + member.name + ".lost");
    context.findings.relate(finding, key_of(place, member.retire ? "retire" : "managed"), "said here");
    finding.help.emplace_back(member.lost->id ? "take it out of members and write  lost: [\"" +
                                                    base::to_string(*member.lost->id) + "\"]  at the top level"
                                              : "take it out of members: nothing is left of it");
  }
}

void check_retiring(const Context& context) {
  const model::Entry* at = context.root.entry("members");
  if (at == nullptr || context.desired().members.empty() || remaining_voters(context) > 0) return;
  context.findings.add(Code::E124, *at->key, "every member is to retire", "expected one that stays", "members");
}

}  // namespace

int remaining_voters(const Context& context) {
  const auto& members = context.desired().members;
  return static_cast<int>(
      std::count_if(members.begin(), members.end(), [](const auto& member) { return !member.retire; }));
}

void check_membership(const Context& context) {
  check_members_or_size(context);
  check_names(context);
  check_managed(context);
  check_lost(context);
  check_retiring(context);
  check_voters(context);
  check_zones(context);
}

}  // namespace quorate::validate
