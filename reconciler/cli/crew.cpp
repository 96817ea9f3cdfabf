// Reads the file, makes the agents of its members and of those that have left it, and wakes them when something
// changes.
#include "reconciler/cli/crew.h"

#include <algorithm>

#include "reconciler/adapters/http/links.h"
#include "reconciler/adapters/system/entropy.h"
#include "reconciler/adapters/system/host.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/adapters/system/zones.h"
#include "reconciler/base/path.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/net_link.h"
#include "reconciler/cli/state.h"
#include "reconciler/model/state_paths.h"

namespace quorate::cli {
namespace {

class SeatLink final : public PeerLink {
 public:
  explicit SeatLink(std::unique_ptr<local_peers::Seat> seat) : seat_(std::move(seat)) {}
  ports::Peers& peers() override { return *seat_; }
  void changed() override { seat_->changed(); }
  void follow(const loop::Followed& /*followed*/) override {}  // the board knows everybody

 private:
  std::unique_ptr<local_peers::Seat> seat_;
};

base::Result<loop::Read> read_file_of(const CrewOptions& options) {
  auto source = read_source(options.file);
  if (!source) return tl::unexpected(source.error());
  return loop::read_desired(*std::move(source), options.state_dir, adapters::system::zone_file);
}

}  // namespace

Crew::Crew(CrewOptions options, ports::Events& events, adapters::system::StateLock lock)
    : options_(std::move(options)),
      events_(events),
      lock_(std::move(lock)),
      clock_(adapters::system::make_clock()),
      entropy_(adapters::system::make_entropy()),
      host_(adapters::system::make_host()),
      board_(std::make_unique<local_peers::Board>(*clock_, *entropy_)),
      latest_at_(clock_->elapsed()) {}

base::Result<std::unique_ptr<Crew>> Crew::start(CrewOptions options, ports::Events& events) {
  auto lock = adapters::system::lock_state_dir(options.state_dir);
  if (!lock) return tl::unexpected(lock.error());
  std::unique_ptr<Crew> crew(new Crew(std::move(options), events, *std::move(lock)));
  if (auto begun = crew->begin(); !begun) return tl::unexpected(begun.error());
  return crew;
}

base::Result<void> Crew::begin() {
  links_ =
      http::make_links({options_.access.ca, options_.access.cert, options_.access.key, options_.access.server_name});
  if (auto watched = watch(); !watched) return watched;
  const std::lock_guard reading(reading_);  // a change that the watch sees meanwhile is read after this
  auto read = read_file_of(options_);
  if (!read) return tl::unexpected(read.error());
  options_.read(read->findings, read->followed.has_value());
  if (!read->followed) return base::invalid(options_.file + " is wrong", "see above");
  if (auto connected = connect(read->followed->desired); !connected) return connected;
  return follow(std::make_shared<const loop::Followed>(*std::move(read->followed)));
}

// The agents of this machine all know the same: the pass of one of them is enough for all.
base::Result<void> Crew::connect(const model::Desired& desired) {
  etcd_grpc::Access access = options_.access;
  for (const model::Member& each : desired.members) {
    access.fences.push_back(model::fence_folder(model::member_folder(options_.state_dir, desired.name, each.name)));
  }
  auto etcd = etcd_grpc::connect(std::move(access));
  if (!etcd) return tl::unexpected(etcd.error());
  etcd_ = *std::move(etcd);
  return {};
}

Crew::~Crew() {
  std::unique_ptr<inotify::FileWatch> watch;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [member, agent] : agents_) agent->stop();
    watch = std::move(watch_);
  }
  watch.reset();  // its thread may wait for the lock
  // All at once: each may wait for its etcd to end.
  std::vector<std::thread> ends;
  for (auto& [member, agent] : agents_) {
    ends.emplace_back([agent = std::move(agent)]() mutable { agent.reset(); });
  }
  for (std::thread& end : ends) end.join();
}

std::shared_ptr<const loop::Followed> Crew::followed() const {
  const std::lock_guard lock(mutex_);
  return followed_;
}

// A member that has left the file still has a node to be cleaned.
std::vector<std::string> Crew::members_on_disk() const {
  std::vector<std::string> members;
  const std::string& cluster = followed_->desired.name;
  const auto names = host_->list(base::join_path(options_.state_dir, cluster));
  if (!names || !*names) return members;
  for (const std::string& name : **names) {
    const auto memory = memory_of(options_.state_dir, cluster, name);
    if (memory && *memory && !(*memory)->withdrawn) members.push_back(name);
  }
  return members;
}

base::Result<void> Crew::follow(std::shared_ptr<const loop::Followed> followed) {
  const std::lock_guard lock(mutex_);
  if (followed_ && followed->desired.name != followed_->desired.name) {
    return base::invalid(
        "the file names cluster " + followed->desired.name + ", and " + followed_->desired.name + " is kept here",
        "a cluster keeps its name; stop, and start with the other file");
  }
  followed_ = followed;
  for (const auto& [member, agent] : agents_) agent->follow(followed);
  for (const model::Member& member : followed->desired.members) {
    const bool here = options_.member.empty() || options_.member == member.name;
    if (!member.managed || !here || agents_.count(member.name) != 0) continue;
    if (auto added = add(member.name); !added) return added;
    watch_->watch_folder(member.data_dir);
  }
  for (const std::string& member : members_on_disk()) {
    const bool here = options_.member.empty() || options_.member == member;
    if (!here || agents_.count(member) != 0) continue;
    if (auto added = add(member); !added) return added;
  }
  return {};
}

base::Result<void> Crew::add(const std::string& member) {
  const Shared shared{*etcd_, *host_, *links_, *clock_, *entropy_, events_};
  MemberAgentOptions options{member, options_.state_dir, options_.create, options_.keep_members,
                             [this, member](const loop::Pass& pass) { take(member, pass); }};
  const std::string cluster = followed_->desired.name;
  const MakePeerLink link = [&](ports::Reporter& reporter,
                                std::function<void()> changed) -> base::Result<std::unique_ptr<PeerLink>> {
    if (options_.net) return make_net_link(*followed_, member, reporter, std::move(changed), *clock_, *entropy_);
    auto seat = board_->join(cluster, member, reporter,
                             [changed = std::move(changed)](const std::string& /*who*/) { changed(); });
    if (!seat) return tl::unexpected(seat.error());
    return std::make_unique<SeatLink>(*std::move(seat));
  };
  auto agent = MemberAgent::start(shared, std::move(options), followed_, link);
  if (!agent) return tl::unexpected(agent.error());
  agents_.emplace(member, *std::move(agent));
  return {};
}

base::Result<void> Crew::watch() {
  auto made = inotify::make_file_watch({{options_.file}, {}}, [this](const std::string& path) {
    if (path == options_.file) return reread();
    wake(member_in(path), "data");
  });
  if (!made) return tl::unexpected(made.error());
  const std::lock_guard lock(mutex_);
  watch_ = *std::move(made);
  return {};
}

std::string Crew::member_in(const std::string& data_dir) const {
  const std::lock_guard lock(mutex_);
  if (!followed_) return "";
  for (const model::Member& member : followed_->desired.members) {
    if (member.data_dir == data_dir) return member.name;
  }
  return "";
}

void Crew::wake(const std::string& member, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  const auto agent = agents_.find(member);
  if (agent != agents_.end() && agent->second) agent->second->wake(reason);
}

void Crew::reread() {
  const std::lock_guard reading(reading_);
  const auto before = followed();
  if (!before) return;  // the first one was wrong: this process ends
  auto read = read_file_of(options_);
  if (!read)
    return events_.say(ports::EventLevel::Warning, read.error().message + "; the last valid file stays in force");
  if (read->followed && read->followed->digest == before->digest) return;
  options_.read(read->findings, read->followed.has_value());
  if (!read->followed) return;
  auto followed = follow(std::make_shared<const loop::Followed>(*std::move(read->followed)));
  if (!followed) events_.say(ports::EventLevel::Error, followed.error().message);
}

}  // namespace quorate::cli
