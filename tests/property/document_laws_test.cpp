// Laws of the JSON documents between stages: what is written reads back as it was, and fits its schema.
#include <gtest/gtest.h>
// Its header wants gtest's in front of it.
#include <string>

#include <rapidcheck/gtest.h>

#include "reconciler/model/observed_json.h"
#include "reconciler/model/plan_json.h"
#include "reconciler/model/plan_summary.h"
#include "reconciler/model/signed_observation.h"
#include "schema/embedded.h"
#include "tests/support/json_schema.h"
#include "tests/support/plan_gen.h"

namespace quorate {

using support::any_observed;
using support::any_saved_plan;
using support::JsonSchema;

RC_GTEST_PROP(DocumentLaws, AnObservationReadsBackAsItWasWritten, ()) {
  const model::Observed observed = *any_observed().as("observed");
  const std::string text = to_json(observed);
  const auto read = model::read_observed(text, "o.json");
  if (!read) RC_FAIL(read.error().message + "\n" + text);
  RC_ASSERT(*read == observed);
  RC_ASSERT(to_json(*read) == text);
}

RC_GTEST_PROP(DocumentLaws, AnObservationFitsItsSchema, ()) {
  static const JsonSchema schema(schema::observation());
  const std::string text = to_json(*any_observed());
  const std::string problems = schema.problems(text);
  if (!problems.empty()) RC_FAIL(problems + text);
}

RC_GTEST_PROP(DocumentLaws, APlanReadsBackAsItWasWritten, ()) {
  const model::SavedPlan saved = *any_saved_plan();
  const std::string text = to_json(saved.gated, saved.context);
  const auto read = model::read_plan(text, "p.json");
  if (!read) RC_FAIL(read.error().message + "\n" + text);
  RC_ASSERT(*read == saved);
  RC_ASSERT(to_json(read->gated, read->context) == text);
}

RC_GTEST_PROP(DocumentLaws, APlanFitsItsSchema, ()) {
  static const JsonSchema schema(schema::plan());
  const model::SavedPlan saved = *any_saved_plan();
  const std::string text = to_json(saved.gated, saved.context);
  const std::string problems = schema.problems(text);
  if (!problems.empty()) RC_FAIL(problems + text);
}

RC_GTEST_PROP(DocumentLaws, EveryStepIsCountedOnce, ()) {
  const model::Gated gated = (*any_saved_plan()).gated;
  const model::Summary sum = model::summarise(gated);
  RC_ASSERT(sum.add + sum.change + sum.remove + sum.replace + sum.actions == static_cast<int>(gated.plan.steps.size()));
  for (const model::Step& step : gated.plan.steps) {
    RC_ASSERT(sum.worst.can_lose() <= step.before.can_lose());
    RC_ASSERT(sum.worst.can_lose() <= step.after.can_lose());
    RC_ASSERT(sum.risk >= step.risk);
  }
}

RC_GTEST_PROP(DocumentLaws, ATextCutAnywhereIsTruncatedAndNothingElse, ()) {
  const std::string text = to_json(*any_observed());
  const auto at = *rc::gen::inRange<std::size_t>(1, text.size() - 2);  // the last brace and its line break stay out
  const auto read = model::read_observed(text.substr(0, at), "o.json");
  RC_ASSERT(!read);
  RC_ASSERT(read.error().kind == base::ErrorKind::Invalid);
  RC_ASSERT(read.error().message.find("truncated") != std::string::npos);
}

RC_GTEST_PROP(DocumentLaws, AChangedByteIsReadOrRefusedButNeverHarms, ()) {
  std::string text = to_json(*any_observed());
  const int changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) {
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  }
  const auto read = model::read_observed(text, "o.json");
  if (read) {
    const auto again = model::read_observed(to_json(*read), "o.json");
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == *read);
  } else {
    RC_ASSERT(read.error().kind == base::ErrorKind::Invalid);
  }
}

RC_GTEST_PROP(DocumentLaws, ASignedObservationKeepsItsTextByteForByte, ()) {
  const std::string text = to_json(*any_observed());
  const auto opened = model::open_observation(model::signed_observation(text, "armor\nlines\n"), "s.json");
  RC_ASSERT(opened.has_value());
  RC_ASSERT(opened->text == text);
  RC_ASSERT(opened->signature == std::string("armor\nlines\n"));
}

}  // namespace quorate
