// The nonce, the names, and the lives of the one who answers.
#include "reconciler/model/answer_check.h"

#include <algorithm>
#include <chrono>

namespace quorate::model {
namespace {

constexpr base::Duration kAlone{std::chrono::seconds{30}};  // as long as one has to answer alone to be believed again
constexpr std::size_t kMostLives = 16;

base::Error two_agents(const std::string& member) {
  return {base::ErrorKind::Conflict, "two agents answer for " + member,
          "stop one of them; what they say counts again when one alone has answered for 30s"};
}

}  // namespace

std::optional<base::Error> AnswerCheck::problem(const Question& question, const AgentReport& report,
                                                base::Duration now) {
  if (report.nonce != question.nonce) {
    return base::Error{base::ErrorKind::Refused, "the answer for " + question.member + " is not one to our question",
                       "it may be an old one that somebody repeats; check what stands between the agents"};
  }
  if (report.cluster != question.cluster) {
    return base::Error{base::ErrorKind::Invalid,
                       "the agent that answers for " + question.member + " belongs to another cluster",
                       "check members." + question.member + ".address and the agents' port"};
  }
  if (report.member != question.member) {
    return base::Error{base::ErrorKind::Invalid,
                       "the agent that answers for " + question.member + " is another member's",
                       "check members." + question.member + ".address and the agents' port"};
  }
  Lives& lives = lives_[{question.cluster, question.member}];
  if (lives.boot.empty()) lives.boot = report.boot;
  if (report.boot != lives.boot) {
    const auto back = std::find(lives.earlier.begin(), lives.earlier.end(), report.boot);
    if (back != lives.earlier.end()) {
      lives.both_seen = now;
      lives.earlier.erase(back);
    }
    lives.earlier.push_back(lives.boot);
    if (lives.earlier.size() > kMostLives) lives.earlier.erase(lives.earlier.begin());
    lives.boot = report.boot;
  }
  if (lives.both_seen && now - *lives.both_seen < kAlone) return two_agents(question.member);
  lives.both_seen.reset();
  return std::nullopt;
}

}  // namespace quorate::model
