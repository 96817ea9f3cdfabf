// Threads that work on the side as long as their owner lives.
#pragma once

#include <cstddef>
#include <memory>

#include "reconciler/codec/workers.h"

namespace quorate::adapters::system {

// 0: one for each processor, at most four. Fewer where the system gives no more; none at all works, too.
std::unique_ptr<codec::Workers> make_workers(std::size_t threads = 0);

}  // namespace quorate::adapters::system
