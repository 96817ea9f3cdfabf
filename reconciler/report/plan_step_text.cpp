// Number, symbol and sentence to the left, risk or verdict to the right, reasons beneath.
#include "reconciler/report/plan_step_text.h"

#include <algorithm>

#include "reconciler/base/utf8.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using model::Step;
using model::Verdict;

constexpr std::size_t kIndent = 8;        // of sentences, and of the names beneath them
constexpr std::size_t kColumn = 16;       // of what stands beside a name
constexpr std::size_t kRightColumn = 80;  // of the risk

std::string colored(const std::string& symbol, const Style& style) {
  if (symbol == "+") return style.green(symbol);
  if (symbol == "-" || symbol == "x") return style.red(symbol);
  return symbol == ">" || symbol == ".." ? style.cyan(symbol) : style.yellow(symbol);
}

std::string colored(const std::string& right, const Verdict* verdict, model::Risk risk, const Style& style) {
  if (verdict != nullptr) return is_end(*verdict) ? style.red(right) : style.yellow(right);
  if (risk >= model::Risk::High) return style.red(right);
  return risk == model::Risk::Medium ? style.yellow(right) : right;
}

// "  1 -   "
std::string head(const std::string& number, const std::string& symbol, const Style& style) {
  const std::string before(number.size() < 3 ? 3 - number.size() : 0, ' ');
  return before + number + " " + colored(symbol, style) + std::string(4 - std::min<std::size_t>(symbol.size(), 3), ' ');
}

std::string row(const std::string& number, const Step& step, const Verdict* verdict, const Style& style) {
  const bool ends = verdict != nullptr && is_end(*verdict);
  const std::string right =
      printable(verdict != nullptr ? verdict_words(*verdict) : std::string(model::name_of(step.risk)));
  const std::size_t length = base::count_characters(right);
  const std::size_t column = std::min(kRightColumn, kPlanWidth - std::min(length, kPlanWidth / 2));
  std::string sentence = wrapped(step_sentence(step), column - 2, kIndent);
  const std::string rest = sentence.substr(std::min(sentence.find('\n') + 1, sentence.size()));
  sentence = sentence.substr(0, sentence.find('\n')).substr(std::min(kIndent, sentence.size()));
  return head(number, ends ? "x" : std::string(model::symbol_of(step)), style) + padded(sentence, column - kIndent) +
         colored(right, verdict, step.risk, style) + "\n" + rest;
}

std::string beneath(std::string_view name, std::string_view text) {
  return labelled(name, text, kIndent, kColumn);
}

// What the steps before have said already need not be said again.
bool is_plain(const model::Plan& plan, std::size_t index) {
  const Step& step = plan.steps[index];
  const std::string object = model::object_of(step.action);
  const auto earlier = [&](const auto& wanted) {
    return std::any_of(plan.steps.begin(), plan.steps.begin() + static_cast<std::ptrdiff_t>(index),
                       [&](const Step& each) { return wanted(each) && model::object_of(each.action) == object; });
  };
  if (step.reason.code == "LearnerJoined" || step.reason.code == "MemberNotStarted") {
    return earlier([](const Step& each) { return std::holds_alternative<model::AddMember>(each.action); });
  }
  if (step.reason.code != "MemberNew") return false;
  return earlier([](const Step& each) { return std::holds_alternative<model::Remove>(each.action); });
}

std::string soak_text(const model::Plan& plan, std::size_t index, const Style& style) {
  const Step& step = plan.steps[index];
  for (const model::Claim& claim : step.needs) {
    const auto* soaked = std::get_if<model::Soaked>(&claim);
    if (soaked == nullptr) continue;
    const std::string time = base::to_string(soaked->duration);
    std::string text = "wait until the last change is " + time + " old (rollout.soak)";
    if (index > 0) {
      text = "soak " + time + " (rollout.soak); stop here if a member becomes unhealthy";
    }
    return head("", "..", style) + wrapped(text, kPlanWidth, kIndent).substr(kIndent);
  }
  return "";
}

std::string verdict_text(const Step& step, const Verdict& verdict) {
  std::string text;
  if (is_about_quorum(verdict)) {
    text += beneath("quorum", verdict.arithmetic) + beneath(verdict.rule, verdict.text);
  } else {
    text += beneath(verdict.rule, verdict.text);
    if (!verdict.arithmetic.empty() && verdict.arithmetic != step.reason.text) {
      text += beneath("", "(" + verdict.arithmetic + ")");
    }
  }
  if (verdict.until) text += beneath("until", moment_words(*verdict.until));
  return text;
}

std::string risk_text(const Step& step) {
  std::string text(model::name_of(step.risk));
  for (std::size_t i = 0; i < step.risk_why.size(); ++i) text += (i == 0 ? ": " : "; ") + step.risk_why[i];
  return beneath("risk", text);
}

std::string claims_text(std::string_view name, const std::vector<model::Claim>& claims) {
  std::string text;
  for (const model::Claim& claim : claims) text += beneath(text.empty() ? name : "", claim_sentence(claim));
  return text;
}

std::string wide_text(const Step& step) {
  std::string text = beneath("id", step.id) +
                     beneath("class", std::string(model::name_of(step.step_class)) + ", carried out by " + step.owner);
  std::string evidence;
  for (const auto& [name, value] : step.reason.evidence) {
    evidence += (evidence.empty() ? "" : ", ") + name + " " + value;
  }
  if (!evidence.empty()) text += beneath("seen", evidence);
  return text + claims_text("needs", step.needs) + claims_text("ensures", step.ensures);
}

}  // namespace

std::string labelled(std::string_view name, std::string_view text, std::size_t indent, std::size_t column) {
  const std::string body = wrapped(text, kPlanWidth, column);
  if (body.empty()) return "";
  const std::string label = std::string(indent, ' ') + printable(name);
  return padded(label, column - 1) + " " + body.substr(column);
}

std::string step_text(const model::Gated& gated, std::size_t index, bool wide, const Style& style) {
  const Step& step = gated.plan.steps[index];
  const Verdict* verdict = verdict_of(gated, index);
  std::string text = soak_text(gated.plan, index, style) + row(std::to_string(index + 1), step, verdict, style);
  if (wide || !is_plain(gated.plan, index)) text += beneath("why", reason_sentence(step.reason));
  const std::string quorum = quorum_sentence(step);
  if (!quorum.empty() && (verdict == nullptr || !is_end(*verdict))) text += beneath("quorum", quorum);
  if (verdict != nullptr) text += verdict_text(step, *verdict);
  if (wide || (verdict != nullptr && !is_end(*verdict) && step.risk >= model::Risk::High)) text += risk_text(step);
  const bool denied = verdict != nullptr && verdict->ruling == model::Ruling::Deny;
  const bool no_way_back = step.undo.compare(0, 2, "no") == 0 && !denied;
  if (!step.undo.empty() && (wide || no_way_back)) text += beneath("undo", step.undo);
  return wide ? text + wide_text(step) : text;
}

}  // namespace quorate::report
