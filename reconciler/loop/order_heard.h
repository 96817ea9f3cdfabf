// Which of the orders to restore that were heard is in force.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/model/records.h"

namespace quorate::loop {

struct Hearing {
  std::vector<model::Allowed> heard;       // in any order; etcd keeps what has ended, too
  std::optional<base::ClusterId> cluster;  // that answers; nothing: none does
  std::string desired_digest;
  base::Time now{};
  std::function<bool(const model::RestoreOrder& order)> is_carried_out;
};

// `before` was in force: it is kept while etcd, which it was told, goes down for it. Of several the one with the
// highest generation counts, and of those the one that was given last.
std::optional<model::Allowed> order_in_force(std::optional<model::Allowed> before, const Hearing& hearing);

}  // namespace quorate::loop
