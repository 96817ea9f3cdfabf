// What has ended, is for another file, or is done already hides nothing that is in force.
#include "reconciler/loop/order_heard.h"

#include <utility>

namespace quorate::loop {
namespace {

bool counts(const model::Allowed& said, const Hearing& hearing) {
  const auto order = model::parse_restore_order(said.what);
  return order && said.until > hearing.now && said.desired_digest == hearing.desired_digest &&
         !hearing.is_carried_out(*order);
}

auto rank(const model::Allowed& said) {
  return std::pair{model::parse_restore_order(said.what)->generation, said.until};
}

}  // namespace

std::optional<model::Allowed> order_in_force(std::optional<model::Allowed> before, const Hearing& hearing) {
  for (const model::Allowed& each : hearing.heard) {
    if (before && !each.denied && before->what == each.what) before = each;  // given anew, or taken back
  }
  if (before && !counts(*before, hearing)) before.reset();
  for (const model::Allowed& each : hearing.heard) {
    const bool here = !hearing.cluster || each.cluster == *hearing.cluster;
    if (!here || each.denied || !counts(each, hearing)) continue;
    if (!before || rank(each) > rank(*before)) before = each;
  }
  return before;
}

}  // namespace quorate::loop
