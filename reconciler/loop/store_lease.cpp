// Taken in one transaction, renewed by whoever works, given back at the end; what is never given back ends by itself.
#include "reconciler/loop/store_lease.h"

#include <utility>

#include "reconciler/loop/agent_view.h"
#include "reconciler/model/records.h"
#include "reconciler/model/rules.h"

namespace quorate::loop {
namespace {

using base::ErrorKind;

constexpr base::Duration kTtl{60000};
constexpr base::Duration kRenewAfter = kTtl / 6;
constexpr base::Duration kTrust = kTtl * 3 / 4;  // counted from before the question, on another clock than etcd's

}  // namespace

StoreLease::StoreLease(ports::EtcdAdmin& etcd, ports::Clock& clock, const std::atomic<bool>& stop, Terms terms)
    : etcd_(etcd), clock_(clock), stop_(stop), terms_(std::move(terms)) {}

StoreLease::~StoreLease() {
  if (lease_ == 0) return;
  for (const std::string& endpoint : terms_.endpoints) {
    if (etcd_.revoke_lease(endpoint, lease_, terms_.within)) return;
  }
}

base::Result<void> StoreLease::take() {
  const std::string& endpoint = terms_.endpoints.front();
  const base::Duration asked = clock_.elapsed();
  const auto lease = etcd_.grant_lease(endpoint, kTtl, terms_.within);
  if (!lease) return tl::unexpected(lease.error());
  lease_ = *lease;
  ports::Txn txn;
  txn.when = {{ports::Compare::What::CreateRevision, std::string(model::kStoreLockKey), 0},
              {ports::Compare::What::ModRevision, std::string(model::kInForceKey), terms_.in_force_revision}};
  txn.then = {{std::string(model::kStoreLockKey), model::note_value(terms_.cluster, terms_.owner), lease_}};
  const auto answer = etcd_.transact(endpoint, txn, terms_.within);
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->done) {
    return tl::unexpected(base::Error{ErrorKind::Conflict,
                                      "another agent works on the store, or another file came into force",
                                      "it is tried again in a moment"});
  }
  asked_ = asked;
  good_until_ = asked + kTrust;
  return {};
}

base::Result<void> StoreLease::ours_again() {
  if (auto ours = still_ours(); ours || stop_) return ours;
  return take();
}

base::Result<void> StoreLease::still_ours() {
  if (stop_) return tl::unexpected(base::Error{ErrorKind::Conflict, "the agent ends", "the next one goes on"});
  const base::Duration now = clock_.elapsed();
  if (now - asked_ < kRenewAfter && now < good_until_) return {};
  return renew();
}

base::Result<void> StoreLease::renew() {
  asked_ = clock_.elapsed();
  for (const std::string& endpoint : terms_.endpoints) {
    const base::Duration asked = clock_.elapsed();
    const auto kept = etcd_.keep_lease_alive(endpoint, lease_, terms_.within);
    if (kept) {
      good_until_ = asked + kTrust;
      return {};
    }
    if (kept.error().kind == ErrorKind::Conflict) {
      good_until_ = {};
      break;
    }
  }
  if (clock_.elapsed() < good_until_) return {};
  return tl::unexpected(
      base::Error{ErrorKind::Conflict, "the store may be another agent's by now", "it is tried again in a moment"});
}

StoreLease::Terms lease_terms(const AgentView& view, const std::string& member, base::Duration within) {
  return {model::serving_endpoints(view.observed, member), view.observed.membership->cluster, member,
          view.agents.records ? view.agents.records->in_force.mod_revision : 0, within};
}

}  // namespace quorate::loop
