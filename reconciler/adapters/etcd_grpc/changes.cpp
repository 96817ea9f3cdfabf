// Revision by revision, each compared with the one before.
#include "reconciler/adapters/etcd_grpc/changes.h"

namespace quorate::etcd_grpc {

namespace {
constexpr std::int64_t kMostRevisions = 96;
}  // namespace

base::Result<bool> changed_elsewhere(std::int64_t since, const ReadPrefix& read) {
  const auto newest = read(0);
  if (!newest) return tl::unexpected(newest.error());
  if (newest->now == since) return false;
  if (newest->now < since || newest->now - since > kMostRevisions) return true;
  std::map<std::string, std::int64_t> before;
  for (std::int64_t revision = since; revision <= newest->now; ++revision) {
    auto at = read(revision);
    if (!at && at.error().kind == base::ErrorKind::Conflict) return true;
    if (!at) return tl::unexpected(at.error());
    if (revision > since && at->keys == before) return true;
    before = std::move(at->keys);
  }
  return false;
}

}  // namespace quorate::etcd_grpc
