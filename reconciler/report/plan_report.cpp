// Which formats there are; JSON and YAML are one document.
#include "reconciler/report/plan_report.h"

#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

using Renderer = std::string (*)(const model::Gated&, const model::PlanContext&, const PlanOptions&);

std::string plan_json(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& /*options*/) {
  return safe_json(model::to_json(gated, context));
}

struct Format {
  std::string_view name;
  Renderer render;
};

constexpr Format kFormats[] = {
    {"text", plan_text},         {"wide", plan_wide},     {"json", plan_json},   {"yaml", plan_yaml},
    {"markdown", plan_markdown}, {"github", plan_github}, {"sarif", plan_sarif}, {"junit", plan_junit},
};

}  // namespace

const std::vector<std::string_view>& plan_formats() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Format& format : kFormats) all.push_back(format.name);
    return all;
  }();
  return names;
}

std::optional<std::string> render_plan(std::string_view format, const model::Gated& gated,
                                       const model::PlanContext& context, const PlanOptions& options) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.render(gated, context, options);
  }
  return std::nullopt;
}

std::string plan_yaml(const model::Gated& gated, const model::PlanContext& context, const PlanOptions& /*options*/) {
  return yaml_of(model::to_json(gated, context));
}

}  // namespace quorate::report
