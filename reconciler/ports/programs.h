// Other programs that we run: found by PATH or by an absolute path, never through a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::ports {

struct Finished {
  int status = 0;  // exit code; 128 + the signal that ended it
  std::string out;
  std::string err;
};

class Programs {
 public:
  Programs() = default;
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  virtual ~Programs() = default;

  // Invalid: there is no such program. Another error: it could not be started, took longer than `within`, or wrote too
  // much. A status other than 0 is an answer.
  virtual base::Result<Finished> run(const std::vector<std::string>& argv, std::string_view input,
                                     base::Duration within) = 0;
};

}  // namespace quorate::ports
