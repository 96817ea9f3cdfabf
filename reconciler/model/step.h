// One thing to do to the world: what, to whom, why, what must hold before, what holds after, and what it risks.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/action.h"
#include "reconciler/model/claim.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/step_class.h"

namespace quorate::model {

enum class Risk { None, Low, Medium, High, Critical };

struct Quorum {
  int voters = 0;
  int up = 0;
  int needs() const;
  int can_lose() const;  // of those that are up while writes go on; negative: they have stopped
  friend bool operator==(const Quorum&, const Quorum&) = default;
};
Quorum quorum_of(const Observed& observed);

struct Reason {
  std::string code;  // "MemberEmptied"
  std::string text;  // one clause: "its agent reports an empty data directory"
  std::map<std::string, std::string> evidence;
  std::string file;  // that asked for it; empty: no line did
  int line = 0;
  friend bool operator==(const Reason&, const Reason&) = default;
};

// As the journal has it: "MemberEmptied: its agent reports an empty data directory".
std::string why_of(const Reason& reason);

// Why a step is taken whose removal has been announced already.
inline constexpr const char* kCondemned = "MemberCondemned";

// Why data give way: the file ordered it, or says that nobody has to be asked. Any other reason waits for people.
inline constexpr const char* kRecoveryOrdered = "RecoveryOrdered";
inline constexpr const char* kRecoveryAutomatic = "RecoveryAutomatic";
// Why a member of a cluster that came back is restarted without its fence: the yes to the decision was a yes to its
// end.
inline constexpr const char* kFenceOpens = "FenceOpens";

struct Step {
  std::string id;
  Action action;
  std::string owner;  // the node that acts, or "cluster"
  StepClass step_class = StepClass::Change;
  Reason reason;
  std::vector<Claim> needs;
  std::vector<Claim> ensures;
  Quorum before;
  Quorum after;
  Risk risk = Risk::None;
  std::vector<std::string> risk_why;
  std::string undo;  // how to take it back; empty: nothing to take back, or no way ("no; ..." says so)
  friend bool operator==(const Step&, const Step&) = default;
};

std::string_view name_of(Risk risk);
// "+", "-", "~", "-/+", ">"
std::string_view symbol_of(const Step& step);

}  // namespace quorate::model
