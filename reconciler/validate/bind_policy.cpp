// What has the wrong form is left out: the schema check reports it.
#include "reconciler/validate/bind_policy.h"

#include <algorithm>
#include <utility>

#include "reconciler/validate/bind_backup.h"
#include "reconciler/validate/choice.h"
#include "reconciler/validate/read.h"

namespace quorate::validate {
namespace {

using model::Node;
using model::NodeKind;

// The schema takes as many and reports more; rules that compare each with each must not meet thousands.
constexpr std::size_t kMostEntries = 64;

std::string text_below(const Node& node, std::string_view key) {
  const Node* value = node.get(key);
  return value != nullptr ? text(*value).value_or("") : "";
}

int small_number(const Fields& fields, std::string_view path) {
  return static_cast<int>(std::clamp<std::int64_t>(fields.number_or_default(path), 0, 1'000'000));
}

std::vector<base::MemberId> ids_of(const Node* list) {
  std::vector<base::MemberId> ids;
  if (list == nullptr) return ids;
  for (const std::string& text : texts(*list, kMostEntries)) {
    if (const auto id = base::parse_id(text)) ids.push_back({*id});
  }
  return ids;
}

model::Recovery recovery_of(const Fields& fields) {
  using model::QuorumLoss;
  model::Recovery recovery;
  recovery.restore = fields.text("recovery.restore").value_or("");
  recovery.from = fields.text("recovery.from").value_or("");
  recovery.survivor = fields.text("recovery.survivor").value_or("");
  recovery.quorum_loss =
      choice<QuorumLoss, 2>(fields, "recovery.quorumLoss", {{{"ask", QuorumLoss::Ask}, {"auto", QuorumLoss::Auto}}});
  recovery.open_when = choice<model::OpenWhen, 2>(
      fields, "recovery.openWhen", {{{"majority", model::OpenWhen::Majority}, {"first", model::OpenWhen::First}}});
  recovery.abandon = fields.number("recovery.abandon");
  return recovery;
}

model::Reconcile reconcile_of(const Fields& fields) {
  using model::ApplyMode;
  using model::SelfHeal;
  model::Reconcile reconcile;
  reconcile.apply =
      choice<ApplyMode, 2>(fields, "reconcile.apply", {{{"auto", ApplyMode::Auto}, {"manual", ApplyMode::Manual}}});
  reconcile.every = fields.duration_or_default("reconcile.every");
  reconcile.health_every = fields.duration_or_default("reconcile.healthEvery");
  reconcile.self_heal = choice<SelfHeal, 3>(
      fields, "reconcile.selfHeal", {{{"safe", SelfHeal::Safe}, {"off", SelfHeal::Off}, {"all", SelfHeal::All}}});
  reconcile.dead_after = fields.duration_or_default("reconcile.deadAfter");
  reconcile.max_heals_per_day = small_number(fields, "reconcile.maxHealsPerDay");
  return reconcile;
}

model::Protect protect_of(const Fields& fields) {
  model::Protect protect;
  protect.min_voters = small_number(fields, "protect.minVoters");
  protect.max_removals = small_number(fields, "protect.maxRemovals");
  protect.approve.clear();
  for (const std::string& name : fields.texts_or_default("protect.approve")) {
    if (const auto step_class = model::step_class_named(name)) protect.approve.push_back(*step_class);
  }
  return protect;
}

model::Rollout rollout_of(const Fields& fields) {
  using model::RolloutOrder;
  model::Rollout rollout;
  rollout.order = choice<RolloutOrder, 2>(fields, "rollout.order",
                                          {{{"leader-last", RolloutOrder::LeaderLast}, {"name", RolloutOrder::Name}}});
  rollout.soak = fields.duration_or_default("rollout.soak");
  return rollout;
}

// One that is half written approves nothing.
std::vector<model::Approval> approvals_of(const Fields& fields) {
  std::vector<model::Approval> approvals;
  const Node* list = fields.node("approvals");
  if (list == nullptr) return approvals;
  for (const Node* item : list->items) {
    if (approvals.size() == kMostEntries) break;
    const auto cluster = base::parse_id(text_below(*item, "cluster"));
    const auto until = base::parse_time(text_below(*item, "until"));
    const std::string step = text_below(*item, "step");
    if (step.empty() || !cluster || !until) continue;
    approvals.push_back({step, {*cluster}, text_below(*item, "by"), *until});
  }
  return approvals;
}

std::optional<model::Paused> paused_of(const Fields& fields) {
  const Node* block = fields.node("paused");
  const auto until = fields.text("paused.until");
  const auto time = until ? base::parse_time(*until) : std::nullopt;
  if (block == nullptr || !time) return std::nullopt;
  model::Paused paused{fields.text("paused.reason").value_or(""), *time, {}};
  if (const Node* members = fields.node("paused.members")) paused.members = texts(*members, kMostEntries);
  return paused;
}

std::optional<model::Adopt> adopt_of(const Fields& fields) {
  using model::AdoptStage;
  const Node* block = fields.node("adopt");
  if (block == nullptr || block->kind != NodeKind::Mapping) return std::nullopt;
  model::Adopt adopt;
  if (const auto id = base::parse_id(fields.text("adopt.clusterId").value_or(""))) adopt.cluster = {*id};
  if (const Node* list = fields.node("adopt.endpoints")) {
    for (const std::string& text : texts(*list, kMostEntries)) {
      base::UrlProblem problem;
      if (auto url = base::parse_url(text, problem)) adopt.endpoints.push_back(std::move(*url));
    }
  }
  adopt.stage = chosen<AdoptStage, 4>(fields.text("adopt.stage").value_or(""), {{{"observe", AdoptStage::Observe},
                                                                                 {"join", AdoptStage::Join},
                                                                                 {"retire", AdoptStage::Retire},
                                                                                 {"done", AdoptStage::Done}}});
  return adopt;
}

model::Drift drift_of(const Fields& fields) {
  model::Drift drift;
  drift.delay = fields.duration_or_default("drift.for");
  const Node* list = fields.node("drift.ignore");
  if (list == nullptr) return drift;
  for (const Node* item : list->items) {
    if (drift.ignore.size() == kMostEntries) break;
    model::IgnoredDrift ignored{text_below(*item, "path"), text_below(*item, "reason"), std::nullopt};
    ignored.until = base::parse_time(text_below(*item, "until"));
    drift.ignore.push_back(std::move(ignored));
  }
  return drift;
}

}  // namespace

void bind_policy(const Fields& fields, model::Desired& desired) {
  using model::IfNoCluster;
  desired.generation = std::max<std::int64_t>(fields.number_or_default("generation"), 1);
  desired.lost = ids_of(fields.node("lost"));
  desired.if_no_cluster = choice<IfNoCluster, 4>(fields, "bootstrap.ifNoCluster",
                                                 {{{"wait", IfNoCluster::Wait},
                                                   {"restore", IfNoCluster::Restore},
                                                   {"new", IfNoCluster::New},
                                                   {"restore-or-new", IfNoCluster::RestoreOrNew}}});
  desired.restore_max_age =
      base::parse_duration(fields.text("bootstrap.restoreMaxAge").value_or("")).value_or(base::Duration{});
  desired.bump_revision = fields.number_or_default("bootstrap.bumpRevision");
  desired.recovery = recovery_of(fields);
  desired.reconcile = reconcile_of(fields);
  desired.protect = protect_of(fields);
  desired.rollout = rollout_of(fields);
  desired.approvals = approvals_of(fields);
  desired.paused = paused_of(fields);
  desired.adopt = adopt_of(fields);
  desired.drift = drift_of(fields);
  desired.backup = backup_of(fields);
}

void bind_member_policy(const Node& value, model::Member& member) {
  const auto flag = [&](std::string_view key, bool otherwise) {
    const Node* node = value.get(key);
    return node != nullptr ? truth(*node).value_or(otherwise) : otherwise;
  };
  member.managed = flag("managed", true);
  member.retire = flag("retire", false);
  const std::string lost = text_below(value, "lost");
  if (lost == "never") member.lost = model::Member::Lost{};
  if (const auto id = base::parse_id(lost)) member.lost = model::Member::Lost{base::MemberId{*id}};
}

}  // namespace quorate::validate
