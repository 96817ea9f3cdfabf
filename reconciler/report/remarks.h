// Things that a CI system shows beside a file: of a plan, or of a check for drift, in the formats of such systems.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/plan.h"

namespace quorate::report {

struct Remark {
  enum class Level { Note, Warning, Error } level = Level::Warning;
  std::string id;      // of the rule or the reason: "Q1", "VersionSkew"
  std::string object;  // what it is about, the same as long as it is the same thing
  std::string title;
  std::string text;  // sentences
  std::string file;  // empty: no place
  int line = 0;
};

Remark remark_of(const model::Notice& notice, const std::string& file);

std::string remarks_github(const std::vector<Remark>& remarks);
std::string remarks_sarif(const std::vector<Remark>& remarks, std::string_view tool_version);
// One case for each remark; what is worse than a note fails. `command` names the run, `suite` the cluster.
std::string remarks_junit(const std::vector<Remark>& remarks, std::string_view command, std::string_view suite);

}  // namespace quorate::report
