// The line that keeps people from editing what the next pass writes again.
#include "renderers/notice.h"

namespace quorate::renderers {

std::string notice(const model::Desired& cluster) {
  return "# written by quorate for cluster " + cluster.name + "; changes here are put back\n";
}

std::string notice(const model::Desired& cluster, const model::Member& member) {
  return "# written by quorate for member " + member.name + " of cluster " + cluster.name +
         "; changes here are put back\n";
}

}  // namespace quorate::renderers
