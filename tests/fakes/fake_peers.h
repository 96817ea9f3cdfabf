// Agents that see each other in memory: who is there, who hangs, and which of them the network keeps apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/model/answer_check.h"
#include "reconciler/ports/peers.h"
#include "tests/fakes/fake_clock.h"

namespace quorate::fakes {

// The network of one cluster's agents; one thread. Answers come at once; silence costs the clock the whole deadline.
class FakePeers {
 public:
  using Changed = std::function<void(const std::string& member)>;

  explicit FakePeers(FakeClock& clock) : clock_(clock) {}

  // `me` runs an agent from now on. A second reporter for the same name is the second of two agents: they answer in
  // turn.
  void join(const std::string& me, ports::Reporter& reporter, Changed changed = {}) {
    agents_[me].reporters.push_back(&reporter);
    if (changed) agents_[me].changed = std::move(changed);
    tell_others(me);
  }
  // The process is gone: connections to it are refused at once.
  void leave(const std::string& me) {
    agents_.erase(me);
    tell_others(me);
  }
  void leave(const std::string& me, ports::Reporter& one) {
    auto& reporters = agents_[me].reporters;
    reporters.erase(std::remove(reporters.begin(), reporters.end(), &one), reporters.end());
    if (reporters.empty()) leave(me);
  }

  void hang(const std::string& name) { hung_.insert(name); }
  void resume(const std::string& name) { hung_.erase(name); }
  // Nothing gets from one to the other any more.
  void cut(const std::string& one, const std::string& other) { cut_.insert(std::minmax(one, other)); }
  void mend(const std::string& one, const std::string& other) { cut_.erase(std::minmax(one, other)); }
  void mend_all() {
    cut_.clear();
    hung_.clear();
  }
  // Every answer of `name` is one to another question.
  void replay(const std::string& name, bool on = true) {
    if (on) {
      replayed_.insert(name);
    } else {
      replayed_.erase(name);
    }
  }

  // What `me` reports has changed: the others that it can reach look again.
  void tell_others(const std::string& me) {
    std::vector<Changed> told;
    for (const auto& [name, agent] : agents_) {
      if (name != me && agent.changed && apart(me, name) == Apart::No) told.push_back(agent.changed);
    }
    for (const Changed& tell : told) tell(me);
  }

  // The others as `me` sees them; lives as long as this.
  ports::Peers& peers_of(const std::string& me) {
    auto& view = views_[me];
    if (!view) view = std::make_unique<View>(*this, me);
    return *view;
  }

 private:
  enum class Apart { No, Silent, Refused };
  struct Agent {
    std::vector<ports::Reporter*> reporters;
    std::size_t turn = 0;
    Changed changed;
  };

  class View final : public ports::Peers {
   public:
    View(FakePeers& board, std::string me) : board_(board), me_(std::move(me)) {}

    std::vector<ports::PeerAnswer> ask(const std::string& cluster, const std::vector<ports::Peer>& peers,
                                       base::Duration within) override {
      std::vector<ports::PeerAnswer> answers;
      bool silent = false;
      for (const ports::Peer& peer : peers) {
        answers.push_back({peer.member, board_.answer(me_, cluster, peer, check_)});
        silent = silent || board_.apart(me_, peer.member) == Apart::Silent;
      }
      if (silent) board_.clock_.advance(within);
      return answers;
    }

   private:
    FakePeers& board_;
    std::string me_;
    model::AnswerCheck check_;
  };

  Apart apart(const std::string& from, const std::string& to) const {
    if (cut_.count(std::minmax(from, to)) != 0 || hung_.count(to) != 0) return Apart::Silent;
    return agents_.count(to) == 0 ? Apart::Refused : Apart::No;
  }

  base::Result<model::AgentReport> answer(const std::string& me, const std::string& cluster, const ports::Peer& peer,
                                          model::AnswerCheck& check) {
    const Apart apart_now = apart(me, peer.member);
    if (apart_now != Apart::No) {
      return tl::unexpected(base::Error{
          base::ErrorKind::Transient,
          "the agent of " + peer.member + (apart_now == Apart::Silent ? " does not answer" : ": connection refused"),
          "see whether it runs, and the network between"});
    }
    Agent& agent = agents_.at(peer.member);
    const std::string nonce = "nonce-" + std::to_string(++nonces_);
    ports::Reporter& reporter = *agent.reporters[agent.turn++ % agent.reporters.size()];
    model::AgentReport report = reporter.report(replayed_.count(peer.member) != 0 ? "old" : nonce);
    if (auto problem = check.problem({cluster, peer.member, nonce}, report, clock_.elapsed())) {
      return tl::unexpected(std::move(*problem));
    }
    return report;
  }

  FakeClock& clock_;
  std::map<std::string, Agent> agents_;
  std::map<std::string, std::unique_ptr<View>> views_;
  std::set<std::pair<std::string, std::string>> cut_;
  std::set<std::string> hung_;
  std::set<std::string> replayed_;
  std::uint64_t nonces_ = 0;
};

}  // namespace quorate::fakes
