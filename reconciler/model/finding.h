// One thing that is wrong with a file: which rule, where, what was found, what was expected, what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/codes.h"
#include "reconciler/model/source.h"

namespace quorate::model {

// A place in a text together with its line, so that a finding outlives the text. Secrets in the line are masked.
struct Excerpt {
  Span span;
  std::string line;  // at most a few hundred characters around the place
  int caret = 1;     // where the place stands in `line`, from 1; not span.at.column where the line was cut or masked
  std::string note;  // stands beside the caret: "expected a quoted version", "first used here"
};

struct Finding {
  Code code = Code::E001;
  std::string file;
  Excerpt place;                 // span.at.line == 0: the file as a whole
  std::vector<Excerpt> related;  // other places that belong to it
  std::string message;           // one sentence without a full stop
  std::vector<std::string> help;
  std::string path;  // the field, e.g. "members.etcd-b.address"; names the finding when lines move
};

// By place within the file; findings at one place keep their order.
void sort_by_place(std::vector<Finding>& findings);

bool has_errors(const std::vector<Finding>& findings);

}  // namespace quorate::model
