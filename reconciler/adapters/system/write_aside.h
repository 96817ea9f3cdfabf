// A sink that is written to beside its stream: what comes is collected, and a thread of its own hands it on, so that
// who makes the bytes need not wait for the disk.
#pragma once

#include <memory>

#include "reconciler/codec/sink.h"

namespace quorate::adapters::system {

// `next` gets the same bytes in the same order, a few MiB later, and never from two threads at once. What it says comes
// back from a later write(), or from finish(), which finishes it when all bytes have arrived; after an error it gets
// nothing more. Without a thread to be had everything is done at once.
std::unique_ptr<codec::Sink> write_aside(std::unique_ptr<codec::Sink> next);

}  // namespace quorate::adapters::system
