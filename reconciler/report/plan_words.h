// What a plan says, in words: one sentence for every action, claim and verdict, shared by all formats of a plan. Texts
// from outside are in them as they came; each format makes them safe in its own way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/plan_json.h"
#include "reconciler/model/verdict.h"

namespace quorate::report {

std::string step_sentence(const model::Step& step);
std::string claim_sentence(const model::Claim& claim);
std::string quorum_words(const model::Quorum& quorum);  // "3 voters, 2 up, needs 2, can lose 0"
// What the step does to quorum, or what its restart does meanwhile; empty: nothing to say.
std::string quorum_sentence(const model::Step& step);
std::string reason_sentence(const model::Reason& reason);    // with (file:line)
std::string place_words(const std::string& file, int line);  // "quorate.yaml:8"; empty: no line
std::string moment_words(base::Time time);                   // "2026-09-24 09:12:41Z"

// What stands where the risk would: "BLOCKED by Q1", "HELD by F2", "waits (Q9)"; empty for Go.
std::string verdict_words(const model::Verdict& verdict);
// Nobody only has to wait for it or agree to it: the road ends here.
bool is_end(const model::Verdict& verdict);
// Its arithmetic is that of quorum, and stands in the place of the step's own.
bool is_about_quorum(const model::Verdict& verdict);
const model::Verdict* verdict_of(const model::Gated& gated, std::size_t step);  // null: not judged, or Go

// The first line of a plan that may not go ahead, as a sentence; empty when it may.
std::string headline(const model::Gated& gated);
// What differs and is neither ignored nor settled by a plan without steps.
std::size_t differences_left(const model::Gated& gated);
// "No changes. prod matches quorate.yaml (3 of 3 members checked)."
std::string no_changes_sentence(const model::Gated& gated, const model::PlanContext& context);
std::string counts_words(const model::Gated& gated);   // "1 to add, 0 to change, 1 to remove, 2 actions"
std::string consent_words(const model::Gated& gated);  // "Class heal, no approval needed."

// The step that says the same is in the plan; or it does not count as a difference.
bool is_told_by_steps(const model::Plan& plan, const model::Notice& notice);
std::string notice_word(model::Notice::Level level);  // "note", "warning", "critical"
// "have 4Gi, wanted 8Gi"; empty when the text has both, or there is none.
std::string difference_words(const model::Notice& notice);

// The worst moment, the order, what is won, what clients have to know: one sentence or two each.
std::vector<std::string> remarks(const model::Gated& gated, const model::PlanContext& context);

}  // namespace quorate::report
