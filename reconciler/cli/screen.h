// What a person sees while agents run here: the plan when it is a new one, and the cluster when it has changed.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "reconciler/loop/agent.h"
#include "reconciler/report/style.h"

namespace quorate::cli {

class Screen {
 public:
  explicit Screen(report::Style style) : style_(style) {}

  // From the agents' threads. True: there may be something to print.
  bool take(const std::string& member, const loop::Pass& pass);
  // What has to be printed since the last call; empty: nothing.
  std::string news(const model::Desired& desired, base::Time now);

 private:
  struct Latest {
    model::SavedPlan plan;
    model::Observed observed;
    std::string waits;
  };
  std::string plan_news(const Latest& latest, base::Time now);
  std::string status_news(const Latest& latest, const model::Desired& desired, base::Time now);

  mutable std::mutex mutex_;
  report::Style style_;
  std::map<std::string, Latest> latest_;  // by member
  std::string last_member_;
  std::set<std::string> shown_steps_;  // of the plan on the screen: what is left of it is not shown again
  std::string silence_;                // the step that only waits until a silent member is known to be lost
  base::Time silence_since_{};
  std::string shown_status_;
  std::string waits_;
  base::Time waits_since_{};
  bool waits_shown_ = false;
};

}  // namespace quorate::cli
