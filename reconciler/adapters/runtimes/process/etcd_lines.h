// Which of etcd's lines people are told while it runs, and how often: etcd repeats a warning many times a second.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/base/units.h"
#include "reconciler/ports/events.h"

namespace quorate::adapters::process {

struct Telling {
  ports::EventLevel level = ports::EventLevel::Debug;
  std::string text;
};

class EtcdLines {
 public:
  // `at` moves on steadily. A warning of one kind is told once a minute, then with how many there were meanwhile.
  Telling tell(std::string_view line, base::Duration at);

 private:
  struct Kind {
    base::Duration told{};
    int since = 0;
  };
  std::map<std::string, Kind, std::less<>> kinds_;  // by etcd's message
};

// What every release says once there is a log, and once it answers. They wake who waits for that, and no more: whether
// it is so is looked at.
bool is_milestone(std::string_view line);

// Its peers do not take it for one of theirs, as every release puts it; the line without what else stands in it.
std::optional<std::string> says_other_cluster(std::string_view line);

}  // namespace quorate::adapters::process
