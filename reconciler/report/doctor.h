// What was looked at on the way between this machine and its cluster: well, doubtful or broken, and what to do next.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/exit_code.h"
#include "reconciler/report/plan_report.h"

namespace quorate::report {

enum class Finds { Ok, Warn, Fail };

struct Examined {
  Finds finds = Finds::Ok;
  std::string part;  // of what: "etcd-a", "this machine"
  std::string text;  // one sentence without a full stop
  std::string help;  // what to do next; empty where all is well
};

std::string_view name_of(Finds finds);
model::ExitCode doctor_code(const std::vector<Examined>& examined);  // Failed where something is broken

// Formats text, json and yaml.
std::optional<std::string> render_doctor(std::string_view format, const std::vector<Examined>& examined,
                                         const PlanOptions& options);

}  // namespace quorate::report
