// Where bytes go, piece by piece: the stages of a stream are sinks that know the next one.
#pragma once

#include <string_view>

#include "reconciler/base/result.h"

namespace quorate::codec {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  virtual base::Result<void> write(std::string_view bytes) = 0;
  // Once, behind the last byte. A stage finishes the next one when all is well with its own part, and not otherwise.
  virtual base::Result<void> finish() = 0;
};

// Lets everything go.
class Nowhere final : public Sink {
 public:
  base::Result<void> write(std::string_view /*bytes*/) override { return {}; }
  base::Result<void> finish() override { return {}; }
};

}  // namespace quorate::codec
