// What ends a recovery: clients are let in again as soon as a majority is back, and once all are, their data are
// compared.
#include "reconciler/model/fence.h"

#include <algorithm>
#include <optional>

#include "reconciler/base/version.h"
#include "reconciler/model/records.h"
#include "reconciler/plan/notices.h"
#include "reconciler/plan/stages.h"

namespace quorate::plan {
namespace {

using model::StepClass;

// Its agent keeps the fence: as long as it stands, all agents can get in.
bool is_seed(const Seat& seat) {
  if (seat.node == nullptr || !seat.node->standing || !seat.node->standing->pledge) return false;
  return seat.node->standing->pledge->decision.seed == seat.name();
}

model::Step opening(const World& world, const Seat& seat) {
  const Wish& wish = *seat.wish;
  model::Reason reason = reason_at(world, seat, model::kFenceOpens,
                                   world.desired.recovery.open_when == model::OpenWhen::First
                                       ? "the cluster is back, and recovery.openWhen says first: clients are let in"
                                       : "a majority of the members is back: clients are let in");
  model::Step step = make_step(model::WriteManifest{wish.member->name, wish.bundle, model::BootMode::Keep, ""},
                               StepClass::Restore, wish.member->node, std::move(reason));
  step.ensures = {model::ManifestIs{wish.member->name, wish.bundle},
                  model::MemberIs{seat.listed->listed.id, seat.name(), model::MemberState::Up}};
  return step;
}

// Hashes of two minors, or of a member that is still to come, say nothing.
bool is_complete(const World& world) {
  std::optional<base::Minor> minor;
  return std::all_of(world.seats.begin(), world.seats.end(), [&](const Seat& seat) {
    if (!seat.is_voter()) return !seat.wanted();
    if (!seat.up || model::is_fenced(seat.node)) return false;
    const auto version = base::parse_version(seat.listed->status->version);
    if (!version) return false;
    if (!minor) minor = version->minor;
    return version->minor == *minor;
  });
}

}  // namespace

void propose_opening(const World& world, Proposals& proposals) {
  if (model::keeps_clients_out(world.observed, world.desired)) return;
  std::vector<const Seat*> fenced;
  for (const Seat& seat : world.seats) {
    const bool ours = seat.wanted() && seat.managed() && seat.is_voter();
    if (ours && seat.up && model::is_fenced(seat.node)) fenced.push_back(&seat);
  }
  std::stable_partition(fenced.begin(), fenced.end(), [](const Seat* seat) { return !is_seed(*seat); });
  for (const Seat* seat : fenced) proposals.push_back(opening(world, *seat));
}

void propose_data_check(const World& world, Proposals& proposals) {
  const model::Observed& observed = world.observed;
  if (!observed.announced || observed.data_check || !observed.formed || observed.formed->after.empty()) return;
  if (observed.formed->cluster != observed.membership->cluster || !is_complete(world)) return;
  model::Reason reason;
  reason.code = "DataFromElsewhere";
  reason.text = "the cluster goes on with data of one that was lost, and nobody has compared its members since";
  model::Step step = make_step(model::VerifyData{world.desired.name}, StepClass::Heal, kCluster, std::move(reason));
  step.needs = {model::AllVotersUp{}};
  proposals.push_back(std::move(step));
}

void tell_of_fence(const World& world, std::vector<model::Notice>& notices) {
  std::string fenced;
  for (const Seat& seat : world.seats) {
    if (model::is_fenced(seat.node)) fenced += (fenced.empty() ? "" : ", ") + seat.name();
  }
  if (fenced.empty()) return;
  model::Notice notice;
  notice.code = "Fenced";
  notice.object = "cluster";
  notice.level = model::Notice::Level::Warning;
  notice.text = "clients are kept out of " + fenced + " until a majority of the members is back";
  notice.help = "recovery: {openWhen: first} lets them in at once; what they write then stands on one disk only";
  notices.push_back(std::move(notice));
}

std::optional<Stop> stop_for_different_data(const World& world, std::vector<model::Notice>& notices) {
  const auto& check = world.observed.data_check;
  if (!check || check->same) return std::nullopt;
  explain(notices, "DataDiffers",
          "the members do not hold the same data: at revision " + std::to_string(check->revision) + " " + check->text,
          "keep all data directories, and replace the member that is outvoted; then etcdctl del " +
              std::string(model::kDataCheckKey) + ", and they are compared again");
  return Stop{};
}

}  // namespace quorate::plan
