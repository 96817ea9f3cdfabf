// What people say to the agents of this process, and what these have seen.
#include "reconciler/cli/crew.h"
#include "reconciler/model/records.h"

namespace quorate::cli {
namespace {

constexpr base::Duration kWrite{3000};
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

base::Result<std::string> Crew::keep(const std::string& key, std::optional<std::string> value) {
  const Latest latest = next(0, kWrite);
  const std::string endpoint = model::serving_endpoint(latest.pass.observed);
  if (endpoint.empty()) return std::string();
  ports::Txn txn;
  txn.then = {{key, std::move(value), 0}};
  const auto answer = etcd_->transact(endpoint, txn, kWrite);
  if (!answer) return tl::unexpected(answer.error());
  wake_all("said");
  return std::string("etcd");
}

base::Result<std::string> Crew::allow(const model::Allowed& said) {
  const base::ClusterId cluster = cluster_of(next(0, kWrite).pass.observed);
  model::Allowed allowed = said;
  allowed.cluster = cluster;
  auto kept = keep(model::allowed_key(allowed.what, allowed.denied), model::allowed_value(cluster, allowed));
  if (!kept || !kept->empty()) return kept;
  const std::lock_guard lock(mutex_);
  allowed_.push_back(allowed);
  for (const auto& [member, agent] : agents_) agent->heed(allowed_, paused_);
  return std::string("this node");
}

base::Result<std::string> Crew::pause(const std::optional<model::Paused>& paused) {
  const base::ClusterId cluster = cluster_of(next(0, kWrite).pass.observed);
  auto kept =
      keep(std::string(model::kPauseKey), paused ? std::optional(model::paused_value(cluster, *paused)) : std::nullopt);
  if (!kept) return kept;
  const std::lock_guard lock(mutex_);
  const bool here = kept->empty();
  paused_ = here ? paused : std::nullopt;
  for (const auto& [member, agent] : agents_) agent->heed(allowed_, paused_);
  return here ? std::string("this node") : *kept;
}

void Crew::wake_all(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  for (const auto& [member, agent] : agents_) agent->wake(reason);
}

}  // namespace quorate::cli
