// One list for both directions.
#include "reconciler/model/step_class.h"

#include <array>
#include <utility>

#include "reconciler/base/check.h"

namespace quorate::model {
namespace {

constexpr std::array<std::pair<StepClass, std::string_view>, 5> kNames{{{StepClass::Heal, "heal"},
                                                                        {StepClass::Change, "change"},
                                                                        {StepClass::Upgrade, "upgrade"},
                                                                        {StepClass::Destructive, "destructive"},
                                                                        {StepClass::Restore, "restore"}}};

}  // namespace

std::string_view name_of(StepClass step_class) {
  for (const auto& [value, name] : kNames) {
    if (value == step_class) return name;
  }
  QUORATE_CHECK(false);
  return "";
}

std::optional<StepClass> step_class_named(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace quorate::model
