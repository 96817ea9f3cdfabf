// What of a node's report the others act upon, and what may change without a step of its agent.
#pragma once

#include <optional>
#include <string>

#include "reconciler/model/observed.h"

namespace quorate::loop {

struct Gist {
  std::optional<model::DataState> data;  // nothing: unknown
  base::MemberId member;
  bool running = false;
  model::RunPhase phase = model::RunPhase::Stopped;
  std::string manifest;
  bool keep = false;
  friend bool operator==(const Gist&, const Gist&) = default;
};

Gist gist_of(const model::NodeFacts& facts);

}  // namespace quorate::loop
