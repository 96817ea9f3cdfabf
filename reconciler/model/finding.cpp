// Order and weight of findings.
#include "reconciler/model/finding.h"

#include <algorithm>
#include <tuple>

namespace quorate::model {

void sort_by_place(std::vector<Finding>& findings) {
  const auto place = [](const Finding& finding) {
    return std::tuple(finding.place.span.at.line, finding.place.span.at.column);
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return place(a) < place(b); });
}

bool has_errors(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return severity(finding.code) == Severity::Error; });
}

}  // namespace quorate::model
