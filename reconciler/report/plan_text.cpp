// A plan for people: what it was made from, its steps, what works instead of those that may not run, and the sum.
#include <algorithm>

#include "reconciler/base/utf8.h"
#include "reconciler/model/plan_summary.h"
#include "reconciler/report/plan_report.h"
#include "reconciler/report/plan_step_text.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using model::Gated;
using model::Notice;
using model::PlanContext;
using model::Verdict;

std::string head_line(std::string_view name, std::string_view text) {
  return labelled(name, text, 2, 12);
}

std::string age_words(const PlanContext& context, const PlanOptions& options) {
  if (!options.now || context.observed_at == base::Time{}) return "";
  const base::Duration age = *options.now - context.observed_at;
  return age.count() < 0 ? "" : base::age_text(age) + " ago";
}

std::string desired_text(const Gated& gated, const PlanContext& context) {
  const std::string& digest = context.sha256.empty() ? gated.plan.desired_digest : context.sha256;
  return head_line("desired", context.file + (digest.empty() ? "" : ", sha256 " + digest.substr(0, 12)));
}

std::string observed_text(const PlanContext& context, const PlanOptions& options) {
  std::string text = context.observed_at == base::Time{} ? "" : moment_words(context.observed_at);
  const std::string age = age_words(context, options);
  if (!age.empty()) text += " (" + age + ")";
  if (!context.observed_by.empty()) text += " by " + context.observed_by;
  text += context.answered.empty() ? ": no member answers" : ": " + joined(context.answered, "and") + " answered";
  std::vector<std::string> untold;
  for (const std::string& name : context.silent) {
    if (context.silence.count(name) == 0) untold.push_back(name);
  }
  if (!context.answered.empty() && !untold.empty()) text += ", " + joined(untold, "and") + " did not";
  std::string lines = head_line("observed", text);
  for (const auto& [who, why] : context.silence) lines += head_line("", who + ": " + why);
  return lines;
}

std::string now_text(const Gated& gated, const Style& style) {
  const model::Quorum& now = gated.plan.now;
  const model::Risk risk = model::summarise(gated).risk;
  const std::string quorum = now.voters == 0 ? "no member list that a majority stands behind" : quorum_words(now);
  std::string word(model::name_of(risk));
  for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
  std::string line = "  now       " + quorum;
  if (gated.plan.steps.empty() || !headline(gated).empty()) return line + "\n";
  line = padded(line, 80) + "risk ";
  return line + (risk >= model::Risk::High ? style.red(word) : style.bold(word)) + "\n";
}

std::string header_text(const Gated& gated, const PlanContext& context, const PlanOptions& options) {
  const model::Plan& plan = gated.plan;
  std::string title = "Plan " + plan.id + " for " + plan.cluster;
  if (plan.cluster_id.value != 0) title += " (" + base::to_string(plan.cluster_id) + ")";
  return options.style.bold(printable(title)) + "\n" + desired_text(gated, context) + observed_text(context, options) +
         now_text(gated, options.style);
}

std::string ways_text(const std::vector<model::Way>& ways) {
  std::string text;
  std::size_t width = 0;
  for (const model::Way& way : ways) {
    if (!way.command.empty()) width = std::max(width, base::count_characters(printable(way.text)));
  }
  char letter = 'a';
  for (const model::Way& way : ways) {
    const std::string command = way.command.empty() ? "" : "see it:  " + printable(way.command);
    const bool fits = 6 + width + 2 + command.size() <= kPlanWidth;
    const std::string body = wrapped(way.text, kPlanWidth, 6);
    if (body.empty()) continue;
    std::string line = std::string("   ") + letter + "  " + body.substr(6);
    if (letter < 'z') ++letter;
    if (!command.empty() && fits) {
      line.pop_back();
      line = padded(line, 6 + width) + "  " + command + "\n";
    } else if (!command.empty()) {
      line += "      " + command + "\n";
    }
    text += line;
  }
  return text.empty() ? text : "\n  What works instead:\n" + text;
}

// One way out may serve many steps.
void add_ways(const std::vector<model::Way>& more, std::vector<model::Way>& ways) {
  for (const model::Way& way : more) {
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
  }
}

std::string no_flag_text(const Verdict& verdict) {
  const bool hard = verdict.ruling == model::Ruling::Deny && !verdict.rule.empty() && verdict.rule.front() == 'Q';
  return hard ? "\n  No flag overrides " + printable(verdict.rule) + ".\n" : "";
}

std::string whole_text(const Gated& gated) {
  if (!gated.whole || gated.whole->ruling == model::Ruling::Go) return "";
  return "\n" + labelled(gated.whole->rule, gated.whole->text, 2, 8);
}

std::string notice_text(const Notice& notice, const Style& style) {
  const std::string word = notice_word(notice.level);
  std::string text = notice.text;
  const std::string place = place_words(notice.file, notice.line);
  if (!place.empty()) text += " (" + place + ")";
  std::string lines = labelled(word, text, 2, 12);
  if (style.color && notice.level != Notice::Level::Info) {
    const std::string dressed = notice.level == Notice::Level::Critical ? style.red(word) : style.yellow(word);
    lines.replace(2, word.size(), dressed);
  }
  lines += labelled("", difference_words(notice), 2, 12);
  if (!notice.ignored.empty()) lines += labelled("", "ignored: " + notice.ignored, 2, 12);
  return notice.help.empty() ? lines : lines + labelled("", "help: " + notice.help, 2, 12);
}

std::string notices_text(const Gated& gated, bool wide, const PlanOptions& options) {
  std::string text;
  for (const Notice& notice : gated.plan.notices) {
    if (!wide && (!notice.ignored.empty() || is_told_by_steps(gated.plan, notice))) continue;
    if (options.quiet && notice.level == Notice::Level::Info) continue;
    text += notice_text(notice, options.style);
  }
  return text.empty() ? text : "\n" + text;
}

std::string remarks_text(const Gated& gated, const PlanContext& context) {
  std::string text;
  for (const std::string& remark : remarks(gated, context)) text += wrapped(remark, kPlanWidth, 2);
  return text.empty() ? text : "\n" + text;
}

std::string checks_text(const Gated& gated) {
  std::string passed;
  std::string failed;
  for (const model::Check& check : gated.checks) {
    std::string& list = check.passed ? passed : failed;
    list += (list.empty() ? "" : " ") + check.id;
  }
  return "\n" + labelled("checks", (passed.empty() ? "none" : passed) + " passed", 2, 12) +
         (failed.empty() ? "" : labelled("", failed + " failed", 2, 12));
}

std::string sum_text(const Gated& gated) {
  std::string text;
  if (headline(gated).empty() && !gated.plan.steps.empty()) {
    text = "\nPlan: " + counts_words(gated) + ". " + consent_words(gated) + "\n";
  }
  if (!gated.applicable && headline(gated).empty()) {
    text += "For review only: it was made from an observation that was handed in.\n";
  }
  return text;
}

std::string steps_text(const Gated& gated, bool wide, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) text += step_text(gated, i, wide, style);
  return text.empty() ? text : "\n" + text;
}

std::string no_changes_text(const Gated& gated, const PlanContext& context, const PlanOptions& options) {
  std::string text = no_changes_sentence(gated, context);
  const std::string age = age_words(context, options);
  const std::size_t end = text.rfind(" checked)");
  if (!age.empty() && end != std::string::npos) text.insert(end + 8, ", " + age);
  return wrapped(text, kPlanWidth, 0);
}

std::string render(const Gated& gated, const PlanContext& context, const PlanOptions& options, bool wide) {
  const std::string first = headline(gated);
  const bool nothing = gated.plan.steps.empty() && first.empty();
  if (nothing && !wide) {
    return no_changes_text(gated, context, options) + notices_text(gated, wide, options);
  }
  std::string text = nothing ? no_changes_text(gated, context, options) : "";
  if (!first.empty()) text += options.style.red(printable(first)) + "\n";
  text += header_text(gated, context, options) + whole_text(gated) + steps_text(gated, wide, options.style);
  std::string hard;
  std::vector<model::Way> ways;
  if (gated.whole) add_ways(gated.whole->instead, ways);
  for (std::size_t i = 0; i < gated.plan.steps.size(); ++i) {
    const Verdict* verdict = verdict_of(gated, i);
    if (verdict == nullptr) continue;
    add_ways(verdict->instead, ways);
    if (hard.empty()) hard = no_flag_text(*verdict);
  }
  text += ways_text(ways);
  text += hard + notices_text(gated, wide, options);
  if (!options.quiet) text += remarks_text(gated, context);
  return text + (wide ? checks_text(gated) : "") + sum_text(gated);
}

}  // namespace

std::string plan_text(const Gated& gated, const PlanContext& context, const PlanOptions& options) {
  return render(gated, context, options, false);
}

std::string plan_wide(const Gated& gated, const PlanContext& context, const PlanOptions& options) {
  return render(gated, context, options, true);
}

}  // namespace quorate::report
