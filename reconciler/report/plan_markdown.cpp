// A plan as a comment on a pull request: headline and table first, the steps folded away, never longer than allowed.
#include "reconciler/model/plan_summary.h"
#include "reconciler/report/escapes.h"
#include "reconciler/report/plan_report.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using model::Gated;
using model::PlanContext;
using model::Verdict;

constexpr std::size_t kMostBytes = 60000;      // GitHub refuses more than 65,536 characters
constexpr std::size_t kReserved = 600;         // for what stands behind the steps
constexpr std::size_t kMostOfNotices = 20000;  // so that notices never crowd out the steps
constexpr std::size_t kMostOfAName = 200;      // in characters, of a cluster or a file
constexpr std::size_t kMostOfATitle = 1000;

// A comment in HTML ends with two dashes and a bracket; a name that has them does not end it.
std::string marker(const std::string& cluster) {
  std::string name;
  for (const char c : shortened(printable(cluster), kMostOfAName))
    name += c == '<' || c == '>' || (c == '-' && !name.empty() && name.back() == '-') ? '?' : c;
  return "<!-- quorate:plan cluster=" + name + " -->\n";
}

std::string cell(const model::Quorum& quorum) {
  if (quorum.voters == 0) return " - |";
  return " " + std::to_string(quorum.voters) + " / " + std::to_string(quorum.needs()) + " / **" +
         (quorum.can_lose() < 0 ? "no writes" : std::to_string(quorum.can_lose())) + "** |";
}

std::string title(const Gated& gated) {
  const std::string cluster = markdown_text(shortened(gated.plan.cluster, kMostOfAName));
  const std::string first = headline(gated);
  if (!first.empty()) return "### " + cluster + ": " + markdown_text(shortened(first, kMostOfATitle)) + "\n";
  if (gated.plan.steps.empty()) {
    const std::size_t left = differences_left(gated);
    return "### " + cluster + ": " +
           (left == 0 ? "no changes" : count_of(left, "difference") + " that no step settles") + "\n";
  }
  return "### " + cluster + ": " + markdown_text(counts_words(gated)) + " — risk " +
         std::string(model::name_of(model::summarise(gated).risk)) + "\n";
}

std::string table(const Gated& gated) {
  const model::Summary summary = model::summarise(gated);
  return "| | now | worst moment | after |\n|---|---|---|---|\n| voters / needs / can lose |" + cell(gated.plan.now) +
         cell(summary.worst) + cell(summary.after) + "\n";
}

std::string origin(const Gated& gated, const PlanContext& context) {
  const std::size_t members = context.answered.size() + context.silent.size();
  std::string text = "\nDesired " + markdown_code(shortened(context.file, kMostOfAName)) + " (sha256 " +
                     markdown_code(context.sha256.substr(0, 12)) + ")";
  if (context.observed_at != base::Time{}) text += " · observed " + moment_words(context.observed_at);
  text += " (" + std::to_string(context.answered.size()) + " of " + count_of(members, "member") + ")";
  return text + " · plan " + markdown_code(shortened(gated.plan.id, kMostOfAName)) + "\n";
}

// GitHub colours lines of a diff by their first character, and knows `!` where we write `~`. No character of a name can
// end the fence: it stands at the start of no line, and has four backticks.
std::string step_line(const Gated& gated, std::size_t index) {
  const model::Step& step = gated.plan.steps[index];
  const Verdict* verdict = verdict_of(gated, index);
  const std::string symbol(model::symbol_of(step));
  std::string mark = symbol == "~" || symbol == "-/+" || symbol == ">" ? "!" : symbol;
  if (verdict != nullptr && is_end(*verdict)) mark = "-";
  std::string text = mark + " " + std::to_string(index + 1) + " " + printable(step_sentence(step));
  const std::string quorum = quorum_sentence(step);
  if (verdict != nullptr) {
    text += "   " + printable(verdict_words(*verdict));
  } else if (!quorum.empty() && !std::holds_alternative<model::AddMember>(step.action)) {
    text += "   " + quorum;
  }
  text += "\n";
  if (!step.reason.text.empty()) text += "#     " + printable(reason_sentence(step.reason)) + "\n";
  if (verdict != nullptr) text += "#     " + printable(verdict->rule + ": " + verdict->text) + "\n";
  return text;
}

std::string details(const Gated& gated, std::size_t room) {
  const auto& steps = gated.plan.steps;
  if (steps.empty()) return "";
  std::string text = "<details><summary>" + count_of(steps.size(), "step") + "</summary>\n\n````diff\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string line = step_line(gated, i);
    if (text.size() + line.size() > room) {
      return text + "````\n" + count_of(steps.size() - i, "more step") +
             " left out here; `quorate show` prints all of the saved plan.\n</details>\n";
    }
    text += line;
  }
  return text + "````\n</details>\n";
}

std::string notices(const Gated& gated) {
  std::string text;
  std::size_t left_out = 0;
  for (const model::Notice& notice : gated.plan.notices) {
    if (!notice.ignored.empty() || is_told_by_steps(gated.plan, notice)) continue;
    std::string line = "- **" + notice_word(notice.level) + "** " + markdown_text(notice.text);
    const std::string place = place_words(notice.file, notice.line);
    if (!place.empty()) line += " (" + markdown_code(place) + ")";
    if (!notice.help.empty()) line += ". " + markdown_text(notice.help);
    if (text.size() + line.size() > kMostOfNotices) {
      ++left_out;
    } else {
      text += line + "\n";
    }
  }
  if (left_out > 0) text += "- " + count_of(left_out, "more notice") + "\n";
  return text.empty() ? text : "\n" + text;
}

std::string ways(const Gated& gated) {
  std::string text;
  const auto add = [&](const Verdict& verdict) {
    for (const model::Way& way : verdict.instead) {
      text += "- " + markdown_text(way.text) + (way.command.empty() ? "" : ": " + markdown_code(way.command)) + "\n";
    }
  };
  if (gated.whole) add(*gated.whole);
  for (const Verdict& verdict : gated.verdicts) add(verdict);
  return text.empty() || text.size() > kMostOfNotices ? "" : "\nWhat works instead:\n" + text;
}

}  // namespace

std::string plan_markdown(const Gated& gated, const PlanContext& context, const PlanOptions& /*options*/) {
  std::string text = marker(gated.plan.cluster) + title(gated) + table(gated) + origin(gated, context);
  std::string rest = ways(gated) + notices(gated);
  const std::string consent = headline(gated).empty() ? consent_words(gated) : "";
  if (!consent.empty()) rest += "\n" + markdown_text(shortened(consent, kMostOfATitle)) + "\n";
  if (!gated.applicable) rest += "\nFor review only; the cluster is looked at again before anything is done.\n";
  const std::size_t taken = text.size() + rest.size() + kReserved;
  return text + details(gated, taken < kMostBytes ? kMostBytes - taken : 0) + rest;
}

}  // namespace quorate::report
