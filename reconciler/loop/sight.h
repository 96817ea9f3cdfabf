// Who was seen when: how an agent becomes a witness of another member's silence.
#pragma once

#include <map>
#include <vector>

#include "reconciler/base/ids.h"
#include "reconciler/base/units.h"
#include "reconciler/model/agent_report.h"

namespace quorate::loop {

enum class Witness { No, Yes };      // Yes: who our own etcd is connected to is asked, too
enum class Patience { Some, Full };  // Full: for all alike, where silence decides what cannot be undone

class Sights {
 public:
  // `at` is ports::Clock::elapsed. Members not named before count as seen now: nobody has watched them yet.
  void look(base::Duration at, const std::vector<base::MemberId>& listed, const std::vector<base::MemberId>& seen);
  // What this agent did not look for, or could not, it does not speak of.
  void blind();
  std::vector<model::Sight> at(base::Duration at) const;

 private:
  base::Duration last_look_{};
  std::map<base::MemberId, base::Duration> last_seen_;
  std::map<base::MemberId, bool> seen_now_;
};

}  // namespace quorate::loop
