// Who answered, who did not and why, and where clients find the members.
#include "reconciler/model/plan_context.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace quorate::model {
namespace {

constexpr base::Duration kValidFor = std::chrono::hours{1};

std::string name_of_member(const ListedMember& member) {
  return member.name.empty() ? base::to_string(member.id) : member.name;
}

// Without the address that stands in front of it anyway.
std::string reason_at(const std::string& endpoint, const std::string& why) {
  const std::size_t at = why.find(endpoint + ": ");
  return at == std::string::npos ? why : why.substr(at + endpoint.size() + 2);
}

bool is_told_already(const PlanContext& context, const std::string& endpoint) {
  return std::any_of(context.silent.begin(), context.silent.end(), [&](const std::string& name) {
    const auto urls = context.client_urls.find(name);
    return urls != context.client_urls.end() &&
           std::find(urls->second.begin(), urls->second.end(), endpoint) != urls->second.end();
  });
}

void add_members(const Membership& membership, PlanContext& context) {
  for (const ObservedMember& member : membership.members) {
    const std::string name = name_of_member(member.listed);
    if (member.status) {
      context.answered.push_back(name);
    } else {
      context.silent.push_back(name);
      std::string why = member.status.why();
      for (const std::string& url : member.listed.client_urls) why = reason_at(url, why);
      context.silence[name] = std::move(why);
    }
    if (!member.listed.client_urls.empty()) context.client_urls.emplace(name, member.listed.client_urls);
  }
  std::sort(context.answered.begin(), context.answered.end());
  std::sort(context.silent.begin(), context.silent.end());
  std::sort(context.answered.begin(), context.answered.end());
  std::sort(context.silent.begin(), context.silent.end());
}

void add_endpoints(const Observed& observed, PlanContext& context) {
  for (const EndpointAnswer& answer : observed.endpoints) {
    if (!answer.cluster) {
      if (!observed.membership || !is_told_already(context, answer.endpoint)) {
        context.silence[answer.endpoint] = reason_at(answer.endpoint, answer.cluster.why());
      }
    } else if (observed.membership && *answer.cluster != observed.membership->cluster) {
      context.silence[answer.endpoint] = "it belongs to another cluster, " + base::to_string(*answer.cluster);
    }
  }
}

}  // namespace

PlanContext context_of(const Desired& desired, const Observed& observed, std::string file_sha256) {
  PlanContext context;
  context.file = desired.file;
  context.sha256 = std::move(file_sha256);
  context.observed_at = observed.at;
  context.observed_by = observed.by;
  context.expires_at = observed.at + kValidFor;
  for (const Member& member : desired.members) {
    for (const base::Url& url : member.client_urls) context.client_urls[member.name].push_back(base::to_string(url));
  }
  if (observed.membership) {
    add_members(*observed.membership, context);
    const ObservedMember* leader = member_of(observed, leader_of(observed));
    if (leader != nullptr && leader->status) context.etcd_version = leader->status->version;
  } else {
    for (const Member& member : desired.members) context.silent.push_back(member.name);
  }
  add_endpoints(observed, context);
  return context;
}

}  // namespace quorate::model
