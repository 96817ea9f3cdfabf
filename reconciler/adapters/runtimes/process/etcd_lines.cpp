// By the beginning and the message of a line alone: a line in which more is wrong is told as it is.
#include "reconciler/adapters/runtimes/process/etcd_lines.h"

#include <algorithm>
#include <array>

namespace quorate::adapters::process {
namespace {

using ports::EventLevel;

constexpr base::Duration kPause{60000};
constexpr std::size_t kMostKinds = 100;

bool starts_with(std::string_view line, std::string_view start) {
  return line.substr(0, start.size()) == start;
}

// What etcd says while all is well is for those who ask for everything; its own log has it anyway.
EventLevel level_of(std::string_view line) {
  constexpr std::array<std::string_view, 5> kBad = {"{\"level\":\"error\"", "{\"level\":\"fatal\"",
                                                    "{\"level\":\"panic\"", "panic: ", "fatal error: "};
  for (const std::string_view start : kBad) {
    if (starts_with(line, start)) return EventLevel::Error;
  }
  return starts_with(line, "{\"level\":\"warn\"") ? EventLevel::Warning : EventLevel::Debug;
}

// Nothing of it is unescaped: it is compared, and shown as etcd wrote it.
std::string_view message_of(std::string_view line) {
  constexpr std::string_view kKey = "\"msg\":\"";
  const auto at = line.find(kKey);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + kKey.size());
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2U : 1U;
  return rest.substr(0, end);
}

}  // namespace

Telling EtcdLines::tell(std::string_view line, base::Duration at) {
  const EventLevel level = level_of(line);
  if (level != EventLevel::Warning) return {level, std::string(line)};
  const std::string_view message = message_of(line);
  auto kind = kinds_.find(message);
  if (kind == kinds_.end()) {
    if (kinds_.size() == kMostKinds) kinds_.clear();
    kinds_.emplace(message, Kind{at, 0});
    return {EventLevel::Warning, std::string(line)};
  }
  if (at - kind->second.told < kPause) {
    ++kind->second.since;
    return {EventLevel::Debug, std::string(line)};
  }
  const int more = kind->second.since;
  kind->second = {at, 0};
  return {
      EventLevel::Warning,
      std::string(line) + (more == 0 ? "" : " (and " + std::to_string(more) + " more of these since the last one)")};
}

bool is_milestone(std::string_view line) {
  constexpr std::array<std::string_view, 2> kMilestones = {"starting local member", "serving client traffic "};
  return std::any_of(kMilestones.begin(), kMilestones.end(),
                     [&](std::string_view each) { return line.find(each) != std::string_view::npos; });
}

std::optional<std::string> says_other_cluster(std::string_view line) {
  constexpr std::string_view kIgnored = "request sent was ignored";
  const auto at = line.find(kIgnored);
  if (at == std::string_view::npos || line.find("cluster ID mismatch", at) == std::string_view::npos)
    return std::nullopt;
  const std::string_view message = message_of(line);
  return std::string(message.empty() ? line.substr(at, 200) : message);
}

}  // namespace quorate::adapters::process
