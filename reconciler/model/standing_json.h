// Decisions, pledges and what goes with them, in reports, memories, plans and directories, for both directions.
#pragma once

#include <string>
#include <string_view>

#include "reconciler/base/result.h"
#include "reconciler/model/json_place.h"
#include "reconciler/model/json_words.h"
#include "reconciler/model/standing.h"

namespace quorate::model {

base::Json decision_json(const Decision& decision);
Decision read_decision(const JsonPlace& place);
base::Json standing_json(const Standing& standing);
Standing read_standing(const JsonPlace& place);

// The file that stands in a directory that was set apart for a decision, so that the promise outlives every memory.
std::string to_json(const Decision& decision);
base::Result<Decision> read_decision_file(std::string_view text, const std::string& name);

base::Json voters_json(const Voters& voters);
Voters read_voters(const JsonPlace& place);
std::string to_json(const RecordedVoters& recorded);
base::Result<RecordedVoters> read_recorded_voters(std::string_view text, const std::string& name);

}  // namespace quorate::model
