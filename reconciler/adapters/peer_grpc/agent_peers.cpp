// Questions to all peers at once under one deadline, and what is believed of the answers.
#include "reconciler/adapters/peer_grpc/agent_peers.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "reconciler/adapters/peer_grpc/agent.grpc.pb.h"
#include "reconciler/adapters/peer_grpc/channel.h"
#include "reconciler/adapters/peer_grpc/follower.h"
#include "reconciler/adapters/peer_grpc/limits.h"
#include "reconciler/model/answer_check.h"

namespace quorate::peer_grpc {
namespace {

namespace pb = ::quorate::agent;
using ports::Peer;

constexpr int kNonceDigits = 32;
constexpr std::size_t kMostChannels = 64;

std::string key_of(const Peer& peer) {
  return peer.member + " at " + address_text(peer.address, peer.port);
}

// One question that is under way.
struct Question {
  Peer peer;
  std::string nonce;
  std::shared_ptr<grpc::Channel> channel;
  grpc::ClientContext context;
  pb::Ask ask;
  pb::Answer answer;
  grpc::Status status;
};

class Peers final : public AgentPeers {
 public:
  Peers(PeersOptions options, ports::Clock& clock, ports::Entropy& entropy)
      : plain_(options.tls.empty()),
        credentials_(options.tls),
        changed_(std::move(options.changed)),
        clock_(clock),
        entropy_(entropy) {}
  ~Peers() override { follow({}); }

  std::vector<ports::PeerAnswer> ask(const std::string& cluster, const std::vector<Peer>& peers,
                                     base::Duration within) override;
  void follow(const std::vector<Peer>& peers) override;

 private:
  std::shared_ptr<grpc::Channel> channel_to(const Peer& peer);
  base::Result<model::AgentReport> believed(const std::string& cluster, Question& question, base::Duration within);

  bool plain_;
  Credentials credentials_;
  std::function<void(const std::string&)> changed_;
  ports::Clock& clock_;
  ports::Entropy& entropy_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<grpc::Channel>> channels_;
  model::AnswerCheck check_;
  std::mutex following_;
  std::map<std::string, std::unique_ptr<Follower>> followers_;
};

std::shared_ptr<grpc::Channel> Peers::channel_to(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  if (channels_.size() > kMostChannels) channels_.clear();  // those under way keep theirs
  auto& channel = channels_[key_of(peer)];
  // One that failed pauses before it tries again; the agent may have come back meanwhile.
  if (!channel || channel->GetState(false) == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    channel = make_channel(peer, credentials_);
  }
  return channel;
}

std::vector<ports::PeerAnswer> Peers::ask(const std::string& cluster, const std::vector<Peer>& peers,
                                          base::Duration within) {
  std::vector<ports::PeerAnswer> answers(peers.size());
  std::vector<std::unique_ptr<Question>> questions(peers.size());
  std::mutex mutex;
  std::condition_variable came;
  std::size_t missing = 0;
  const gpr_timespec deadline = deadline_in(within);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    answers[i].member = peers[i].member;
    if (auto problem = problem_of(peers[i], plain_)) {
      answers[i].report = tl::unexpected(std::move(*problem));
      continue;
    }
    auto question = std::make_unique<Question>();
    question->peer = peers[i];
    question->nonce = entropy_.hex(kNonceDigits);
    question->channel = channel_to(peers[i]);
    question->context.set_deadline(deadline);
    question->ask.set_nonce(question->nonce);
    questions[i] = std::move(question);
  }
  missing = static_cast<std::size_t>(
      std::count_if(questions.begin(), questions.end(), [](const auto& question) { return question != nullptr; }));
  for (const auto& question : questions) {
    if (!question) continue;
    pb::Agent::NewStub(question->channel)
        ->async()
        ->Report(&question->context, &question->ask, &question->answer, [&, it = question.get()](grpc::Status status) {
          const std::lock_guard lock(mutex);
          it->status = std::move(status);
          if (--missing == 0) came.notify_all();
        });
  }
  {
    std::unique_lock lock(mutex);
    came.wait(lock, [&] { return missing == 0; });  // gRPC ends each by its deadline
  }
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (questions[i]) answers[i].report = believed(cluster, *questions[i], within);
  }
  return answers;
}

base::Result<model::AgentReport> Peers::believed(const std::string& cluster, Question& question,
                                                 base::Duration within) {
  const Peer& peer = question.peer;
  if (!question.status.ok()) {
    const auto code = question.status.error_code();
    const std::lock_guard lock(mutex_);
    const auto found = channels_.find(key_of(peer));
    const bool may_be_dead = code == grpc::StatusCode::UNAVAILABLE || code == grpc::StatusCode::DEADLINE_EXCEEDED;
    if (may_be_dead && found != channels_.end() && found->second == question.channel) channels_.erase(found);
    return tl::unexpected(explain(peer, question.status, within));
  }
  auto report = model::read_agent_report(question.answer.json(), "the report of " + peer.member);
  if (!report) return report;
  const std::lock_guard lock(mutex_);
  auto problem = check_.problem({cluster, peer.member, question.nonce}, *report, clock_.elapsed());
  if (problem) return tl::unexpected(std::move(*problem));
  return report;
}

void Peers::follow(const std::vector<Peer>& peers) {
  const std::lock_guard lock(following_);
  std::map<std::string, std::unique_ptr<Follower>> next;
  for (const Peer& peer : peers) {
    const std::string key = key_of(peer);
    if (problem_of(peer, plain_) || next.count(key) != 0) continue;
    const auto known = followers_.find(key);
    if (known != followers_.end()) {
      next[key] = std::move(known->second);
      followers_.erase(known);
      continue;
    }
    // A connection of its own: one that only answers questions may be given up at any time.
    next[key] = std::make_unique<Follower>(
        make_channel(peer, credentials_),
        [this, member = peer.member] {
          if (changed_) changed_(member);
        },
        [this](int bound) { return static_cast<int>(entropy_.below(static_cast<std::uint64_t>(bound))); });
    next[key]->start();
  }
  for (const auto& [key, gone] : followers_) gone->stop();
  followers_ = std::move(next);
}

}  // namespace

base::Result<std::unique_ptr<AgentPeers>> make_peers(PeersOptions options, ports::Clock& clock,
                                                     ports::Entropy& entropy) {
  if (auto problem = problem_of(options.tls)) return tl::unexpected(std::move(*problem));
  return std::make_unique<Peers>(std::move(options), clock, entropy);
}

}  // namespace quorate::peer_grpc
