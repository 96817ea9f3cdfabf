// What people say to the agents of this process, and what these have seen.
#include <optional>
#include <vector>

#include "reconciler/cli/crew.h"
#include "reconciler/model/records.h"

namespace quorate::cli {
namespace {

constexpr base::Duration kWrite{3000};
constexpr base::Duration kAgreed{15000};
// Stopping a member that does not end, and reading a large log on a slow disk.
constexpr base::Duration kLongestPass = std::chrono::minutes{5};

base::ClusterId cluster_of(const model::Observed& observed) {
  return observed.membership ? observed.membership->cluster : base::ClusterId{};
}

}  // namespace

void Crew::take(const std::string& member, const loop::Pass& pass) {
  {
    const std::lock_guard lock(news_mutex_);
    latest_ = Latest{latest_.number + 1, member, pass};
    latest_at_ = clock_->elapsed();
  }
  news_.notify_all();
  options_.passed(member, pass);
  // What the kernel does not report: a mount, a file on another machine.
  const std::lock_guard lock(mutex_);
  if (!watch_) return;
  watch_->look_again();
  if (const std::string problem = watch_->problem(); problem != told_) {
    told_ = problem;
    if (!problem.empty()) events_.say(ports::EventLevel::Warning, problem);
  }
}

Crew::Latest Crew::next(std::uint64_t seen, base::Duration within) const {
  std::unique_lock lock(news_mutex_);
  news_.wait_for(lock, within, [&] { return latest_.number > seen; });
  return latest_;
}

bool Crew::makes_passes() const {
  const base::Duration every = followed()->desired.reconcile.every;
  const std::lock_guard lock(news_mutex_);
  return clock_->elapsed() - latest_at_ < every + kLongestPass;
}

// The first pass to end may have begun before the question; the second of the same agent has not.
base::Result<loop::Pass> Crew::look_again(base::Duration within) {
  std::string first;
  {
    const std::lock_guard lock(mutex_);
    if (agents_.empty()) return base::invalid("no agent runs here", "the file lists no member of this node");
    first = agents_.begin()->first;
  }
  std::uint64_t seen = next(0, within).number;
  int ended = 0;
  while (true) {
    wake(first, "asked");
    const Latest latest = next(seen, within);
    if (latest.number == seen) {
      return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                        "the agent has not finished a look within " + base::to_string(within), ""});
    }
    seen = latest.number;
    if (latest.member == first && ++ended == 2) return latest.pass;
  }
}

base::Result<bool> Crew::keep_in_etcd(const std::string& key, std::optional<std::string> value) {
  const Latest latest = next(0, kWrite);
  const std::string endpoint = model::serving_endpoint(latest.pass.observed);
  if (endpoint.empty()) return false;
  ports::Txn txn;
  txn.then = {{key, std::move(value), 0}};
  const auto answer = etcd_->transact(endpoint, txn, kWrite);
  if (!answer) return tl::unexpected(answer.error());
  return true;
}

Kept Crew::kept(bool in_etcd) const {
  Kept kept{in_etcd ? "etcd" : "this node", clock_->elapsed(), {}};
  for (const auto& [member, agent] : agents_) kept.members.push_back(member);
  return kept;
}

// On disk first: an agent that is started again must not wait for what has been said already.
base::Result<void> Crew::heed(Said said) {
  const auto is_empty = [](const Said& each) { return each.allowed.empty() && !each.paused; };
  if (!is_empty(said) || !is_empty(said_)) {  // what is kept in etcd needs no room on this disk
    const std::string path = said_path(options_.state_dir, followed_->desired.name);
    if (auto kept = keep_said(*host_, path, said, clock_->now()); !kept) return kept;
  }
  said_ = std::move(said);
  for (const auto& [member, agent] : agents_) agent->heed(said_.allowed, said_.paused);
  return {};
}

base::Result<Kept> Crew::allow(const model::Allowed& said) {
  const base::ClusterId cluster = cluster_of(next(0, kWrite).pass.observed);
  model::Allowed allowed = said;
  allowed.cluster = cluster;
  const auto in_etcd =
      keep_in_etcd(model::allowed_key(allowed.what, allowed.denied), model::allowed_value(cluster, allowed));
  if (!in_etcd) return tl::unexpected(in_etcd.error());
  const std::lock_guard lock(mutex_);
  Said all = said_;
  forget(all, allowed);
  if (!*in_etcd) all.allowed.push_back(allowed);
  if (auto heeded = heed(std::move(all)); !heeded) return tl::unexpected(heeded.error());
  return kept(*in_etcd);
}

base::Result<Kept> Crew::pause(const std::optional<model::Paused>& paused) {
  const base::ClusterId cluster = cluster_of(next(0, kWrite).pass.observed);
  const auto in_etcd = keep_in_etcd(std::string(model::kPauseKey),
                                    paused ? std::optional(model::paused_value(cluster, *paused)) : std::nullopt);
  if (!in_etcd) return tl::unexpected(in_etcd.error());
  const std::lock_guard lock(mutex_);
  Said all = said_;
  all.paused = *in_etcd ? std::nullopt : paused;
  if (auto heeded = heed(std::move(all)); !heeded) return tl::unexpected(heeded.error());
  return kept(*in_etcd);
}

base::Result<std::optional<model::Allowed>> Crew::said_of(const std::string& what) {
  const auto pass = look_again(kAgreed);
  if (!pass) return tl::unexpected(pass.error());
  std::vector<model::Allowed> said = pass->records.allowed;
  const std::lock_guard lock(mutex_);
  said.insert(said.end(), said_.allowed.begin(), said_.allowed.end());
  for (auto each = said.rbegin(); each != said.rend(); ++each) {
    if (each->what == what && !each->denied) return *each;
  }
  return std::nullopt;
}

void Crew::wake_all(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  for (const auto& [member, agent] : agents_) agent->wake(reason);
}

}  // namespace quorate::cli
