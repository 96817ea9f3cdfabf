// The machine we run on, for those who know only the ports.
#pragma once

#include <cstddef>
#include <memory>

#include "reconciler/ports/clock.h"
#include "reconciler/ports/node.h"
#include "reconciler/ports/parallel.h"

namespace quorate::adapters::system {

std::unique_ptr<ports::Node> make_node();
std::unique_ptr<ports::Clock> make_clock();
// So many jobs at once.
std::unique_ptr<ports::Parallel> make_parallel(std::size_t threads = 16);

}  // namespace quorate::adapters::system
