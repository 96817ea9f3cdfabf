// Names of what the gate can say.
#include "reconciler/model/verdict.h"

namespace quorate::model {

std::string_view name_of(Ruling ruling) {
  switch (ruling) {
    case Ruling::Go:
      return "go";
    case Ruling::Hold:
      return "hold";
    case Ruling::Deny:
      return "deny";
  }
  return "";
}

}  // namespace quorate::model
