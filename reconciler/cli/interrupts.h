// Ctrl-C and SIGUSR1 while a command waits for agents: counted, and asked about now and then.
#pragma once

#include <optional>

#include "reconciler/model/exit_code.h"

namespace quorate::cli {

// SIGUSR1 asks for a line from the beginning on; SIGINT and SIGTERM end the process until somebody wants to know of
// them. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  void hold_ends();  // from now on they are counted, and end nothing
  int ends() const;
  model::ExitCode code() const;  // of the first
  bool take_wish();              // whether a line was asked for since the last call
};

}  // namespace quorate::cli
