// Randomness from the kernel.
#pragma once

#include <memory>

#include "reconciler/ports/entropy.h"

namespace quorate::adapters::system {

std::unique_ptr<ports::Entropy> make_entropy();  // thread-safe

}  // namespace quorate::adapters::system
