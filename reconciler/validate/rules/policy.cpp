// What may be done, when, and to whom: entries that name nothing, stand twice, or ask for what cannot be.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/base/suggest.h"
#include "reconciler/base/words.h"
#include "reconciler/model/action.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/rules/rules.h"
#include "reconciler/validate/schema.h"

namespace quorate::validate {
namespace {

using model::Code;
using model::Finding;
using model::Node;

constexpr std::size_t kMostEntries = 64;  // as the schema says

// Remembers where each text stood and reports the second time.
class Once {
 public:
  explicit Once(const Context& context) : context_(context) {}

  void see(const Node& node, const std::string& value, const std::string& path) {
    const auto [seen, added] = first_.emplace(value, &node);
    if (added) return;
    Finding& finding = context_.findings.add(Code::E126, node, path + " repeats " + describe(node),
                                             "expected an entry that is not there yet", path);
    context_.findings.relate(finding, *seen->second, "first written here");
  }

 private:
  const Context& context_;
  std::map<std::string, const Node*> first_;
};

const std::vector<const Node*>& items_of(const Node* list) {
  static const std::vector<const Node*> none;
  return list != nullptr && list->items.size() <= kMostEntries ? list->items : none;
}

std::string item_path(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

void check_repeated(const Context& context, const std::string& list) {
  Once once(context);
  const auto& items = items_of(context.fields.node(list));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const auto value = text(*items[i])) once.see(*items[i], *value, item_path(list, i));
  }
}

// Where a member is listed and where it no longer is: an ID is declared lost once.
void check_lost_ids(const Context& context) {
  Once once(context);
  for (std::size_t i = 0; i < context.draft.places.size(); ++i) {
    const auto& lost = context.desired().members[i].lost;
    const Node* node = context.draft.places[i].value->get("lost");
    if (node == nullptr || !lost || !lost->id) continue;
    once.see(*node, base::to_string(*lost->id), "members." + context.desired().members[i].name + ".lost");
  }
  const auto& items = items_of(context.fields.node("lost"));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const auto value = text(*items[i])) once.see(*items[i], *value, item_path("lost", i));
  }
}

void check_min_voters(const Context& context) {
  const Node* node = context.fields.node("protect.minVoters");
  const int voters = remaining_voters(context);
  const int least = context.desired().protect.min_voters;
  if (node == nullptr || voters == 0 || least <= voters || least > 9) return;
  context.findings.add(Code::E127, *node,
                       "protect.minVoters is " + std::to_string(least) + ", but the file wants " +
                           std::to_string(voters) + (voters == 1 ? " voter" : " voters"),
                       "expected at most " + std::to_string(voters), "protect.minVoters");
}

// Names of members differ by a letter, so no guess: they are all listed.
void refuse_member(const Context& context, const Node& node, const std::string& path) {
  std::string names;
  for (const auto& member : context.desired().members) names += (names.empty() ? "" : ", ") + member.name;
  context.findings.add(Code::E128, node, path + " names no member: " + describe(node),
                       "expected one of: " + names.substr(0, 400), path);
}

bool is_member(const Context& context, const std::string& name) {
  const auto& members = context.desired().members;
  return std::any_of(members.begin(), members.end(), [&](const auto& member) { return member.name == name; });
}

void check_paused_members(const Context& context) {
  const auto& items = items_of(context.fields.node("paused.members"));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto name = text(*items[i]);
    if (!name || name->empty() || is_member(context, *name)) continue;
    refuse_member(context, *items[i], item_path("paused.members", i));
  }
}

void check_survivor(const Context& context) {
  const Node* node = context.fields.node("recovery.survivor");
  const std::string& name = context.desired().recovery.survivor;
  if (node == nullptr || name.empty() || is_member(context, name)) return;
  refuse_member(context, *node, "recovery.survivor");
}

// A cluster goes on with one of them.
void check_restore(const Context& context) {
  const Node* recovery = context.fields.node("recovery");
  const model::Entry* restore = recovery != nullptr ? recovery->entry("restore") : nullptr;
  if (restore == nullptr) return;
  if (const model::Entry* survivor = recovery->entry("survivor")) {
    Finding& finding = context.findings.add(Code::E132, *restore->key, "recovery has both restore and survivor",
                                            "expected one of them", "recovery.restore");
    context.findings.relate(finding, *survivor->key, "the other one");
  }
  if (context.desired().backup || recovery->entry("from") != nullptr) return;
  context.findings.add(Code::E121, *restore->key, "recovery.restore has no effect without a store",
                       "expected backup.to or recovery.from beside it", "recovery.restore");
}

// What is below a member's name in "members.etcd-a.zone"; names may have dots, so the longest one that fits is taken.
std::optional<std::string_view> behind_member(const Context& context, std::string_view path) {
  std::optional<std::string_view> rest;
  std::size_t longest = 0;
  for (const auto& member : context.desired().members) {
    const std::string_view name = member.name;
    const bool fits = path.substr(0, name.size()) == name && (path.size() == name.size() || path[name.size()] == '.');
    if (!fits || name.size() < longest) continue;
    longest = name.size();
    rest = path.size() == name.size() ? std::string_view{} : path.substr(name.size() + 1);
  }
  return rest;
}

// Follows the path through properties; empty: it is a field, else the path that was probably meant, or "?".
std::string wrong_part(const Schema& start, std::string_view path, const std::string& above) {
  const Schema* at = &start;
  std::string before = above;
  while (!path.empty()) {
    const auto dot = path.find('.');
    const std::string key(path.substr(0, dot));
    if (at->properties.empty() && at->values != nullptr) return {};  // the rest is a key of a map such as labels
    const auto found = at->properties.find(key);
    if (found == at->properties.end()) {
      const auto near = base::nearest(key, at->known, 1);
      if (near.empty()) return "?";
      return before + near[0] + std::string(dot == std::string_view::npos ? "" : path.substr(dot));
    }
    at = found->second.get();
    before += key + ".";
    if (dot == std::string_view::npos) return {};
    path.remove_prefix(dot + 1);
  }
  return "?";
}

void check_ignored_path(const Context& context, const Node& node, const std::string& path) {
  constexpr std::string_view kMembers = "members.";
  const std::string_view wanted = node.text;
  std::string meant;
  if (wanted.substr(0, kMembers.size()) == kMembers) {
    const std::string_view below = wanted.substr(kMembers.size());
    const auto rest = behind_member(context, below);
    if (!rest) return refuse_member(context, node, path);
    const bool ends_in_dot = wanted.back() == '.';
    const std::string above(wanted.substr(0, wanted.size() - rest->size()));
    if (rest->empty() && !ends_in_dot) return;
    meant = wrong_part(*field(cluster_schema(), "members").values, *rest, above);
  } else {
    meant = wrong_part(cluster_schema(), wanted, "");
  }
  if (meant.empty()) return;
  const auto& elsewhere = fields_named(cluster_schema(), wanted.substr(wanted.rfind('.') + 1));
  if (meant == "?" && !elsewhere.empty()) meant = elsewhere.front();
  context.findings.add(Code::E129, node, path + " is no field: " + describe(node),
                       meant == "?" ? "expected a path such as etcd.quota" : "did you mean " + meant + "?", path);
}

void check_ignored(const Context& context) {
  Once once(context);
  const auto& items = items_of(context.fields.node("drift.ignore"));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Node* node = items[i]->get("path");
    const std::string path = item_path("drift.ignore", i) + ".path";
    if (node == nullptr || !text(*node) || node->text.empty()) continue;
    once.see(*node, node->text, path);
    check_ignored_path(context, *node, path);
  }
}

void check_dead_after(const Context& context) {
  const Node* node = context.fields.node("reconcile.deadAfter");
  if (node == nullptr || context.desired().reconcile.dead_after >= std::chrono::minutes(1)) return;
  context.findings.add(Code::W207, *node, "a member that is silent for " + node->text + " counts as dead",
                       "expected at least 1m", "reconcile.deadAfter");
}

struct Least {
  const char* path;
  base::Duration value;
  std::string_view least;
};

void check_durations(const Context& context) {
  const auto& desired = context.desired();
  const Least all[] = {{"reconcile.every", desired.reconcile.every, "1s"},
                       {"reconcile.healthEvery", desired.reconcile.health_every, "1s"},
                       {"runtime.settle", desired.settle, "1s"},
                       {"runtime.stopTimeout", desired.stop_timeout, "1s"},
                       {"storage.keepOldData", desired.keep_old_data, "1h"}};
  for (const Least& one : all) {
    const Node* node = context.fields.node(one.path);
    if (node == nullptr || one.value >= base::parse_duration(one.least).value()) continue;
    context.findings.add(Code::E107, *node, std::string(one.path) + " is out of range: " + node->text,
                         "expected at least " + std::string(one.least), one.path);
  }
}

template <std::size_t... kIndexes>
std::vector<std::string> names_of_actions(std::index_sequence<kIndexes...> /*each*/) {
  return {std::string(model::name_of(model::Action(std::in_place_index<kIndexes>)))...};
}

const std::vector<std::string>& action_names() {
  static const auto names = names_of_actions(std::make_index_sequence<std::variant_size_v<model::Action>>());
  return names;
}

// An action that nobody knows would never be asked about, and whoever wrote it believes to have agreed.
void check_approved_action(const Context& context, const Node& step, const std::string& path) {
  const std::string action = step.text.substr(0, step.text.find('/'));
  const auto& names = action_names();
  if (action.size() == step.text.size() || std::find(names.begin(), names.end(), action) != names.end()) return;
  if (check_format(Format::StepId, step.text)) return;
  const auto near = base::nearest(action, names, 1);
  Finding& finding = context.findings.add(Code::E106, step, path + " begins with no action: " + describe(step),
                                          "expected one of: " + base::joined(names, ", "), path);
  if (!near.empty()) finding.help.push_back("did you mean " + near[0] + "?");
}

void check_approvals(const Context& context) {
  Once once(context);
  const auto& items = items_of(context.fields.node("approvals"));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Node* step = items[i]->get("step");
    const Node* cluster = items[i]->get("cluster");
    if (step == nullptr || cluster == nullptr || !text(*step) || !text(*cluster)) continue;
    const std::string path = item_path("approvals", i) + ".step";
    once.see(*step, step->text + " of " + cluster->text, path);
    check_approved_action(context, *step, path);
  }
}

}  // namespace

void check_policy(const Context& context) {
  check_lost_ids(context);
  for (const char* list : {"protect.approve", "paused.members", "adopt.endpoints"}) check_repeated(context, list);
  check_min_voters(context);
  check_paused_members(context);
  check_survivor(context);
  check_restore(context);
  check_ignored(context);
  check_dead_after(context);
  check_durations(context);
  check_approvals(context);
}

}  // namespace quorate::validate
