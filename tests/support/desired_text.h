// Desired clusters from the text of a file, through the same stages as the product.
#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "reconciler/load/load.h"
#include "reconciler/validate/validate.h"

namespace quorate::support {

// Fails the test when the text has an error.
inline model::Desired desired_of(std::string text, std::string directory = "/srv/etcd") {
  const auto loaded = load::load(model::Source("quorate.yaml", std::move(text), std::move(directory)));
  for (const auto& finding : loaded.findings) ADD_FAILURE() << finding.message;
  if (!loaded.spec) return {};
  auto validated = validate::validate(*loaded.spec);
  for (const auto& finding : validated.findings) {
    if (model::severity(finding.code) == model::Severity::Error) ADD_FAILURE() << finding.message;
  }
  return validated.desired ? std::move(*validated.desired) : model::Desired{};
}

}  // namespace quorate::support
