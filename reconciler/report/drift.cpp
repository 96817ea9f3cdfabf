// Differences as text, JSON, Markdown and remarks of CI systems.
#include "reconciler/report/drift.h"

#include <algorithm>

#include "reconciler/base/utf8.h"
#include "reconciler/model/health.h"
#include "reconciler/report/escapes.h"
#include "reconciler/report/plan_step_text.h"
#include "reconciler/report/plan_words.h"
#include "reconciler/report/prose.h"
#include "reconciler/report/remarks.h"

namespace quorate::report {
namespace {

using base::Json;
using model::ExitCode;
using model::Notice;

using Renderer = std::string (*)(const DriftView&, const PlanOptions&);

bool is_young(const DriftView& view, const Notice& notice) {
  return notice.since && view.context.observed_at - *notice.since < view.policy.delay;
}

struct Sorted {
  std::vector<const Notice*> differences;
  std::size_t young = 0;
  std::size_t ignored = 0;
  std::vector<std::string> ends;  // days on which something stops being ignored
};

Sorted sorted(const DriftView& view) {
  Sorted result;
  for (const Notice& notice : view.gated.plan.notices) {
    if (!notice.drift) continue;
    if (!notice.ignored.empty()) {
      ++result.ignored;
      const auto rule = std::find_if(view.policy.ignore.begin(), view.policy.ignore.end(),
                                     [&](const auto& each) { return each.until && each.reason == notice.ignored; });
      if (rule != view.policy.ignore.end()) result.ends.push_back(base::to_string(*rule->until).substr(0, 10));
    } else if (is_young(view, notice)) {
      ++result.young;
    } else {
      result.differences.push_back(&notice);
    }
  }
  std::sort(result.ends.begin(), result.ends.end());
  return result;
}

std::string object_words(const Notice& notice) {
  return notice.object.compare(0, 7, "member/") == 0 ? notice.object.substr(7) : notice.object;
}

std::string symbol_of(const Notice& notice) {
  if (notice.code == "MemberMissing" || notice.code == "LearnerJoining") return "+";
  if (notice.code == "UnexpectedMember" || notice.code == "MemberDropped" || notice.code == "MemberRetired" ||
      notice.code == "LearnerStuck") {
    return "-";
  }
  return "~";
}

std::string values_words(const Notice& notice) {
  const bool is_field = !notice.field.empty() && notice.field.compare(0, 8, "members.") != 0;
  std::string text =
      is_field && !notice.want.empty() ? notice.field + "  " + notice.have + ", wanted " + notice.want : notice.text;
  const std::string place = place_words(notice.file, notice.line);
  return place.empty() ? text : text + " (" + place + ")";
}

// How it would be settled; empty where nobody but the reader can.
std::string fix_words(const DriftView& view, const Notice& notice) {
  if (!notice.help.empty()) return notice.help;
  if (!is_told_by_steps(view.gated.plan, notice)) return "";
  return "quorate plan (" + count_of(view.gated.plan.steps.size(), "step") + ")";
}

std::string row(const DriftView& view, const Notice& notice, const Style& style) {
  const std::string symbol = symbol_of(notice);
  std::string right = notice_word(notice.level);
  if (notice.since) {
    right += "  since " + moment_words(*notice.since) + " (" +
             base::age_text(view.context.observed_at - *notice.since) + ")";
  }
  const std::string object = printable(object_words(notice)) + "  ";
  const std::size_t indent = std::min<std::size_t>(4 + base::count_characters(object), 40);
  std::string body = wrapped(values_words(notice), 78, indent);
  body = object + body.substr(std::min(indent, body.size()));
  const std::size_t end = body.find('\n');
  const std::string dressed = symbol == "+"   ? style.green(symbol)
                              : symbol == "-" ? style.red(symbol)
                                              : style.yellow(symbol);
  // A name that is longer than the column still ends before the next one.
  const std::string first = body.substr(0, end);
  const std::string gap = base::count_characters(first) + 2 > 76 ? "  " : "";
  std::string text = "  " + dressed + " " + padded(first, 76) + gap + right + "\n" + body.substr(end + 1);
  const std::string difference = difference_words(notice);
  if (!difference.empty() && values_words(notice).find(notice.want) == std::string::npos) {
    text += labelled("", difference, 6, 6);
  }
  return text + labelled("fix", fix_words(view, notice), 6, 14);
}

std::string rest_words(const Sorted& all, const model::Drift& policy) {
  std::string text;
  if (all.young > 0) {
    text += "; " + std::to_string(all.young) + " younger than drift.for (" + base::to_string(policy.delay) + ")";
  }
  if (all.ignored == 0) return text;
  text += "; " + count_of(all.ignored, "difference") + " ignored";
  if (!all.ends.empty()) text += " (" + std::to_string(all.ends.size()) + " until " + all.ends.front() + ")";
  return text;
}

std::string headline_of(const DriftView& view, const Sorted& all) {
  const model::Plan& plan = view.gated.plan;
  if (drift_code(view) != ExitCode::Ok && drift_code(view) != ExitCode::Different) {
    return plan.cluster + ": whether it matches " + view.context.file + " cannot be told";
  }
  if (all.differences.empty()) return plan.cluster + " is Synced with " + view.context.file;
  return plan.cluster + " is OutOfSync with " + view.context.file + ": " +
         count_of(all.differences.size(), "difference");
}

std::string reasons_text(const DriftView& view) {
  std::string text;
  if (view.gated.whole) text += labelled(view.gated.whole->rule, view.gated.whole->arithmetic, 2, 12);
  for (const Notice& notice : view.gated.plan.notices) {
    if (!notice.drift && notice.level == Notice::Level::Critical) {
      text += labelled(notice_word(notice.level), notice.text, 2, 12);
      if (!notice.help.empty()) text += labelled("", "help: " + notice.help, 2, 12);
    }
  }
  for (const auto& [who, why] : view.context.silence) text += labelled("silent", who + ": " + why, 2, 12);
  return text;
}

std::string drift_text(const DriftView& view, const PlanOptions& options) {
  const Sorted all = sorted(view);
  const ExitCode code = drift_code(view);
  std::string text = options.style.bold(printable(headline_of(view, all))) + "\n";
  if (code != ExitCode::Ok && code != ExitCode::Different) text += reasons_text(view);
  for (const Notice* notice : all.differences) text += row(view, *notice, options.style);
  if (options.quiet) return text;
  const std::size_t members = view.context.answered.size() + view.context.silent.size();
  return text +
         printable("Checked " + std::to_string(view.context.answered.size()) + " of " + count_of(members, "member") +
                   rest_words(all, view.policy) + ".") +
         "\n";
}

Json difference_json(const DriftView& view, const Notice& notice) {
  const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); };
  return {{"code", notice.code},
          {"object", notice.object},
          {"field", text(notice.field)},
          {"want", text(notice.want)},
          {"have", text(notice.have)},
          {"severity", model::name_of(notice.level)},
          {"text", notice.text},
          {"help", text(notice.help)},
          {"since", notice.since ? Json(base::to_string(*notice.since)) : Json(nullptr)},
          {"file", text(notice.file)},
          {"line", notice.line > 0 ? Json(notice.line) : Json(nullptr)},
          {"young", is_young(view, notice)},
          {"ignored", text(notice.ignored)}};
}

Json drift_document(const DriftView& view) {
  const Sorted all = sorted(view);
  const model::Plan& plan = view.gated.plan;
  Json root = {{"format_version", "1.0"}, {"kind", "drift"}, {"exit_code", static_cast<int>(drift_code(view))}};
  root["cluster"] = {{"name", plan.cluster},
                     {"id", plan.cluster_id.value == 0 ? Json(nullptr) : Json(base::to_string(plan.cluster_id))}};
  root["sync"] = model::name_of(model::sync_of(view.gated));
  root["observed"] = {{"at", base::to_string(view.context.observed_at)},
                      {"answered", view.context.answered},
                      {"silent", view.context.silent},
                      {"silence", view.context.silence}};
  root["summary"] = {{"differences", all.differences.size()}, {"young", all.young}, {"ignored", all.ignored}};
  root["differences"] = Json::array();
  for (const Notice& notice : plan.notices) {
    if (notice.drift) root["differences"].push_back(difference_json(view, notice));
  }
  return root;
}

std::string drift_json(const DriftView& view, const PlanOptions& /*options*/) {
  return document(drift_document(view));
}

std::string drift_yaml(const DriftView& view, const PlanOptions& options) {
  return yaml_of(drift_json(view, options));
}

std::string drift_markdown(const DriftView& view, const PlanOptions& /*options*/) {
  constexpr std::size_t kMostRows = 100;
  constexpr std::size_t kMostOfATitle = 500;
  constexpr std::size_t kMostOfACell = 2000;
  constexpr std::size_t kMostBytes = 50000;  // GitHub refuses more than 65,536 characters
  const Sorted all = sorted(view);
  std::string text = "### " + markdown_text(shortened(headline_of(view, all), kMostOfATitle)) + "\n";
  if (all.differences.empty()) return text;
  text += "\n| member | difference | level |\n|---|---|---|\n";
  std::size_t shown = 0;
  for (; shown < all.differences.size() && shown < kMostRows; ++shown) {
    const Notice& notice = *all.differences[shown];
    const std::string row = "| " + markdown_text(shortened(object_words(notice), kMostOfATitle)) + " | " +
                            markdown_text(shortened(values_words(notice), kMostOfACell)) + " | " +
                            notice_word(notice.level) + " |\n";
    if (text.size() + row.size() > kMostBytes) break;
    text += row;
  }
  if (shown < all.differences.size()) text += "\n" + std::to_string(all.differences.size() - shown) + " more\n";
  return text;
}

std::vector<Remark> remarks_of(const DriftView& view) {
  std::vector<Remark> all;
  const ExitCode code = drift_code(view);
  for (const Notice* notice : sorted(view).differences) all.push_back(remark_of(*notice, view.context.file));
  if (code == ExitCode::Ok || code == ExitCode::Different) return all;
  for (const Notice& notice : view.gated.plan.notices) {
    if (!notice.drift && notice.level == Notice::Level::Critical) all.push_back(remark_of(notice, view.context.file));
  }
  return all;
}

std::string drift_github(const DriftView& view, const PlanOptions& /*options*/) {
  return remarks_github(remarks_of(view));
}

std::string drift_sarif(const DriftView& view, const PlanOptions& options) {
  return remarks_sarif(remarks_of(view), options.tool_version);
}

std::string drift_junit(const DriftView& view, const PlanOptions& /*options*/) {
  return remarks_junit(remarks_of(view), "quorate drift", view.gated.plan.cluster);
}

struct Format {
  std::string_view name;
  Renderer render;
};

constexpr Format kFormats[] = {
    {"text", drift_text},     {"json", drift_json},   {"yaml", drift_yaml},   {"markdown", drift_markdown},
    {"github", drift_github}, {"sarif", drift_sarif}, {"junit", drift_junit},
};

}  // namespace

ExitCode drift_code(const DriftView& view) {
  ExitCode code = sorted(view).differences.empty() ? ExitCode::Ok : ExitCode::Different;
  code = model::worst(code, view.gated.plan.stop);
  return view.gated.whole && view.gated.whole->code == ExitCode::Unknown ? model::worst(code, ExitCode::Unknown) : code;
}

const std::vector<std::string_view>& drift_formats() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Format& format : kFormats) all.push_back(format.name);
    return all;
  }();
  return names;
}

std::optional<std::string> render_drift(std::string_view format, const DriftView& view, const PlanOptions& options) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.render(view, options);
  }
  return std::nullopt;
}

std::string drift_words(const DriftView& view) {
  const Sorted all = sorted(view);
  const std::string first = all.differences.empty() ? "none" : count_of(all.differences.size(), "difference");
  return first + rest_words(all, view.policy);
}

}  // namespace quorate::report
