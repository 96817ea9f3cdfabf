// Lines of a journal: one JSON object each, keys in a fixed order.
#include "reconciler/model/journal_entry.h"

#include <array>

#include "reconciler/model/json_words.h"

namespace quorate::model {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 10;
constexpr std::array<JournalEvent, 4> kEvents = {JournalEvent::Intent, JournalEvent::Done, JournalEvent::Failed,
                                                 JournalEvent::Unclear};

}  // namespace

std::string_view name_of(JournalEvent event) {
  switch (event) {
    case JournalEvent::Intent:
      return "intent";
    case JournalEvent::Done:
      return "done";
    case JournalEvent::Failed:
      return "failed";
    case JournalEvent::Unclear:
      return "unclear";
  }
  return "";
}

std::string to_json_line(const JournalEntry& entry) {
  base::Json line = base::Json::object();
  line["at"] = base::to_string(entry.at);
  line["event"] = name_of(entry.event);
  line["member"] = entry.member;
  line["plan"] = entry.plan;
  line["step"] = entry.step;
  line["class"] = entry.step_class;
  line["desired_digest"] = entry.desired_digest;
  line["text"] = entry.text;
  if (!entry.approved_by.empty()) line["approved_by"] = entry.approved_by;
  if (!entry.approved_why.empty()) line["approved_why"] = entry.approved_why;
  return line.dump(-1, ' ', false, base::Json::error_handler_t::replace);
}

base::Result<JournalEntry> read_journal_line(std::string_view line, const std::string& name) {
  const auto tree = parse_json(line, name, kMostBytes);
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  const JsonPlace root(reading);
  JournalEntry entry;
  entry.at = root.at("at").time();
  entry.event = one_of(root.at("event"), kEvents, [](JournalEvent event) { return name_of(event); });
  entry.member = root.at("member").text();
  entry.plan = root.at("plan").text();
  entry.step = root.at("step").text();
  entry.step_class = root.at("class").text();
  entry.desired_digest = root.at("desired_digest").text();
  entry.text = root.at("text").text();
  if (root.has("approved_by")) entry.approved_by = root.at("approved_by").text();
  if (root.has("approved_why")) entry.approved_why = root.at("approved_why").text();
  if (reading.problem.empty()) return entry;
  return base::invalid(name + ": " + reading.problem, "");
}

}  // namespace quorate::model
