// An empty directory is no reason to refuse unless something was in it: then a start would be amnesia with a vote.
#include "reconciler/model/may_start.h"

namespace quorate::model {
namespace {

constexpr const char* kReplace =
    "leave it stopped: with a quorum the others replace it under a new ID, see quorate plan; never start it by hand";

MayStart no(std::string text, std::string help) {
  return {false, std::move(text), std::move(help)};
}

std::string who(const DataDir& data) {
  return "member " + base::to_string(data.member) + " of cluster " + base::to_string(data.cluster);
}

}  // namespace

MayStart may_start(const std::string& member, const DataDir& data, const Memory* memory, const Marker* marker) {
  if (memory != nullptr && memory->withdrawn) {
    return no(member + " was taken out of service", "put it back into the desired file, or remove what starts it");
  }
  if (memory != nullptr && memory->standing.pledge && !memory->standing.pledge->started) {
    return no(member + " keeps to decision " + memory->standing.pledge->decision.id + " and stays stopped",
              "its agent starts it again when the decision is carried out or given up");
  }
  if (marker != nullptr && marker->name != member) {
    return no(data.path + " belongs to " + marker->name + ", says the marker in it",
              "give " + member + " a directory of its own; see storage.dir");
  }
  if (data.disk_away)
    return no(data.problem, "mount its disk; if that is gone for good, the others replace the member");
  switch (data.state) {
    case DataState::Fresh:
      return {true, member + " has no data yet, and nothing says that it had any", {}};
    case DataState::Valid:
      return {true, member + " has whole data of " + who(data), {}};
    case DataState::Empty:
      return no(data.path + " is empty, and " + member + " had data there: it would vote without what it promised",
                kReplace);
    case DataState::Damaged:
      return no("the data of " + member + " are damaged: " + data.problem, kReplace);
    case DataState::Reverted:
      return no("the data of " + member + " went back in time: " + data.problem, kReplace);
    case DataState::Foreign:
      return no("the data are not those of " + member + ": " + data.problem,
                "find out whose they are; quorate never touches them");
  }
  return no("nothing is known of " + data.path, "");
}

}  // namespace quorate::model
