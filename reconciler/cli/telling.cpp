// Symbols and words are those of the plan, so that every line can be found there.
#include "reconciler/cli/telling.h"

#include <cstdio>

#include <unistd.h>

#include "reconciler/cli/commands.h"
#include "reconciler/cli/failure.h"
#include "reconciler/cli/progress.h"
#include "reconciler/cli/wiring.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::cli {
namespace {

using base::Json;
using model::ExitCode;

constexpr base::Duration kFrame{200};
constexpr std::size_t kTitle = 48;  // in characters
constexpr std::size_t kWidth = 100;
constexpr const char* kClear = "\r\x1b[K";

std::string event_line(const char* type, const Json& more) {
  Json event = {{"type", type}, {"at", base::to_string(now())}};
  event.update(more);
  return report::safe_json(event.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

// "14:06:43Z"
std::string moment() {
  const std::string time = base::to_string(now());
  const auto at = time.find('T');
  return at == std::string::npos ? time : time.substr(at + 1);
}

std::string seconds(base::Duration span) {
  const auto tenths = (span.count() + 50) / 100;
  if (tenths >= 600) return base::age_text(span);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

void print_summary(ExitCode code, const std::string& why) {
  print(event_line("summary", {{"exit_code", static_cast<int>(code)}, {"why", why}}), ExitCode::Ok);
}

std::string now_words(const Course& course) {
  const auto& last = course.last();
  if (!last) return "nobody has answered";
  return last->quorum ? report::quorum_words(*last->quorum) : "no member list is known";
}

}  // namespace

bool tells_events(const Arguments& arguments) {
  return arguments.output == "ndjson";
}

void begin_events(const Arguments& arguments) {
  if (!tells_events(arguments)) return;
  print(event_line("version", {{"format_version", "1.0"}, {"quorate", kVersion}}), ExitCode::Ok);
}

void tell_notices(const model::Gated& gated) {
  const auto tell = [](std::string_view level, const std::string& message, const std::string& help) {
    print(event_line("diagnostic", {{"level", level}, {"message", message}, {"help", help}}), ExitCode::Ok);
  };
  if (const std::string line = report::headline(gated); !line.empty()) tell("warning", line, "quorate plan");
  for (const model::Notice& notice : gated.plan.notices) {
    if (notice.level != model::Notice::Level::Info) tell(model::name_of(notice.level), notice.text, notice.help);
  }
}

ExitCode end_early(const Arguments& arguments, const base::Error& why, ExitCode code) {
  complain(why, code);
  if (!tells_events(arguments)) return code;
  print(event_line("diagnostic", {{"level", "error"}, {"message", why.message}, {"help", why.help}}), ExitCode::Ok);
  print_summary(code, why.message);
  return code;
}

ExitCode end_early(const Arguments& arguments, ExitCode code) {
  if (tells_events(arguments)) print_summary(code, "");
  return code;
}

Telling::Telling(const Arguments& arguments, const model::Plan& plan)
    : plan_(plan),
      events_(tells_events(arguments)),
      quiet_(arguments.quiet),
      terminal_(!events_ && ::isatty(STDOUT_FILENO) == 1),
      interval_(progress_interval()) {}

std::string Telling::title(std::size_t step) const {
  return report::printable(report::step_sentence(plan_.steps[step]));
}

std::string Telling::mark(std::size_t step) const {
  return "[" + std::to_string(step + 1) + "/" + std::to_string(plan_.steps.size()) + "]";
}

void Telling::event(const char* type, Json more) const {
  more["plan"] = plan_.id;
  print(event_line(type, more), ExitCode::Ok);
}

void Telling::say(const std::string& text) {
  const std::string before = open_line_ ? kClear : "";
  open_line_ = false;
  written_ = print(before + text + "\n", ExitCode::Ok) == ExitCode::Ok && written_;
}

void Telling::show_in_place(const std::string& text) {
  open_line_ = true;
  std::fputs((kClear + report::shortened(text, kWidth)).c_str(), stdout);
  std::fflush(stdout);
}

void Telling::tell(const CourseNews& news, base::Duration now) {
  told_at_ = now;
  const model::Step& step = plan_.steps[news.step];
  if (events_) {
    Json more = {{"n", news.step + 1}, {"of", plan_.steps.size()}, {"step", step.id}, {"title", title(news.step)}};
    if (news.took) more["took_ms"] = news.took->count();
    if (news.what == CourseNews::What::Failed) more["message"] = news.text;
    const char* type = news.what == CourseNews::What::Began  ? "step_start"
                       : news.what == CourseNews::What::Done ? "step_done"
                                                             : "step_failed";
    return event(type, std::move(more));
  }
  if (quiet_) return;
  const std::string took = news.took ? seconds(*news.took) : "";
  if (terminal_) {
    const std::string start =
        mark(news.step) + " " + report::padded(report::shortened(title(news.step), kTitle), kTitle);
    if (news.what == CourseNews::What::Began) return show_in_place(start);
    if (news.what == CourseNews::What::Done) return say(start + "  done  " + took);
    return say(start + "  failed  " + report::printable(news.text));
  }
  const std::string start = moment() + " " + mark(news.step) + " " + title(news.step) + ": ";
  if (news.what == CourseNews::What::Began) return say(start + "started");
  if (news.what == CourseNews::What::Done) return say(start + (took.empty() ? "done" : "done in " + took));
  say(start + "failed: " + report::printable(news.text));
}

void Telling::beat(const Course& course, base::Duration now) {
  if (!course.running() || (quiet_ && !events_)) return;
  if (told_at_ && now - *told_at_ < (terminal_ ? kFrame : interval_)) return;
  line(course, now);
}

void Telling::line(const Course& course, base::Duration now) {
  told_at_ = now;
  const auto step = course.running();
  if (!step) {
    if (!events_)
      say(moment() + " " + std::to_string(course.done()) + " of " + std::to_string(course.size()) + " steps are done");
    return;
  }
  const base::Duration since = course.running_for(now);
  const std::string waits = report::printable(course.waits());
  if (events_) {
    return event("step_progress", {{"n", *step + 1},
                                   {"of", course.size()},
                                   {"step", plan_.steps[*step].id},
                                   {"title", title(*step)},
                                   {"elapsed_ms", since.count()},
                                   {"waits", course.waits()}});
  }
  const std::string more = seconds(since) + (waits.empty() ? "" : ", waiting for " + waits);
  if (terminal_) {
    show_in_place(mark(*step) + " " + report::padded(report::shortened(title(*step), kTitle), kTitle) + "  " + more);
  } else {
    say(moment() + " " + mark(*step) + " " + title(*step) + ": " + more);
  }
}

void Telling::remark(const std::string& level, const std::string& text, const std::string& help) {
  if (events_) return event("diagnostic", {{"level", level}, {"message", text}, {"help", help}});
  if (open_line_) std::fputs("\n", stdout);
  open_line_ = false;
  talk(report::printable(text));
  if (!help.empty()) talk("  " + report::printable(help));
}

std::string Telling::list(const Course& course, Course::State state) const {
  std::string text;
  for (std::size_t i = 0; i < course.size(); ++i) {
    if (course.state(i) != state) continue;
    text += (text.empty() ? "" : "\n               ") + std::to_string(i + 1) + " " + title(i);
  }
  return text;
}

ExitCode Telling::end(const Course& course, const CourseEnd& end, const std::string& next) {
  if (events_) {
    Json done = Json::array();
    Json left = Json::array();
    for (std::size_t i = 0; i < course.size(); ++i) {
      (course.state(i) == Course::State::Done ? done : left).push_back(plan_.steps[i].id);
    }
    event("summary", {{"exit_code", static_cast<int>(end.code)},
                      {"why", end.why},
                      {"done", done},
                      {"not_done", left},
                      {"now", now_words(course)},
                      {"next", next}});
    return end.code;
  }
  if (open_line_) std::fputs("\n", stdout);
  open_line_ = false;
  if (end.code == ExitCode::Ok) {
    const ExitCode code = print("Done: " + plan_.cluster + " is as the file says.\n", ExitCode::Ok);
    return written_ ? code : ExitCode::Failed;
  }
  const auto step = course.running();
  const std::size_t at = step ? *step + 1 : std::min(course.done() + 1, course.size());
  talk("Stopped at step " + std::to_string(at) + " of " + std::to_string(course.size()) + ": " +
       report::printable(end.why) + ".");
  const auto row = [&](const char* name, Course::State state) {
    if (const std::string steps = list(course, state); !steps.empty()) talk(std::string("  ") + name + steps);
  };
  row("done         ", Course::State::Done);
  row("under way    ", Course::State::Running);
  row("failed       ", Course::State::Failed);
  row("not started  ", Course::State::Left);
  talk("  now          " + now_words(course));
  if (!next.empty()) talk(next);
  return end.code;
}

}  // namespace quorate::cli
