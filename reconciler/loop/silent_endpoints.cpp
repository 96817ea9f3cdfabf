// An etcd that is starting listens before it serves, and leaves every question without an answer until then. Who waits
// for it can do nothing else meanwhile, so that the first waits are short; a slow one is waited for long enough in the
// end.
#include "reconciler/loop/silent_endpoints.h"

#include <algorithm>

namespace quorate::loop {
namespace {

constexpr base::Duration kLittle{100};
constexpr int kShare = 2;  // no more of the time than this part is spent with waiting for one that stays silent

}  // namespace

SilentEndpoints::SilentEndpoints(const std::vector<std::string>& endpoints) {
  for (const std::string& each : endpoints) since_.emplace(each, std::nullopt);
}

void SilentEndpoints::look(base::Duration at, const std::vector<model::EndpointAnswer>& answers) {
  std::map<std::string, std::optional<base::Duration>> now;
  for (const model::EndpointAnswer& each : answers) {
    if (!each.cluster) now[each.endpoint] = has(each.endpoint) ? since_.at(each.endpoint).value_or(at) : at;
  }
  since_ = std::move(now);
}

std::map<std::string, base::Duration> SilentEndpoints::patience(base::Duration at) const {
  std::map<std::string, base::Duration> patience;
  for (const auto& [endpoint, since] : since_) {
    patience[endpoint] = since ? std::max((at - *since) / kShare, kLittle) : base::Duration::max();
  }
  return patience;
}

}  // namespace quorate::loop
