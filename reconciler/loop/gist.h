// What of a node's report the others act upon, and what may change without a step of its agent.
#pragma once

#include <optional>
#include <string>

#include "reconciler/model/observed.h"

namespace quorate::loop {

struct Gist {
  std::optional<model::DataState> data;  // nothing: never seen
  base::MemberId member;
  bool running = false;
  model::RunPhase phase = model::RunPhase::Stopped;
  std::string manifest;
  bool keep = false;
  friend bool operator==(const Gist&, const Gist&) = default;
};

// What could not be seen this time stays as it was `before`: a directory that is written to may be too busy to be read.
Gist gist_of(const model::NodeFacts& facts, const Gist& before);

}  // namespace quorate::loop
