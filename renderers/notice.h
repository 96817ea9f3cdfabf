// The first line of every file that can hold a comment: whose it is, and that it is no place for changes.
#pragma once

#include <string>

#include "reconciler/model/desired.h"

namespace quorate::renderers {

std::string notice(const model::Desired& cluster);
std::string notice(const model::Desired& cluster, const model::Member& member);

}  // namespace quorate::renderers
