// What people have said to the agents of a node: as one JSON form, and kept where there is no quorum that could keep
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/model/json_place.h"
#include "reconciler/model/json_words.h"
#include "reconciler/model/records.h"
#include "reconciler/ports/host.h"

namespace quorate::cli {

base::Json allowed_json(const model::Allowed& allowed);
model::Allowed read_allowed(const model::JsonPlace& place);
base::Json paused_json(const model::Paused& paused);
model::Paused read_paused(const model::JsonPlace& place);

struct Said {
  std::vector<model::Allowed> allowed;
  std::optional<model::Paused> paused;
};

// Of one thing the last word counts, a yes and a no each for itself: an earlier one like it goes.
void forget(Said& said, const model::Allowed& allowed);

std::string said_path(const std::string& state_dir, const std::string& cluster);
// On disk when it returns. What has ended by `now` is left out.
base::Result<void> keep_said(ports::Host& host, const std::string& path, const Said& said, base::Time now);
// Empty where nobody has said anything.
base::Result<Said> said_in(ports::Host& host, const std::string& path);

}  // namespace quorate::cli
