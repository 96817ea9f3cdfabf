// Hands over to run_program.
#include "reconciler/adapters/system/programs.h"

#include <utility>

namespace quorate::adapters::system {

base::Result<ports::Finished> SystemPrograms::run(const std::vector<std::string>& argv, std::string_view input,
                                                  base::Duration within) {
  auto finished = run_program(argv, input, within, group_);
  if (!finished) return tl::unexpected(std::move(finished.error()));
  return ports::Finished{finished->status, std::move(finished->out), std::move(finished->err)};
}

}  // namespace quorate::adapters::system
