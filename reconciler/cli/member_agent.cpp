// A pass, then a wait for the next reason to make one.
#include "reconciler/cli/member_agent.h"

#include <mutex>

#include "reconciler/adapters/restorer/restorer.h"
#include "reconciler/adapters/runtimes/process/process_runtime.h"
#include "reconciler/adapters/system/journal.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/adapters/system/notary.h"
#include "reconciler/adapters/system/program_version.h"
#include "reconciler/base/path.h"
#include "reconciler/cli/agent_spool.h"
#include "reconciler/cli/agent_stores.h"
#include "reconciler/model/state_paths.h"

namespace quorate::cli {
namespace {

// Five questions for each of a few members, and all of them at once.
constexpr std::size_t kThreads = 32;
constexpr base::Duration kSameBinary{60000};
constexpr base::Duration kLookingOn{100};
constexpr const char* kPeer = "peer";

// The members of other agents do not live here, even where they share the machine.
class OwnNode final : public ports::Node {
 public:
  OwnNode(std::string member, std::unique_ptr<ports::Node> node, ports::Clock& clock)
      : member_(std::move(member)), node_(std::move(node)), clock_(clock) {}

  bool is_here(const model::Member& member) override { return member.name == member_; }
  base::Result<model::DataDir> data_dir(const std::string& data, const std::string& wal) override {
    return node_->data_dir(data, wal);
  }
  base::Result<std::optional<ports::FileOnNode>> read_file(const std::string& path) override {
    return node_->read_file(path);
  }
  base::Result<model::Process> process_of(const model::Member& member) override { return node_->process_of(member); }
  base::Result<model::Certificate> certificate(const std::string& path, const std::string& use) override {
    return node_->certificate(path, use);
  }
  // To ask a binary for its release is to run it, and each report of this node would.
  base::Result<model::Binary> binary(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    const base::Duration now = clock_.elapsed();
    if (path != asked_ || now - asked_at_ > kSameBinary) {
      answer_ = node_->binary(path);
      asked_ = path;
      asked_at_ = now;
    }
    return answer_;
  }
  base::Result<model::DiskSpace> disk_space(const std::string& path) override { return node_->disk_space(path); }

 private:
  const std::string member_;
  std::unique_ptr<ports::Node> node_;
  ports::Clock& clock_;
  std::mutex mutex_;
  std::string asked_;
  base::Duration asked_at_{};
  base::Result<model::Binary> answer_ = base::invalid("nobody asked");
};

// An agent needs its peers before the peers can be told of it.
class LatePeers final : public ports::Peers {
 public:
  std::vector<ports::PeerAnswer> ask(const std::string& cluster, const std::vector<ports::Peer>& peers,
                                     base::Duration within) override {
    return link_->peers().ask(cluster, peers, within);
  }
  void set(PeerLink& link) { link_ = &link; }

 private:
  PeerLink* link_ = nullptr;
};

base::Result<std::string> version_of(const std::string& program) {
  const auto binary = adapters::system::look_at_binary(program);
  if (!binary) return tl::unexpected(binary.error());
  return binary->version;
}

std::string summary_of(const loop::Pass& pass) {
  std::string text = "pass: " + std::string(model::name_of(pass.plan.gated.plan.status));
  if (!pass.step.empty()) text += ", " + pass.step;
  if (pass.did) text += ", did";
  if (pass.failed) text += ", failed: " + pass.failed->message;
  if (!pass.waits.empty()) text += ", waits for " + pass.waits;
  return text + ", next in " + base::to_string(pass.did ? base::Duration{0} : pass.wait);
}

}  // namespace

// In the order in which they are made; what is asked by others goes first.
struct MemberAgent::Parts {
  std::unique_ptr<OwnNode> node;
  std::unique_ptr<ports::Restorer> restorer;
  std::unique_ptr<ports::Notary> notary;
  std::unique_ptr<ports::Parallel> parallel;
  std::unique_ptr<ports::Journal> journal;
  std::unique_ptr<ports::Runtime> runtime;
  LatePeers peers;
  std::unique_ptr<ports::Spool> spool;
  std::unique_ptr<ports::Stores> stores;  // after the agent: it waits for work that the agent has stopped
  std::unique_ptr<ports::Stores> aside;
  std::unique_ptr<loop::Agent> agent;
  std::unique_ptr<PeerLink> link;
};

MemberAgent::MemberAgent(const Shared& shared, MemberAgentOptions options)
    : shared_(shared), options_(std::move(options)), parts_(std::make_unique<Parts>()) {}

base::Result<std::unique_ptr<MemberAgent>> MemberAgent::start(const Shared& shared, MemberAgentOptions options,
                                                              std::shared_ptr<const loop::Followed> followed,
                                                              const MakePeerLink& make_link) {
  std::unique_ptr<MemberAgent> self(new MemberAgent(shared, std::move(options)));
  const std::string& member = self->options_.member;
  const std::string folder = model::member_folder(self->options_.state_dir, followed->desired.name, member);
  Parts& parts = *self->parts_;
  parts.node = std::make_unique<OwnNode>(member, adapters::system::make_node(), shared.clock);
  parts.restorer =
      adapters::restorer::make_restorer({shared.host, *parts.node, shared.etcd, followed->desired.etcd.binary, ""});
  parts.notary = adapters::system::make_notary();
  parts.parallel = adapters::system::make_parallel(kThreads);
  parts.journal = adapters::system::make_journal(base::join_path(folder, model::kJournalFile));
  adapters::process::Options runtime{member,
                                     base::join_path(folder, "run"),
                                     shared.clock,
                                     shared.entropy,
                                     shared.events,
                                     version_of,
                                     [raw = self.get()] { raw->wake_all_about("process"); }};
  runtime.has_lost_its_log = [raw = self.get()] {
    return raw->parts_->agent && raw->parts_->agent->has_lost_its_log();
  };
  runtime.keep = self->options_.keep_member;
  runtime.patience = followed->desired.stop_timeout;
  parts.runtime = adapters::process::make_process_runtime(std::move(runtime));
  const StoresOf stores{shared.clock,
                        shared.entropy,
                        shared.host,
                        *parts.node,
                        folder,
                        followed->desired.name + "-" + member,
                        [raw = self.get()] { raw->wake("store"); }};
  parts.stores = make_agent_stores(stores);
  parts.aside = make_agent_stores(stores);
  parts.spool = make_agent_spool(*parts.node);
  const loop::AgentPorts ports{shared.etcd,        *parts.node,       shared.host,        *parts.runtime,
                               parts.peers,        shared.links,      *parts.journal,     shared.clock,
                               *parts.parallel,    shared.entropy,    shared.events,      parts.restorer.get(),
                               parts.stores.get(), parts.spool.get(), parts.notary.get(), parts.aside.get()};
  loop::AgentSettings settings;
  settings.member = member;
  settings.state_dir = self->options_.state_dir;
  settings.create = self->options_.create;
  auto agent = loop::Agent::make(ports, settings, followed);
  if (!agent) return tl::unexpected(agent.error());
  parts.agent = *std::move(agent);
  parts.agent->heed(self->options_.said.allowed, self->options_.said.paused);
  auto link = make_link(*parts.agent, [raw = self.get()] { raw->wake(kPeer); });
  if (!link) return tl::unexpected(link.error());
  parts.link = *std::move(link);
  parts.peers.set(*parts.link);
  parts.link->follow(*followed);
  self->tell_through(parts.link.get());
  self->health_every_ = followed->desired.reconcile.health_every;
  self->thread_ = std::thread([raw = self.get()] { raw->run(); });
  return self;
}

MemberAgent::~MemberAgent() {
  stop();
  if (thread_.joinable()) thread_.join();
  tell_through(nullptr);
  parts_->link.reset();
}

void MemberAgent::follow(std::shared_ptr<const loop::Followed> followed) {
  parts_->link->follow(*followed);
  health_every_ = followed->desired.reconcile.health_every;
  parts_->agent->follow(std::move(followed));
  wake("file");
}

void MemberAgent::wake_all_about(const std::string& reason) {
  wake(reason);
  const std::lock_guard lock(told_mutex_);
  if (told_through_ != nullptr) told_through_->changed();
}

void MemberAgent::tell_through(PeerLink* link) {
  const std::lock_guard lock(told_mutex_);
  told_through_ = link;
}

void MemberAgent::heed(std::vector<model::Allowed> allowed, std::optional<model::Paused> paused) {
  parts_->agent->heed(std::move(allowed), std::move(paused));
  wake("heed");
}

// Until something wakes us, the time is up, or our own member is no longer well.
void MemberAgent::rest(const loop::Pass& pass) {
  const base::Duration health = health_every_;
  base::Duration wait = pass.wait;
  while (wait > health) {
    if (!wakeups_.wait(health).empty() || wakeups_.stopped() || !parts_->agent->is_well()) return;
    wait -= health;
  }
  const auto woken = wakeups_.wait(wait);
  if (pass.looks_on) look_on(woken);
}

// Each step of the others is news, and a look for each of them would only slow them down.
void MemberAgent::look_on(std::vector<std::string> woken) {
  const base::Duration end = shared_.clock.elapsed() + kLookingOn;
  while (woken == std::vector<std::string>{kPeer} && shared_.clock.elapsed() < end) {
    woken = wakeups_.wait(end - shared_.clock.elapsed());
  }
}

void MemberAgent::run() {
  while (!wakeups_.stopped()) {
    parts_->link->tend();
    const loop::Pass pass = parts_->agent->pass();
    if (pass.did || pass.news) parts_->link->changed();
    shared_.events.say(ports::EventLevel::Debug, options_.member + ": " + summary_of(pass));
    options_.passed(pass);
    if (!pass.did) rest(pass);
  }
  parts_->agent->end();
}

}  // namespace quorate::cli
