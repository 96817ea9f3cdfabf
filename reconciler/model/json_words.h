// The words that stand for values in our JSON documents where the values have no names of their own, for both
// directions.
#pragma once

#include <array>
#include <string_view>

#include "reconciler/base/yaml_text.h"
#include "reconciler/model/json_place.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

inline constexpr std::array<AlarmKind, 2> kAlarmKinds = {AlarmKind::NoSpace, AlarmKind::Corrupt};
inline constexpr std::array<DataState, 6> kDataStates = {DataState::Fresh,   DataState::Empty,   DataState::Valid,
                                                         DataState::Damaged, DataState::Foreign, DataState::Reverted};
inline constexpr std::array<StepClass, 5> kStepClasses = {StepClass::Heal, StepClass::Change, StepClass::Upgrade,
                                                          StepClass::Destructive, StepClass::Restore};

std::string_view word_of(AlarmKind kind);   // "NOSPACE", as etcd says it
std::string_view word_of(DataState state);  // "valid"

// Null where the value says that there is none.
base::Json id_or_null(std::uint64_t id);
base::Json text_or_null(const std::string& text);
base::Json time_or_null(base::Time time);  // the epoch: never

base::Json alarm_json(const Alarm& alarm);
Alarm read_alarm(const JsonPlace& place);

// Indented, with a line break at its end, and never failing on bytes that are not UTF-8.
std::string document_text(const base::Json& root);

}  // namespace quorate::model
