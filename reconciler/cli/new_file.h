// A file that is there as a whole or not at all, and never in place of another one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "reconciler/adapters/system/descriptor.h"
#include "reconciler/adapters/system/durable.h"
#include "reconciler/codec/sink.h"
#include "reconciler/ports/entropy.h"

namespace quorate::cli {

class NewFile final : public codec::Sink {
 public:
  // Refused: there is such a file already. Its folder has to be there.
  static base::Result<std::unique_ptr<NewFile>> begin(const std::string& path, ports::Entropy& entropy);
  ~NewFile() override;

  base::Result<void> write(std::string_view bytes) override;
  base::Result<void> finish() override;

 private:
  NewFile(adapters::system::Place place, std::string hidden) : place_(std::move(place)), hidden_(std::move(hidden)) {}

  adapters::system::Place place_;
  std::string hidden_;  // its name until it is whole; empty: it has its own
  adapters::system::Descriptor folder_;
  adapters::system::Descriptor file_;
};

}  // namespace quorate::cli
