// Fetched, tried out, compared, recorded.
#include "reconciler/backup/test_restore.h"

#include <utility>

#include "reconciler/backup/fetch.h"
#include "reconciler/base/version.h"

namespace quorate::backup {
namespace {

bool same_minor(const std::string& a, const std::string& b) {
  const auto first = base::parse_version(a.substr(0, a.find_first_of("-+")));
  const auto second = base::parse_version(b.substr(0, b.find_first_of("-+")));
  return first && second && first->minor == second->minor;
}

// What came out against what was recorded; empty: they agree.
std::string contradiction(const model::BackupFacts& facts, const ports::Tried& tried) {
  if (facts.revision_exact && tried.revision != facts.revision) {
    return "restored, it is at revision " + std::to_string(tried.revision) + ", and " + std::to_string(facts.revision) +
           " was recorded";
  }
  if (facts.keys && tried.keys != *facts.keys) {
    return "restored, it has " + std::to_string(tried.keys) + " keys, and " + std::to_string(*facts.keys) +
           " were recorded";
  }
  // A compaction between the hash and the snapshot changes the one and not the other.
  const bool comparable = facts.hash && same_minor(facts.etcd_version, tried.version) &&
                          facts.hash->compact_revision == tried.compact_revision;
  if (comparable && facts.hash->hash != tried.hash) {
    return "restored, its keys at revision " + std::to_string(facts.hash->revision) + " have the hash " +
           std::to_string(tried.hash) + ", and " + std::to_string(facts.hash->hash) + " was recorded";
  }
  return {};
}

}  // namespace

Outcome<Verified> test_restore(const TestRestorePorts& ports, const model::StoredBackup& backup,
                               const TestRestoreOrder& order) {
  Verified verified;
  verified.result.how = model::VerifiedHow::Restore;
  const auto fetched = fetch(ports.store, backup, order.key, &order.into, order.progress, {}, order.may_go_on);
  if (!fetched && fetched.error().trouble != Trouble::BadBackup) return tl::unexpected(fetched.error());
  if (fetched) {
    if (!fetched->has_hash) {
      return failed(Trouble::Refused,
                    {base::ErrorKind::Refused, backup.name + " has no hash of etcd, so a restore of it proves nothing",
                     "look at its checksum instead: quorate backup verify --how checksum"});
    }
    ports::Trial trial = order.trial;
    trial.revision = backup.facts && backup.facts->hash ? backup.facts->hash->revision : 0;
    const auto tried = ports.restorer.try_out(trial, order.within);
    if (!tried && tried.error().kind == base::ErrorKind::Conflict) return failed(Trouble::Refused, tried.error());
    if (!tried && tried.error().kind != base::ErrorKind::Invalid) return failed(Trouble::Local, tried.error());
    if (!tried) verified.result.why = tried.error().message;
    if (tried && backup.facts) verified.result.why = contradiction(*backup.facts, *tried);
  } else {
    verified.result.why = fetched.error().error.message;
  }
  verified.result.fine = verified.result.why.empty();
  verified.result.at = ports.clock.now();
  if (auto may = go_on(order.may_go_on); !may) return tl::unexpected(std::move(may.error()));
  record(ports.store, backup, verified);
  return verified;
}

}  // namespace quorate::backup
