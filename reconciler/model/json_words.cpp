// Small pieces of documents, written and read.
#include "reconciler/model/json_words.h"

namespace quorate::model {

std::string_view word_of(AlarmKind kind) {
  return kind == AlarmKind::Corrupt ? "CORRUPT" : "NOSPACE";
}

std::string_view word_of(DataState state) {
  switch (state) {
    case DataState::Fresh:
      return "fresh";
    case DataState::Empty:
      return "empty";
    case DataState::Valid:
      return "valid";
    case DataState::Damaged:
      return "damaged";
    case DataState::Foreign:
      return "foreign";
    case DataState::Reverted:
      return "reverted";
  }
  return "";
}

base::Json id_or_null(std::uint64_t id) {
  return id == 0 ? base::Json(nullptr) : base::Json(base::id_text(id));
}

base::Json text_or_null(const std::string& text) {
  return text.empty() ? base::Json(nullptr) : base::Json(text);
}

base::Json time_or_null(base::Time time) {
  return time == base::Time{} ? base::Json(nullptr) : base::Json(base::to_string(time));
}

base::Json alarm_json(const Alarm& alarm) {
  return {{"member", base::to_string(alarm.member)}, {"kind", word_of(alarm.kind)}};
}

Alarm read_alarm(const JsonPlace& place) {
  Alarm alarm;
  alarm.member.value = place.at("member").id();
  alarm.kind = one_of(place.at("kind"), kAlarmKinds, [](AlarmKind kind) { return word_of(kind); });
  return alarm;
}

std::string document_text(const base::Json& root) {
  return root.dump(2, ' ', false, base::Json::error_handler_t::replace) + "\n";
}

}  // namespace quorate::model
