// Every pass tells all that is left, so that one that was missed is no loss.
#include "reconciler/cli/course.h"

#include <algorithm>
#include <utility>

#include "reconciler/base/words.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kSaid{10000};       // what people have said lasts; an election passes
constexpr base::Duration kLasts{60000};      // a member that starts again holds up the next step meanwhile
constexpr base::Duration kFollowing{10000};  // a new file is read by then

std::string without_key(const std::string& step) {
  return step.substr(0, step.find('@'));
}

const SeenHold* hold_of(const SeenPass& pass, const std::string& step) {
  const auto found =
      std::find_if(pass.held.begin(), pass.held.end(), [&](const SeenHold& hold) { return hold.step == step; });
  return found == pass.held.end() ? nullptr : &*found;
}

// The plan as such, else the step that comes next.
const SeenHold* what_holds(const SeenPass& pass) {
  if (const SeenHold* whole = hold_of(pass, "")) return whole;
  return pass.steps.empty() ? nullptr : hold_of(pass, pass.steps.front());
}

}  // namespace

bool is_same_step(const std::string& shown, const std::string& left) {
  if (shown == left) return true;
  const std::string name = left.substr(0, left.find('/'));
  const bool learns = name == "promote" || name == "move-leader" || name == "write-manifest";
  return learns && without_key(shown) == without_key(left);
}

Course::Course(Ordered ordered)
    : ordered_(std::move(ordered)),
      states_(ordered_.steps.size(), State::Left),
      began_(ordered_.steps.size(), std::nullopt) {}

bool Course::is_left(std::size_t step, const SeenPass& pass) const {
  const std::string& shown = ordered_.steps[step];
  return std::any_of(pass.steps.begin(), pass.steps.end(), [&](const std::string& left) {
    if (left == shown) return true;
    return is_same_step(shown, left) && !base::contains(ordered_.steps, left);
  });
}

std::vector<CourseNews> Course::take(const SeenPass& pass, base::Duration now) {
  std::vector<CourseNews> news;
  if (pass.began < ordered_.told) return news;
  if (!pass.desired_digest.empty() && pass.desired_digest != ordered_.desired_digest) {
    if (!elsewhere_since_) elsewhere_since_ = now;
    return news;
  }
  elsewhere_since_.reset();
  if (pass.plan.empty()) return news;  // something has just changed: what is left is seen next
  last_ = pass;
  waits_ = pass.waits;
  if (frozen_) return news;
  has_begun_ = has_begun_ || !pass.steps.empty();
  // Where nobody can say what comes next, no step is done because it is not shown.
  const bool gives_up = pass.status == "NeedsHuman" && pass.steps.empty();
  if (pass.status != "NeedsObservation" && !gives_up) take_steps(pass, now, news);
  const auto step = running();
  if (step && !pass.failed.empty() && is_same_step(ordered_.steps[*step], pass.step)) {
    states_[*step] = State::Failed;
    if (pass.failed != failure_) news.push_back({CourseNews::What::Failed, *step, pass.failed, std::nullopt});
    failure_ = pass.failed;
  }
  is_done_ = pass.status == "Converged" && pass.steps.empty() && !pass.did && (has_begun_ || !ordered_.restores);
  look_for_trouble(pass, now);
  return news;
}

// Behind the last step of a road that is not shown to its end nobody knows.
void Course::take_steps(const SeenPass& pass, base::Duration now, std::vector<CourseNews>& news) {
  std::size_t known = states_.size();
  while (pass.ends_early && known > 0 && !is_left(known - 1, pass)) --known;
  bool first = true;
  for (std::size_t i = 0; i < known; ++i) {
    if (states_[i] == State::Done) continue;
    if (!is_left(i, pass)) {
      states_[i] = State::Done;
      const auto took = began_[i] ? std::optional(now - *began_[i]) : std::nullopt;
      news.push_back({CourseNews::What::Done, i, "", took});
    } else if (std::exchange(first, false) && states_[i] == State::Left) {
      states_[i] = State::Running;
      began_[i] = now;
      failure_.clear();
      news.push_back({CourseNews::What::Began, i, "", std::nullopt});
    }
  }
}

void Course::look_for_trouble(const SeenPass& pass, base::Duration now) {
  for (const std::string& step : pass.denied) {
    stopped_ = CourseEnd{ExitCode::NeedsApproval, "somebody said no to " + step};
  }
  // One that was given up before may well succeed now that somebody has looked at it.
  if (pass.given_up && !pass.failed.empty() && !pass.steps.empty()) {
    stopped_ = CourseEnd{ExitCode::Failed, pass.failed + "; it has been tried long enough"};
  }
  const auto trouble = trouble_in(pass);
  if (!trouble) return trouble_.reset();
  trouble_ = Trouble{*trouble, trouble_ ? trouble_->since : now};
}

std::optional<CourseEnd> Course::trouble_in(const SeenPass& pass) const {
  const SeenHold* hold = what_holds(pass);
  if (hold != nullptr && !hold->passes) {
    return CourseEnd{static_cast<ExitCode>(hold->exit_code),
                     hold->step.empty() ? hold->text : hold->step + ": " + hold->text};
  }
  if (pass.status == "NeedsHuman" && pass.steps.empty()) {
    const bool says = pass.exit_code != 0;
    return CourseEnd{says ? static_cast<ExitCode>(pass.exit_code) : ExitCode::Failed,
                     pass.notice.empty() ? "a person has to decide" : pass.notice};
  }
  return std::nullopt;
}

std::optional<CourseEnd> Course::end(base::Duration now) const {
  if (is_done_) return CourseEnd{};
  if (stopped_) return stopped_;
  if (trouble_) {
    const ExitCode code = trouble_->end.code;
    const bool said = code == ExitCode::NeedsApproval || code == ExitCode::Busy || code == ExitCode::BadBackup ||
                      code == ExitCode::NoBackup;
    if (now - trouble_->since >= (said ? kSaid : kLasts)) return trouble_->end;
  }
  if (elsewhere_since_ && now - *elsewhere_since_ >= kFollowing) {
    return CourseEnd{ExitCode::Stale, "the agents follow another desired file"};
  }
  return std::nullopt;
}

std::size_t Course::done() const {
  return static_cast<std::size_t>(std::count(states_.begin(), states_.end(), State::Done));
}

std::optional<std::size_t> Course::running() const {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] == State::Running || states_[i] == State::Failed) return i;
  }
  return std::nullopt;
}

base::Duration Course::running_for(base::Duration now) const {
  const auto step = running();
  return step && began_[*step] ? now - *began_[*step] : base::Duration{0};
}

bool Course::is_held_up() const {
  const SeenHold* hold = last_ ? what_holds(*last_) : nullptr;
  return hold != nullptr && !hold->passes;
}

bool Course::goes_on_by_itself() const {
  if (!last_ || last_->steps.empty()) return false;
  return std::all_of(last_->held.begin(), last_->held.end(), [](const SeenHold& hold) { return hold.passes; });
}

}  // namespace quorate::cli
