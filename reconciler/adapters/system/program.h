// Runs a small program to its end: input in, output out, killed when it takes too long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/units.h"

namespace quorate::adapters::system {

struct Finished {
  int status = 0;  // exit code; 128 + the signal that ended it
  std::string out;
  std::string err;
};

// Of processes. Own: what the program starts ends with it. Ours: it may use the terminal, and Ctrl-C reaches it as it
// reaches us.
enum class Group { Own, Ours };

// argv[0] is a path, or a name that is looked up in PATH. No shell is involved; the program gets our environment.
// Invalid: there is no such program. Transient: it could not be started. Ambiguous: it was killed because it took
// longer than `within` or wrote more than 16 MiB; what it did before is not known.
base::Result<Finished> run_program(std::vector<std::string> argv, std::string_view input, base::Duration within,
                                   Group group = Group::Own);

}  // namespace quorate::adapters::system
