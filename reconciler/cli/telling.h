// How a plan that is carried out is told: lines, one line that changes in place, or events for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/yaml_text.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/cli/course.h"
#include "reconciler/model/verdict.h"

namespace quorate::cli {

bool tells_events(const Arguments& arguments);
// The first event of a stream; nothing where people read.
void begin_events(const Arguments& arguments);
// What the text of a plan says beside its steps: why it may not go ahead, and what somebody should know.
void tell_notices(const model::Gated& gated);
// A command that ends before anything was ordered: what complain() says, and for programs the events.
model::ExitCode end_early(const Arguments& arguments, const base::Error& why, model::ExitCode code);
// The same without a word, where all has been said.
model::ExitCode end_early(const Arguments& arguments, model::ExitCode code);

class Telling {
 public:
  Telling(const Arguments& arguments, const model::Plan& plan);

  void tell(const CourseNews& news, base::Duration now);
  // So often as somebody may want to know: the step that is under way, for how long, and what it waits for.
  void beat(const Course& course, base::Duration now);
  void line(const Course& course, base::Duration now);  // on demand
  void remark(const std::string& level, const std::string& text, const std::string& help = "");
  // What is done, what is not, and what is true now; or the good news alone.
  model::ExitCode end(const Course& course, const CourseEnd& end, const std::string& next);

 private:
  std::string title(std::size_t step) const;
  std::string mark(std::size_t step) const;  // "[2/4]"
  void event(const char* type, base::Json more) const;
  void say(const std::string& text);  // a line of its own
  void show_in_place(const std::string& text);
  std::string list(const Course& course, Course::State state) const;

  const model::Plan& plan_;
  bool events_;
  bool quiet_;
  bool terminal_;
  bool open_line_ = false;  // one that changes in place is on the screen
  base::Duration interval_;
  std::optional<base::Duration> told_at_;
  bool written_ = true;
};

}  // namespace quorate::cli
