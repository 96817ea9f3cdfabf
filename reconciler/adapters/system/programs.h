// The port for running programs, on top of program.h.
#pragma once

#include "reconciler/ports/programs.h"

namespace quorate::adapters::system {

class SystemPrograms : public ports::Programs {
 public:
  base::Result<ports::Finished> run(const std::vector<std::string>& argv, std::string_view input,
                                    base::Duration within) override;
};

}  // namespace quorate::adapters::system
