// Whether an agent's answer is one to our question, and whether two agents answer for one member in turn.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/model/agent_report.h"

namespace quorate::model {

struct Question {
  std::string cluster;
  std::string member;
  std::string nonce;
};

// Remembers who answered before; not thread-safe.
class AnswerCheck {
 public:
  // Nothing: the answer is believed. `now` is on the clock that nobody sets. An agent that was started anew is welcome;
  // one that comes back after another has answered in its place is the second of two, and then neither counts until one
  // alone has answered for a while.
  std::optional<base::Error> problem(const Question& question, const AgentReport& report, base::Duration now);

 private:
  struct Lives {
    std::string boot;
    std::vector<std::string> earlier;
    std::optional<base::Duration> both_seen;
  };

  std::map<std::pair<std::string, std::string>, Lives> lives_;  // by cluster and member
};

}  // namespace quorate::model
