// The only place that knows how many voters make a quorum.
#pragma once

namespace quorate::model {

constexpr int quorum(int voters) {
  return voters / 2 + 1;
}
constexpr int can_lose(int voters) {
  return voters - quorum(voters);
}

}  // namespace quorate::model
