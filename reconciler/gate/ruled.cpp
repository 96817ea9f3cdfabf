// The words come from the table of rules.
#include "reconciler/gate/ruled.h"

#include <utility>

#include "reconciler/model/rules.h"

namespace quorate::gate {

model::Verdict ruled(model::Ruling ruling, model::ExitCode code, std::string_view rule, std::string arithmetic) {
  model::Verdict verdict;
  verdict.ruling = ruling;
  verdict.code = code;
  verdict.rule = rule;
  verdict.text = model::rule_text(rule);
  verdict.arithmetic = std::move(arithmetic);
  return verdict;
}

}  // namespace quorate::gate
