// quorate restore: the plan that restores, then the order for it. The order is for one backup and one generation, so it
// is carried out once.
#include <algorithm>
#include <string>

#include "reconciler/adapters/system/entropy.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/backup/catalog.h"
#include "reconciler/backup/census.h"
#include "reconciler/cli/agent_client.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/commands/carry_out.h"
#include "reconciler/cli/policy_store.h"
#include "reconciler/cli/telling.h"
#include "reconciler/cli/who.h"
#include "reconciler/cli/wiring.h"

namespace quorate::cli {
namespace {

using model::ExitCode;

constexpr base::Duration kValid = std::chrono::hours{1};
constexpr std::size_t kThreads = 16;

base::Error refused(std::string message, std::string help) {
  return {base::ErrorKind::Refused, std::move(message), std::move(help)};
}

struct Chosen {
  ExitCode code = ExitCode::Ok;
  base::Error why;
  std::string name;
  std::vector<model::Restorable> all;
};

ExitCode code_of(const backup::Failure& failure) {
  return failure.trouble == backup::Trouble::NoBackup ? ExitCode::NoBackup : ExitCode::NoStore;
}

// A name, so that what was shown is what is done whatever comes into the store meanwhile.
Chosen choose(const model::BackupPolicy& policy, const std::string& wanted) {
  const auto clock = adapters::system::make_clock();
  const auto entropy = adapters::system::make_entropy();
  const auto parallel = adapters::system::make_parallel(kThreads);
  const auto store = open_store(settings_of(policy), *clock, *entropy);
  if (!store) return {ExitCode::NoStore, store.error(), "", {}};
  const auto contents = backup::read_catalog(*store->objects, *parallel);
  if (!contents) return {code_of(contents.error()), contents.error().error, "", {}};
  const auto found = backup::find_backup(*contents, wanted, store->objects->address());
  if (!found) return {code_of(found.error()), found.error().error, "", {}};
  return {ExitCode::Ok, {}, found->name, backup::restorable(*contents)};
}

// One more than any that was ever begun.
std::int64_t next_generation(const model::Desired& desired, const model::Observed& observed) {
  std::int64_t highest = desired.generation;
  if (observed.formed) highest = std::max(highest, observed.formed->generation);
  for (const model::NodeFacts& node : observed.nodes) {
    if (!node.standing) continue;
    if (node.standing->voters) highest = std::max(highest, node.standing->voters->generation);
    if (node.standing->pledge) highest = std::max(highest, node.standing->pledge->decision.generation);
    for (const model::Abandoned& each : node.standing->abandoned) highest = std::max(highest, each.generation);
  }
  return highest + 1;
}

model::Allowed order_of(const Arguments& arguments, const model::RestoreOrder& order, const std::string& digest) {
  model::Allowed allowed;
  allowed.what = model::restore_order_text(order);
  allowed.by = who_asks(arguments);
  allowed.until = base::Time{std::chrono::floor<std::chrono::seconds>(now() + kValid)};
  allowed.reason = arguments.reason;
  allowed.desired_digest = digest;
  return allowed;
}

std::string no_quorum_words(const model::RestoreOrder& order) {
  return "quorate: there is no quorum that could tell the other nodes; give the same order on each of them, or write\n"
         "  generation: " +
         std::to_string(order.generation) + "  and  recovery: {restore: " + order.backup + "}";
}

}  // namespace

ExitCode run_restore(const Arguments& arguments) {
  Interrupts interrupts;
  begin_events(arguments);
  const auto socket = agent_socket(arguments);
  if (!socket) return end_early(arguments, no_agent(), ExitCode::Unknown);
  Look seen = look(arguments, File::Needed);
  if (seen.code != ExitCode::Ok) return end_early(arguments, seen.code);
  if (!seen.desired->backup) {
    return end_early(arguments, refused("the file names no store", "write  backup: {to: [...]}"), ExitCode::NoStore);
  }
  const std::string wanted = arguments.topic.empty() ? "latest" : arguments.topic;
  Chosen chosen = choose(*seen.desired->backup, wanted);
  if (chosen.code != ExitCode::Ok) return end_early(arguments, chosen.why, chosen.code);
  const model::RestoreOrder order{chosen.name, next_generation(*seen.desired, seen.observed)};
  seen.desired->generation = order.generation;
  seen.desired->recovery.restore = order.backup;
  seen.desired->recovery.survivor.clear();
  seen.observed.restorable =
      model::Fact<std::vector<model::Restorable>>::known(std::move(chosen.all), seen.observed.at);
  const model::SavedPlan saved = preview(arguments, seen);
  const model::Plan& plan = saved.gated.plan;
  const ExitCode shown = show_plan(arguments, saved);
  if (shown != ExitCode::Ok) return shown;
  if (plan.steps.empty() || saved.gated.code != ExitCode::Different) return end_early(arguments, saved.gated.code);
  if (arguments.backup.dry_run) return end_early(arguments, ExitCode::Ok);
  if (auto agreed = confirm(arguments, plan); !agreed) return end_early(arguments, agreed.error(), ExitCode::Refused);
  return carry_out(arguments, *socket,
                   {plan, order_of(arguments, order, plan.desired_digest), true, no_quorum_words(order)}, interrupts);
}

}  // namespace quorate::cli
