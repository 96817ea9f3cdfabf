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
#include "reconciler/cli/last_valid.h"
#include "reconciler/cli/net_link.h"
#include "reconciler/cli/state.h"
#include "reconciler/model/state_paths.h"
#include "reconciler/report/findings.h"

namespace quorate::cli {
namespace {

class SeatLink final : public PeerLink {
 public:
  explicit SeatLink(std::unique_ptr<local_peers::Seat> seat) : seat_(std::move(seat)) {}
  ports::Peers& peers() override { return *seat_; }
  void changed() override { seat_->changed(); }
  void follow(const loop::Followed& /*followed*/) override {}  // the board knows everybody
  void tend() override {}

 private:
  std::unique_ptr<local_peers::Seat> seat_;
};

// The first thing that is wrong, in one line.
std::string problem_of(const std::vector<model::Finding>& findings) {
  const auto error = std::find_if(findings.begin(), findings.end(),
                                  [](const model::Finding& each) { return model::has_errors({each}); });
  if (error == findings.end()) return "it is wrong";
  const std::string text = report::finding_text(*error, {});
  return text.substr(0, text.find('\n'));
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
  auto read = read_first();
  if (!read) return tl::unexpected(read.error());
  const model::Desired& desired = read->read.followed->desired;
  if (auto connected = connect(desired); !connected) return connected;
  auto said = said_in(*host_, said_path(options_.state_dir, desired.name));
  if (!said) return tl::unexpected(said.error());
  said_ = *std::move(said);
  return follow(*std::move(read));
}

base::Result<Crew::Reading> Crew::read(model::Source source) const {
  Reading reading{source, loop::read_desired(std::move(source), options_.state_dir, adapters::system::zone_file)};
  if (!reading.read.followed) return reading;
  loop::Followed& followed = *reading.read.followed;
  std::string node = node_name(options_.node);
  for (const model::Member& member : followed.desired.members) {
    if (member.name == options_.member) node = member.node;
  }
  auto localized = loop::localize(options_.node, node, options_.state_dir, followed.desired, followed.bundles);
  if (!localized) return tl::unexpected(localized.error());
  return reading;
}

base::Result<Crew::Reading> Crew::read_file() const {
  auto source = read_source(options_.file);
  if (!source) return tl::unexpected(source.error());
  return read(*std::move(source));
}

base::Result<Crew::Reading> Crew::read_first() {
  auto reading = read_file();
  if (!reading) return fall_back(reading.error());
  options_.read(reading->read.findings, reading->read.followed.has_value());
  if (reading->read.followed) return reading;
  return fall_back({base::ErrorKind::Invalid, problem_of(reading->read.findings), "see above"});
}

base::Result<Crew::Reading> Crew::fall_back(const base::Error& why) {
  if (!options_.last_valid_will_do) return tl::unexpected(why);
  auto source = last_valid_of(*host_, options_.state_dir, options_.file);
  if (!source) return tl::unexpected(source.error());
  if (!*source) return tl::unexpected(why);
  auto reading = read(**std::move(source));
  if (!reading) return reading;
  if (!reading->read.followed) return tl::unexpected(why);
  set_problem(why.message);
  events_.say(ports::EventLevel::Warning, why.message + "; the last valid file stays in force");
  return reading;
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

Crew::File Crew::file() const {
  const std::lock_guard lock(mutex_);
  return {source_.value_or(model::Source("", "", "")), problem_};
}

void Crew::set_problem(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  problem_ = problem;
}

base::Result<void> Crew::follow(Reading reading) {
  const std::lock_guard lock(mutex_);
  const auto followed = std::make_shared<const loop::Followed>(*std::move(reading.read.followed));
  if (followed_ && followed->desired.name != followed_->desired.name) {
    return base::invalid(
        "the file names cluster " + followed->desired.name + ", and " + followed_->desired.name + " is kept here",
        "a cluster keeps its name; stop, and start with the other file");
  }
  followed_ = followed;
  source_ = std::move(reading.source);
  if (auto taken = take_over(followed); !taken) return taken;
  if (!options_.last_valid_will_do) return {};
  if (auto kept = keep_last_valid(*host_, options_.state_dir, *source_); !kept) {
    events_.say(
        ports::EventLevel::Warning,
        kept.error().message + "; should the file be wrong when this is started again, nothing keeps the member");
  }
  return {};
}

// By the agents that are here, and by new ones for the members that have none. One that has left the file still has a
// node to be cleaned. The lock is held.
base::Result<void> Crew::take_over(const std::shared_ptr<const loop::Followed>& followed) {
  for (const auto& [member, agent] : agents_) agent->follow(followed);
  for (const model::Member& member : followed->desired.members) {
    const bool here = options_.member.empty() || options_.member == member.name;
    if (!member.managed || !here || agents_.count(member.name) != 0) continue;
    if (auto added = add(member.name); !added) return added;
    if (watch_) watch_->watch_folder(member.data_dir);  // none: it is over
  }
  for (const std::string& member : members_on_disk(*host_, options_.state_dir, followed->desired.name)) {
    const bool here = options_.member.empty() || options_.member == member;
    if (!here || agents_.count(member) != 0) continue;
    if (auto added = add(member); !added) return added;
  }
  return {};
}

base::Result<void> Crew::add(const std::string& member) {
  const Shared shared{*etcd_, *host_, *links_, *clock_, *entropy_, events_};
  MemberAgentOptions options{member,          options_.state_dir,
                             options_.create, options_.keep_members,
                             said_,           [this, member](const loop::Pass& pass) { take(member, pass); }};
  const std::string cluster = followed_->desired.name;
  const MakePeerLink link = [&](ports::Reporter& reporter,
                                std::function<void()> changed) -> base::Result<std::unique_ptr<PeerLink>> {
    if (options_.net) {
      const std::string folder = model::member_folder(options_.state_dir, cluster, member);
      return make_net_link({member, folder, std::move(changed)}, *followed_, reporter, shared);
    }
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
    const std::string member = member_in(path);
    const std::lock_guard lock(mutex_);
    if (MemberAgent* agent = agent_of(member)) agent->wake_all_about("data");
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

MemberAgent* Crew::agent_of(const std::string& member) const {
  const auto agent = agents_.find(member);
  return agent == agents_.end() ? nullptr : agent->second.get();
}

void Crew::wake(const std::string& member, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (MemberAgent* agent = agent_of(member)) agent->wake(reason);
}

void Crew::reread() {
  const std::lock_guard one_at_a_time(reading_);
  const auto before = followed();
  if (!before) return;  // the first one was wrong: this process ends
  auto reading = read_file();
  if (!reading) {
    set_problem(reading.error().message);
    return events_.say(ports::EventLevel::Warning, reading.error().message + "; the last valid file stays in force");
  }
  const loop::Read& read = reading->read;
  if (read.followed && read.followed->digest == before->digest) {
    if (!file().problem.empty()) {
      events_.say(ports::EventLevel::Info, options_.file + " is right again, and says what is followed already");
    }
    return set_problem("");
  }
  options_.read(read.findings, read.followed.has_value());
  if (!read.followed) return set_problem(problem_of(read.findings));
  const auto followed = follow(*std::move(reading));
  set_problem(followed ? "" : followed.error().message);
  if (!followed) events_.say(ports::EventLevel::Error, followed.error().message);
}

}  // namespace quorate::cli
