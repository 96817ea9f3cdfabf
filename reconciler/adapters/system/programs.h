// The port for running programs, on top of program.h.
#pragma once

#include "reconciler/adapters/system/program.h"
#include "reconciler/ports/programs.h"

namespace quorate::adapters::system {

class SystemPrograms : public ports::Programs {
 public:
  explicit SystemPrograms(Group group = Group::Own) : group_(group) {}

  base::Result<ports::Finished> run(const std::vector<std::string>& argv, std::string_view input,
                                    base::Duration within) override;

 private:
  Group group_;
};

}  // namespace quorate::adapters::system
