// Kubernetes' own types as a judge: kubectl decodes an object into them and silently drops every field they do not
// have.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/integration/process.h"

namespace quorate::integration {

using Json = nlohmann::json;

class Kubectl {
 public:
  // Objects of a YAML or JSON file as Kubernetes' own reader sees them.
  std::vector<Json> read(const std::string& text) const;

  // The same object after a round trip through the types, for Pod, Service, PersistentVolumeClaim.
  Json through_types(const Json& object) const;

  // What `kubectl create ARGUMENTS` would send.
  Json create(std::vector<std::string> arguments) const;

 private:
  Json run_for_object(std::vector<std::string> arguments) const;

  TempDir folder_;
};

// Paths of all values in `ours` that `theirs` lacks or has otherwise; what `theirs` has beyond is left alone.
std::vector<std::string> lost(const Json& ours, const Json& theirs, const std::string& path = "");

// The one object of this kind (and name).
const Json& object_of(const std::vector<Json>& objects, const std::string& kind, const std::string& name = {});

}  // namespace quorate::integration
