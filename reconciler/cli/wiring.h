// Where the real clock, machine, programs and etcd are put behind the ports, and the world is looked at through them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/cli/arguments.h"
#include "reconciler/loop/preview.h"
#include "reconciler/model/plan_json.h"

namespace quorate::cli {

base::Time now();

// A desired file beside what was seen, or read from --observed. What went wrong was said on stderr.
struct Look {
  std::optional<model::Desired> desired;
  std::string sha256;  // of the desired file
  loop::Bundles bundles;
  bool wrong_file = false;             // as it is now; what is shown is what the agent here follows
  std::vector<model::Notice> notices;  // of what is different here
  model::Observed observed;
  bool live = true;                            // false: handed in, or with members that are only assumed to be up
  model::ExitCode code = model::ExitCode::Ok;  // anything else: there was nothing to look at
  base::Error why;                             // of such a code
};

// OrLastValid: where it is wrong, and an agent here follows what it said last, that will do.
enum class File { Needed, IfThere, OrLastValid };
Look look(const Arguments& arguments, File file);

// The plan for it, with --max-age.
model::SavedPlan preview(const Arguments& arguments, const Look& look);

// Why what was handed in is too old to say anything of now; empty: it is not.
std::string too_old(const Arguments& arguments, const Look& look);

// With ssh-keygen; the armored signature.
base::Result<std::string> sign_observation(const Arguments& arguments, const std::string& text);

}  // namespace quorate::cli
