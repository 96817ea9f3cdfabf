// What no single step tells: the worst moment of a plan, why it is in this order, what is won at its end.
#include <algorithm>
#include <optional>
#include <set>

#include "reconciler/base/version.h"
#include "reconciler/model/etcd_release.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using model::Step;

// Steps that are not stopped for good.
std::size_t steps_on_the_road(const model::Gated& gated) {
  std::size_t count = 0;
  for (; count < gated.plan.steps.size(); ++count) {
    const model::Verdict* verdict = verdict_of(gated, count);
    if (verdict != nullptr && is_end(*verdict)) break;
  }
  return count;
}

bool is_thin(const model::Quorum& quorum) {
  return quorum.voters > 0 && quorum.can_lose() == 0;
}

// The voters that are up, where the names of those who answered can be nobody else.
std::string somebody(const model::Gated& gated, const model::PlanContext& context, std::size_t last) {
  const auto& steps = gated.plan.steps;
  const bool others_join = std::any_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(last),
                                       [](auto& step) { return std::holds_alternative<model::Promote>(step.action); });
  const bool known = static_cast<int>(context.answered.size()) == gated.plan.now.up && !others_join;
  if (known && !context.answered.empty() && context.answered.size() <= 3) return joined(context.answered, "or");
  return gated.plan.now.up < gated.plan.now.voters ? "one more voter" : "one voter";
}

std::optional<std::string> worst_moment(const model::Gated& gated, const model::PlanContext& context,
                                        std::size_t count) {
  const auto& steps = gated.plan.steps;
  std::size_t first = count;
  std::size_t last = count;
  for (std::size_t i = 0; i < count; ++i) {
    const bool thin = is_thin(steps[i].before) || is_thin(steps[i].after);
    if (!thin) continue;
    first = std::min(first, i);
    last = i;
  }
  if (first == count) return std::nullopt;
  const bool already = is_thin(gated.plan.now);
  const bool for_good = is_thin(steps[count - 1].after);
  const bool one = gated.plan.now.voters <= 1 && steps[count - 1].after.voters == 1;
  if (one) return std::nullopt;  // every word about it would be one too many
  const std::string who = already ? somebody(gated, context, last) : "one voter";
  std::string text;
  if (for_good && already) {
    text = "Losing " + who + " stops writes, during these steps and after them.";
  } else if (for_good) {
    text = "From step " + std::to_string(first + 1) + " on, losing " + who + " stops writes.";
  } else if (already) {
    text = "Until step " + std::to_string(last + 1) + " ends, losing " + who + " stops writes.";
  } else {
    text = "From step " + std::to_string(first + 1) + " until step " + std::to_string(last + 1) + " ends, losing " +
           who + " stops writes.";
  }
  return already ? text + " That is already so now." : text;
}

// A member that leaves and comes back in this order although the other one would be safer.
bool removes_before_adding(const std::vector<Step>& steps, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto* remove = std::get_if<model::Remove>(&steps[i].action);
    if (remove == nullptr || remove->replaces || steps[i].before == steps[i].after) continue;
    for (std::size_t later = i + 1; later < count; ++later) {
      if (std::holds_alternative<model::AddMember>(steps[later].action)) {
        return steps[i].before.up < steps[i].before.voters;
      }
    }
  }
  return false;
}

std::optional<std::string> order_rule(const model::Gated& gated, const model::PlanContext& context, std::size_t count) {
  const auto version = base::parse_version(context.etcd_version);
  if (!version || !model::add_needs_all_voters(*version)) return std::nullopt;
  if (!removes_before_adding(gated.plan.steps, count)) return std::nullopt;
  return "Removal comes first: etcd " + context.etcd_version + " refuses to add a member while a voter is unreachable.";
}

std::optional<std::string> what_is_won(const model::Gated& gated, std::size_t count) {
  const model::Quorum& now = gated.plan.now;
  const model::Quorum after = gated.plan.steps[count - 1].after;
  if (count != gated.plan.steps.size() || after.voters == now.voters || after.voters == 0) return std::nullopt;
  const auto with_now = [&](int before) { return now.voters == 0 ? "" : " (now " + std::to_string(before) + ")"; };
  std::string text = "After: can lose " + count_of(static_cast<std::size_t>(std::max(after.can_lose(), 0)), "member") +
                     with_now(std::max(now.can_lose(), 0)) + ".";
  if (after.needs() == now.needs()) return text;
  return text + " Writes need " + count_of(static_cast<std::size_t>(after.needs()), "acknowledgement") +
         with_now(now.needs()) + ".";
}

std::vector<std::string> urls_of(const std::set<std::string>& names, const model::PlanContext& context) {
  std::vector<std::string> urls;
  for (const std::string& name : names) {
    const auto known = context.client_urls.find(name);
    if (known != context.client_urls.end()) urls.insert(urls.end(), known->second.begin(), known->second.end());
  }
  return urls;
}

void for_clients(const model::Gated& gated, const model::PlanContext& context, std::size_t count,
                 std::vector<std::string>& remarks) {
  std::set<std::string> come;
  std::set<std::string> go;
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = gated.plan.steps[i];
    const std::string name = model::object_of(step.action);
    if (std::holds_alternative<model::AddMember>(step.action) && go.erase(name) == 0) come.insert(name);
    if (std::holds_alternative<model::Remove>(step.action) && step.before != step.after) go.insert(name);
  }
  const auto needed = urls_of(come, context);
  const auto gone = urls_of(go, context);
  if (!needed.empty())
    remarks.push_back("Note: clients with a fixed endpoint list need " + joined(needed, "and") + ".");
  if (!gone.empty()) {
    remarks.push_back("Note: " + joined(gone, "and") + (gone.size() == 1 ? " leaves" : " leave") +
                      " the endpoint list of clients that have a fixed one.");
  }
}

}  // namespace

std::vector<std::string> remarks(const model::Gated& gated, const model::PlanContext& context) {
  std::vector<std::string> all;
  const std::size_t count = steps_on_the_road(gated);
  if (!headline(gated).empty()) return all;
  if (count == 0 || count < gated.plan.steps.size()) return all;
  if (auto text = worst_moment(gated, context, count)) all.push_back(*std::move(text));
  if (auto text = order_rule(gated, context, count)) all.push_back(*std::move(text));
  if (auto text = what_is_won(gated, count)) all.push_back(*std::move(text));
  for_clients(gated, context, count, all);
  return all;
}

}  // namespace quorate::report
