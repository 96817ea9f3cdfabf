// "What if this member answered": a world that nobody has seen, for plans that are only looked at.
#pragma once

#include "reconciler/base/ids.h"
#include "reconciler/model/observed.h"

namespace quorate::model {

// Nothing changes when the member is not in the list or answers already.
void assume_up(Observed& observed, base::MemberId member);

}  // namespace quorate::model
