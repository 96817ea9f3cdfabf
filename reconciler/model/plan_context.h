// What a plan was made from, read off the observation and the file.
#pragma once

#include <string>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/plan_json.h"

namespace quorate::model {

// `file_sha256`: of the text of the desired file.
PlanContext context_of(const Desired& desired, const Observed& observed, std::string file_sha256);

}  // namespace quorate::model
