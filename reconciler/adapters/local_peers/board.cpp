// A queue of questions per agent, and a thread that answers them.
#include "reconciler/adapters/local_peers/board.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "reconciler/model/answer_check.h"

namespace quorate::local_peers {
namespace {

using base::Result;
using model::AgentReport;
using Name = std::pair<std::string, std::string>;  // cluster, member

constexpr std::size_t kMostWaiting = 64;  // questions to one agent that hangs
constexpr int kNonceDigits = 32;

tl::unexpected<base::Error> silent(const std::string& member, const std::string& how) {
  return tl::unexpected(
      base::Error{base::ErrorKind::Transient, "the agent of " + member + " " + how, "it is asked again next time"});
}

// Of one call of ask(); outlives it where an answer comes too late.
struct Answers {
  std::mutex mutex;
  std::condition_variable came;
  std::vector<std::optional<AgentReport>> reports;
  std::size_t missing = 0;
};

struct Waiting {
  std::string nonce;
  std::size_t place = 0;
  std::shared_ptr<Answers> answers;
};

// The thread that makes one agent's reports.
class Desk {
 public:
  Desk(ports::Reporter& reporter, Changed changed) : reporter_(reporter), changed_(std::move(changed)) {
    thread_ = std::thread([this] { work(); });
  }
  ~Desk() { close(); }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  bool take(Waiting question) {
    const std::lock_guard lock(mutex_);
    if (closed_ || questions_.size() >= kMostWaiting) return false;
    questions_.push_back(std::move(question));
    asked_.notify_one();
    return true;
  }
  void tell(const std::string& member) {
    const std::lock_guard lock(telling_);
    if (changed_) changed_(member);
  }
  // Afterwards neither the reporter nor `changed` is called any more.
  void close() {
    {
      const std::lock_guard lock(telling_);
      changed_ = {};
    }
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    asked_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, [&] { return closed_ || !questions_.empty(); });
      if (closed_) return;
      const Waiting question = std::move(questions_.front());
      questions_.pop_front();
      lock.unlock();
      AgentReport report = reporter_.report(question.nonce);
      const std::lock_guard given(question.answers->mutex);
      question.answers->reports[question.place] = std::move(report);
      if (--question.answers->missing == 0) question.answers->came.notify_all();
    }
  }

  ports::Reporter& reporter_;
  std::mutex telling_;
  Changed changed_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::deque<Waiting> questions_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace

struct Board::State {
  State(ports::Clock& clock_of_all, ports::Entropy& entropy_of_all) : clock(clock_of_all), entropy(entropy_of_all) {}

  std::shared_ptr<Desk> desk_of(const Name& name) {
    const std::lock_guard lock(mutex);
    const auto found = desks.find(name);
    return found == desks.end() ? nullptr : found->second;
  }
  void tell_others(const Name& name) {
    std::vector<std::shared_ptr<Desk>> others;
    {
      const std::lock_guard lock(mutex);
      for (const auto& [other, desk] : desks) {
        if (other.first == name.first && other.second != name.second) others.push_back(desk);
      }
    }
    for (const auto& desk : others) desk->tell(name.second);
  }

  ports::Clock& clock;
  ports::Entropy& entropy;
  std::mutex mutex;
  std::map<Name, std::shared_ptr<Desk>> desks;
};

namespace {

class Place final : public Seat {
 public:
  Place(std::shared_ptr<Board::State> state, Name name, std::shared_ptr<Desk> desk)
      : state_(std::move(state)), name_(std::move(name)), desk_(std::move(desk)) {}

  ~Place() override {
    {
      const std::lock_guard lock(state_->mutex);
      state_->desks.erase(name_);
    }
    desk_->close();
    state_->tell_others(name_);
  }

  void changed() override { state_->tell_others(name_); }

  std::vector<ports::PeerAnswer> ask(const std::string& cluster, const std::vector<ports::Peer>& peers,
                                     base::Duration within) override;

 private:
  std::shared_ptr<Board::State> state_;
  Name name_;
  std::shared_ptr<Desk> desk_;
  std::mutex mutex_;
  model::AnswerCheck check_;
};

std::vector<ports::PeerAnswer> Place::ask(const std::string& cluster, const std::vector<ports::Peer>& peers,
                                          base::Duration within) {
  const auto until = std::chrono::steady_clock::now() + std::clamp(within, base::Duration(0), base::Duration(600000));
  const auto answers = std::make_shared<Answers>();
  answers->reports.resize(peers.size());
  answers->missing = peers.size();
  std::vector<std::string> nonces;
  std::vector<bool> asked;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    nonces.push_back(state_->entropy.hex(kNonceDigits));
    const auto desk = state_->desk_of({cluster, peers[i].member});
    asked.push_back(desk != nullptr && desk->take({nonces[i], i, answers}));
    if (asked.back()) continue;
    const std::lock_guard lock(answers->mutex);
    --answers->missing;
  }
  std::unique_lock lock(answers->mutex);
  answers->came.wait_until(lock, until, [&] { return answers->missing == 0; });
  std::vector<ports::PeerAnswer> result;
  const std::lock_guard checking(mutex_);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const std::string& member = peers[i].member;
    result.push_back({member, silent(member, asked[i] ? "does not answer within " + base::to_string(within)
                                                      : "does not run in this process")});
    if (!answers->reports[i]) continue;
    auto problem = check_.problem({cluster, member, nonces[i]}, *answers->reports[i], state_->clock.elapsed());
    if (problem) {
      result.back().report = tl::unexpected(std::move(*problem));
    } else {
      result.back().report = std::move(*answers->reports[i]);
      answers->reports[i].reset();
    }
  }
  return result;
}

}  // namespace

Board::Board(ports::Clock& clock, ports::Entropy& entropy) : state_(std::make_shared<State>(clock, entropy)) {}

Board::~Board() = default;

Result<std::unique_ptr<Seat>> Board::join(const std::string& cluster, const std::string& member,
                                          ports::Reporter& reporter, Changed changed) {
  const Name name(cluster, member);
  std::shared_ptr<Desk> desk;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->desks.count(name) != 0) {
      return tl::unexpected(base::Error{base::ErrorKind::Conflict,
                                        "this process runs an agent for " + member + " already",
                                        "one agent keeps a member; stop the other"});
    }
    desk = std::make_shared<Desk>(reporter, std::move(changed));
    state_->desks[name] = desk;
  }
  state_->tell_others(name);
  return std::make_unique<Place>(state_, name, std::move(desk));
}

}  // namespace quorate::local_peers
