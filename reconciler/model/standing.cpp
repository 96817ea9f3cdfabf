// What names a decision, and what is newer.
#include "reconciler/model/standing.h"

#include <algorithm>
#include <tuple>

#include "reconciler/base/digest.h"

namespace quorate::model {

std::string_view name_of(DecisionKind kind) {
  return kind == DecisionKind::Restore ? "restore" : "recover";
}

std::string digest_of(const Decision& decision, const std::string& cluster, const std::string& token) {
  // Names and URLs hold neither spaces nor line breaks, so that no two decisions give one text.
  std::string text = cluster + "\n" + token + "\n" + std::to_string(decision.generation) + "\n" +
                     std::string(name_of(decision.kind)) + "\n" + std::to_string(decision.attempt) + "\n" +
                     decision.source + "\n" + decision.seed + "\n" + std::to_string(decision.above) + "\n";
  for (const base::ClusterId id : decision.after) text += base::to_string(id) + " ";
  text += "\n";
  if (decision.backup) {
    text += decision.backup->name + " " + decision.backup->sha256 + " " + std::to_string(decision.backup->revision) +
            (decision.deliberate ? " deliberate\n" : "\n");
  }
  for (const Founder& founder : decision.founders) {
    text += founder.member;
    for (const std::string& url : founder.peer_urls) text += " " + url;
    text += " " + founder.incarnation + "\n";
  }
  return base::sha256_hex(text).substr(0, 16);
}

bool is_founder_of(const Decision& decision, const std::string& member) {
  return std::any_of(decision.founders.begin(), decision.founders.end(),
                     [&](const Founder& each) { return each.member == member; });
}

bool has_abandoned(const Standing& standing, const std::string& decision) {
  return std::any_of(standing.abandoned.begin(), standing.abandoned.end(),
                     [&](const Abandoned& each) { return each.decision == decision; });
}

const Unfit* unfit_for(const Standing& standing, const std::string& source) {
  const auto found = std::find_if(standing.unfit.begin(), standing.unfit.end(),
                                  [&](const Unfit& each) { return each.source == source; });
  return found == standing.unfit.end() ? nullptr : &*found;
}

bool is_newer(const Voters& a, const Voters& b) {
  // Within one cluster what is agreed on has an order of its own; who remembers the higher term has heard of an
  // election.
  if (a.cluster == b.cluster && a.generation == b.generation) return a.index > b.index;
  return std::tie(a.generation, a.term, a.index) > std::tie(b.generation, b.term, b.index);
}

}  // namespace quorate::model
