// What becomes of a plan that was ordered, read off the passes of the agents: which steps are done, and how it ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/cli/seen_pass.h"
#include "reconciler/model/exit_code.h"

namespace quorate::cli {

struct Ordered {
  std::string desired_digest;
  std::vector<std::string> steps;  // IDs, as they were shown
  base::Duration told{};           // when the agents had the order, on their clock
  bool restores = false;           // until it begins everything is as it should be
};

struct CourseNews {
  enum class What { Began, Failed, Done } what = What::Began;
  std::size_t step = 0;
  std::string text;                    // of a failure
  std::optional<base::Duration> took;  // of a step that was seen to begin
};

struct CourseEnd {
  model::ExitCode code = model::ExitCode::Ok;
  std::string why;  // one clause; empty: it is done
};

// A step is another when its key is, but for those that learn theirs on the way: a learner has no ID before it is
// there.
bool is_same_step(const std::string& shown, const std::string& left);

class Course {
 public:
  enum class State { Left, Running, Failed, Done };

  explicit Course(Ordered ordered);
  // `now`: on a clock of the caller's own, here and below.
  std::vector<CourseNews> take(const SeenPass& pass, base::Duration now);
  // Also between passes: what holds it up is an end when it lasts.
  std::optional<CourseEnd> end(base::Duration now) const;

  std::size_t size() const { return ordered_.steps.size(); }
  State state(std::size_t step) const { return states_[step]; }
  std::size_t done() const;
  std::optional<std::size_t> running() const;  // it, or the one that has failed
  base::Duration running_for(base::Duration now) const;
  const std::string& waits() const { return waits_; }
  const std::string& failure() const { return failure_; }
  // From now on only what agents see is taken in: without the order the steps that are left say nothing.
  void freeze() { frozen_ = true; }
  // When the order is taken back: the agents stop before the next step, or they go on without it to the end.
  bool is_held_up() const;
  bool goes_on_by_itself() const;
  const std::optional<SeenPass>& last() const { return last_; }

 private:
  struct Trouble {
    CourseEnd end;
    base::Duration since{};
  };
  bool is_left(std::size_t step, const SeenPass& pass) const;
  void take_steps(const SeenPass& pass, base::Duration now, std::vector<CourseNews>& news);
  void look_for_trouble(const SeenPass& pass, base::Duration now);
  std::optional<CourseEnd> trouble_in(const SeenPass& pass) const;

  Ordered ordered_;
  std::vector<State> states_;
  std::vector<std::optional<base::Duration>> began_;
  bool has_begun_ = false;
  bool is_done_ = false;
  bool frozen_ = false;
  std::optional<CourseEnd> stopped_;  // at once
  std::optional<Trouble> trouble_;    // when it lasts
  std::optional<base::Duration> elsewhere_since_;
  std::string waits_;
  std::string failure_;
  std::optional<SeenPass> last_;
};

}  // namespace quorate::cli
