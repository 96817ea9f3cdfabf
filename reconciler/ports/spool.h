// Where a large file comes into being on this machine: as a whole or not at all.
#pragma once

#include <memory>
#include <string>

#include "reconciler/base/result.h"
#include "reconciler/codec/sink.h"

namespace quorate::ports {

class Spool {
 public:
  Spool() = default;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  virtual ~Spool() = default;

  // It has its name, and is on disk, when finish() has returned; until then what bore that name before is there.
  // Transient: there is no room for so many bytes.
  virtual base::Result<std::unique_ptr<codec::Sink>> begin(const std::string& path, std::uint64_t room) = 0;
};

}  // namespace quorate::ports
