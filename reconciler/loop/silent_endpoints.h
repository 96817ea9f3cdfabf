// Endpoints of etcd that did not answer the last look, and how long the next one waits for each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/units.h"
#include "reconciler/model/observed.h"

namespace quorate::loop {

class SilentEndpoints {
 public:
  explicit SilentEndpoints(const std::vector<std::string>& endpoints);

  // `at` is ports::Clock::elapsed.
  void look(base::Duration at, const std::vector<model::EndpointAnswer>& answers);
  bool has(const std::string& endpoint) const { return since_.count(endpoint) != 0; }
  std::map<std::string, base::Duration> patience(base::Duration at) const;

 private:
  std::map<std::string, std::optional<base::Duration>> since_;  // nothing: nobody has asked them yet
};

}  // namespace quorate::loop
