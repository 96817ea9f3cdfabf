// Whose word is needed before anything is done without a quorum, and what each of them says.
#include "reconciler/plan/asked.h"

#include <algorithm>
#include <set>

#include "reconciler/base/words.h"
#include "reconciler/model/quorum.h"

namespace quorate::plan {
namespace {

using model::ExitCode;
using model::Notice;
using model::PlanStatus;

constexpr const char* kSettle = "nothing is recovered before that is settled; keep every data directory as it is";

bool has_lost(const Answer& answer) {
  return answer.says == Says::Gone || answer.says == Says::Lost || answer.says == Says::Former;
}

std::string lost_field(const std::string& name, base::MemberId id) {
  return "members." + name + ".lost: " + (id.value == 0 ? "never" : "\"" + base::to_string(id) + "\"");
}

// Null: it has no vote there.
const model::Voter* voter_named(const model::Voters* voters, const std::string& name) {
  if (voters == nullptr) return nullptr;
  const auto found = std::find_if(voters->voters.begin(), voters->voters.end(),
                                  [&](const model::Voter& each) { return each.name == name; });
  return found == voters->voters.end() ? nullptr : &*found;
}

std::string to_start(const Answer& answer) {
  const bool dropped = !answer.listed && answer.id.value != 0;
  return (dropped ? "list it again, or, if it is gone for good, write  lost: [\"" + base::to_string(answer.id) +
                        "\"]  or recovery.abandon, for all that are no longer listed"
                  : "start it, or, if it is gone for good, write  " + lost_field(answer.name, answer.id)) +
         "  : if that node still runs there will be two clusters, so power it off";
}

}  // namespace

const Seat* seat_of(const World& world, const std::string& name) {
  const auto found =
      std::find_if(world.seats.begin(), world.seats.end(), [&](const Seat& seat) { return seat.name() == name; });
  return found == world.seats.end() ? nullptr : &*found;
}

const model::Voters* newest_voters(const World& world) {
  const model::Voters* newest = world.observed.store_voters ? &*world.observed.store_voters : nullptr;
  for (const model::NodeFacts& node : world.observed.nodes) {
    if (!node.standing || !node.standing->voters) continue;
    if (newest == nullptr || model::is_newer(*node.standing->voters, *newest)) newest = &*node.standing->voters;
  }
  return newest;
}

void tell(std::vector<Notice>& notices, Notice::Level level, std::string code, std::string text, std::string help) {
  Notice notice;
  notice.code = std::move(code);
  notice.object = "cluster";
  notice.level = level;
  notice.text = std::move(text);
  notice.help = std::move(help);
  notices.push_back(std::move(notice));
}

std::string to_declare_lost(const World& world, const std::string& name) {
  const model::Voter* voter = voter_named(newest_voters(world), name);
  return lost_field(name, voter == nullptr ? base::MemberId{} : voter->id);
}

bool is_spent(const model::DataDir& data) {
  if (data.state == model::DataState::Valid) return data.disk_away;  // of a life before, and its own are not
  return data.state != model::DataState::Foreign;
}

bool holds_a_former_member(const model::DataDir& data, const model::Voters* voters, const std::string& name) {
  const model::Voter* voter = voter_named(voters, name);
  return voter != nullptr && data.state == model::DataState::Valid && data.cluster == voters->cluster &&
         data.member != voter->id;
}

// Why people say that a node is gone; it is their word, and no look at it replaces it.
bool is_declared_lost(const World& world, const model::Voters* voters, const std::string& name) {
  const Seat* seat = seat_of(world, name);
  const model::Voter* voter = voter_named(voters, name);
  if (seat != nullptr && seat->wish != nullptr && seat->wish->member->lost) {
    const auto& id = seat->wish->member->lost->id;
    if (voter == nullptr ? !id : id == voter->id) return true;
  }
  if (voter == nullptr) return false;
  const auto& lost = world.desired.lost;
  if (std::find(lost.begin(), lost.end(), voter->id) != lost.end()) return true;
  const auto& abandon = world.desired.recovery.abandon;
  const bool listed = seat != nullptr && seat->wish != nullptr;
  return !listed && abandon && voters->generation <= *abandon;
}

namespace {

Answer of_data(const World& world, const model::Voters& voters, const model::NodeFacts& node, Answer answer) {
  const model::DataDir& data = *node.data;
  const auto says = [&](Says what, std::string why = {}) {
    answer.says = what;
    answer.why = std::move(why);
    return answer;
  };
  if (data.state == model::DataState::Valid) {
    if (data.disk_away) return says(Says::Unsure, data.problem);
    const bool is_it = !answer.votes || data.member == answer.id;
    if (data.cluster == voters.cluster) return says(is_it ? Says::Whole : Says::Former);
    // What its cluster went on with is in the one that these voters are of.
    const auto& formed = world.observed.formed;
    const bool replaced = formed && formed->cluster == voters.cluster && model::has_replaced(*formed, data.cluster);
    if (replaced) return says(Says::Gone);
    return says(Says::Odd, "the data on " + answer.name + " are of cluster " + base::to_string(data.cluster));
  }
  if (data.state == model::DataState::Foreign) return says(Says::Odd, data.problem);
  if (node.process->running) {
    return says(Says::Odd, "etcd runs on the node of " + answer.name + " although its data are gone");
  }
  const bool fresh = data.state == model::DataState::Fresh;
  if (!fresh) return data.disk_away ? says(Says::Unsure, data.problem) : says(Says::Gone);
  if (!data.problem.empty()) return says(Says::Odd, data.problem);
  if (world.desired.storage != model::StorageKind::Disk) return says(Says::Gone);
  return says(Says::Unsure, answer.name + " has no data and no memory of any");
}

Answer answer_of(const World& world, const model::Voters& voters, const std::string& name) {
  Answer answer;
  answer.name = name;
  if (const model::Voter* voter = voter_named(&voters, name)) {
    answer.votes = true;
    answer.id = voter->id;
  }
  const model::NodeFacts* node = model::node_of(world.observed, name);
  const bool answers = node != nullptr && node->standing && node->data && node->process;
  const Seat* seat = seat_of(world, name);
  const bool listed = seat != nullptr && seat->wish != nullptr;  // else the others have no address of it
  if (is_declared_lost(world, &voters, name)) {
    const bool spent = answers && !node->process->running && is_spent(*node->data);
    const bool former = answers && !node->process->running && holds_a_former_member(*node->data, &voters, name);
    // What it held is gone, as people say, and it can still give its word.
    answer.says = !answers || !listed ? Says::Lost : spent ? Says::Gone : former ? Says::Former : Says::Odd;
    answer.why = "the file says that " + name + " is gone for good, and its agent answers";
    return answer;
  }
  answer.listed = listed;
  if (!listed) {  // whatever it says to itself
    answer.why = "the file no longer lists it, so nobody can ask its agent: list it again";
    return answer;
  }
  if (answers) return of_data(world, voters, *node, std::move(answer));
  answer.why = node == nullptr ? "nobody asked" : node->data ? "its agent says too little" : node->data.why();
  return answer;
}

}  // namespace

// All whose word is needed: the members of the file, the voters, and whoever a promise was made with.
std::vector<Answer> ask_all(const World& world, const model::Voters& voters) {
  std::set<std::string> names;
  for (const Seat& seat : world.seats) names.insert(seat.name());
  for (const model::Voter& each : voters.voters) names.insert(each.name);
  for (const model::NodeFacts& node : world.observed.nodes) {
    const auto& pledge = node.standing ? node.standing->pledge : std::nullopt;
    // What a quorum has confirmed since replaces it.
    if (!pledge || pledge->decision.generation <= voters.generation) continue;
    for (const model::Founder& each : pledge->decision.founders) names.insert(each.member);
  }
  std::vector<Answer> answers;
  for (const std::string& name : names) answers.push_back(answer_of(world, voters, name));
  return answers;
}

bool is_lost_for_good(const std::vector<Answer>& answers) {
  int voters = 0;
  int lost = 0;
  for (const Answer& each : answers) {
    if (!each.votes) continue;
    ++voters;
    if (has_lost(each)) ++lost;
  }
  return voters > 0 && lost > voters - model::quorum(voters);
}

namespace {

// One that can still be reached is enough: it answers those that cannot.
bool has_moved(const World& world, const model::Voter& voter) {
  const Seat* seat = seat_of(world, voter.name);
  if (voter.peer_urls.empty() || seat == nullptr || seat->wish == nullptr) return false;
  const auto& now = seat->wish->peer_urls;
  return std::none_of(now.begin(), now.end(),
                      [&](const std::string& url) { return base::contains(voter.peer_urls, url); });
}

bool has_tried(const World& world, const std::string& name) {
  const model::NodeFacts* node = model::node_of(world.observed, name);
  if (node == nullptr || !node->run) return false;
  const model::RunState& run = *node->run;
  const bool long_enough = world.observed.at - run.since >= world.desired.reconcile.dead_after;
  return run.crash_loop || (run.phase == model::RunPhase::Running && long_enough);
}

}  // namespace

bool have_all_moved(const World& world, const model::Voters& voters, const std::vector<Answer>& answers) {
  const bool whole = std::all_of(answers.begin(), answers.end(),
                                 [](const Answer& each) { return !each.votes || each.says == Says::Whole; });
  return whole && std::all_of(voters.voters.begin(), voters.voters.end(), [&](const model::Voter& each) {
           return has_moved(world, each) && has_tried(world, each.name);
         });
}

std::string moved_words(const model::Voters& voters) {
  std::vector<std::string> names;
  for (const model::Voter& each : voters.voters) names.push_back(each.name);
  return "all voters have new addresses, and look for each other at the old ones: " + base::joined(names, ", ") +
         " will not be a quorum again";
}

std::string lost_words(const std::vector<Answer>& answers) {
  std::vector<std::string> lost;
  int voters = 0;
  for (const Answer& each : answers) {
    if (!each.votes) continue;
    ++voters;
    if (has_lost(each)) lost.push_back(each.name);
  }
  return "quorum is lost for good: of " + std::to_string(voters) + " voters " + base::joined(lost, ", ") +
         (lost.size() == 1 ? " has" : " have") + " lost their data";
}

std::optional<Stop> hopeless(const std::vector<Answer>& answers, std::vector<Notice>& notices) {
  int voters = 0;
  int away = 0;
  std::vector<std::string> gone;
  const Answer* missing = nullptr;  // who is odd before who says nothing
  for (const Answer& each : answers) {
    if (!each.votes) continue;
    ++voters;
    if (each.says == Says::Whole) continue;
    ++away;
    if (has_lost(each)) {
      gone.push_back(each.name);
    } else if (missing == nullptr || missing->says != Says::Odd || each.says == Says::Odd) {
      missing = &each;
    }
  }
  if (gone.empty() || missing == nullptr || away <= voters - model::quorum(voters)) return std::nullopt;
  const std::string what = "of " + std::to_string(voters) + " voters " + base::joined(gone, ", ") +
                           (gone.size() == 1 ? " has" : " have") + " lost their data, and there is no quorum without " +
                           missing->name + ": " + missing->why;
  if (missing->says == Says::Odd) {
    tell(notices, Notice::Level::Critical, "NoQuorum", what, kSettle);
    return Stop{};
  }
  tell(notices, Notice::Level::Critical, "NoQuorum", what, to_start(*missing));
  return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
}

std::optional<Stop> blocked(const std::vector<Answer>& answers, const std::string& what, std::vector<Notice>& notices) {
  for (const Answer& each : answers) {
    if (each.says != Says::Odd) continue;
    tell(notices, Notice::Level::Critical, "NoQuorum", what + ", and " + each.why, kSettle);
    return Stop{};
  }
  for (const Answer& each : answers) {
    if (each.says != Says::Silent && each.says != Says::Unsure) continue;
    tell(notices, Notice::Level::Critical, "NoQuorum", what + "; it waits for " + each.name + ": " + each.why,
         to_start(each));
    return each.says == Says::Silent ? Stop{PlanStatus::NeedsObservation, ExitCode::Unknown} : Stop{};
  }
  return std::nullopt;
}

bool counts_as_survivor(const model::Decision& decision) {
  return decision.kind == model::DecisionKind::Recover || decision.deliberate;
}

bool is_restored_and_lost(const World& world, const model::Decision& decision) {
  const Seat* seat = seat_of(world, decision.seed);
  if (seat == nullptr || seat->node == nullptr || !seat->node->standing) return false;
  const auto& pledge = seat->node->standing->pledge;
  const auto& formed = world.observed.formed;
  if (!pledge || !pledge->started || pledge->decision.id != decision.id) return false;
  if (formed && formed->decision == decision.id) return false;
  return lacks_data(*seat) && !seat->node->data->disk_away && !is_running(*seat);
}

namespace {

// What is on a disk that is away may reach further than what the cluster would go on with, and cannot give way.
bool has_to_be_mounted(const World& world, const model::Decision& decision, const model::NodeFacts& node) {
  const auto& pledge = node.standing->pledge;
  const bool given = pledge && pledge->decision.id == decision.id && pledge->given;
  return !given && node.data->disk_away && !is_declared_lost(world, newest_voters(world), node.member);
}

}  // namespace

// A name that the file no longer lists has no agent to ask.
std::optional<Stop> wait_for_founders(const World& world, const model::Decision& decision,
                                      std::vector<Notice>& notices) {
  const auto wait = [&](const std::string& name, const std::string& why, const std::string& help) {
    tell(notices, Notice::Level::Critical, "NoQuorum",
         "decision " + decision.id + " is under way and waits for " + name + ", " + why, help);
    return Stop{PlanStatus::NeedsObservation, ExitCode::Unknown};
  };
  for (const model::Founder& each : decision.founders) {
    const Seat* seat = seat_of(world, each.member);
    const model::NodeFacts* node = model::node_of(world.observed, each.member);
    if (seat == nullptr || seat->wish == nullptr) {
      return wait(each.member, "which the file no longer lists, so that nobody can ask its agent",
                  "list it again until the decision is carried out; if the node is gone for good, list it with  " +
                      to_declare_lost(world, each.member) + "  : then all put back what stood there before");
    }
    if (node == nullptr || !node->standing || !node->data) {
      return wait(each.member, "whose agent does not answer",
                  "start its agent; if the node is gone for good, declare it lost: then all put back what stood there "
                  "before");
    }
    // It would give up as soon as it has promised.
    if (each.member == decision.seed && counts_as_survivor(decision) &&
        is_declared_lost(world, newest_voters(world), each.member)) {
      return wait(each.member, "which the file calls lost, and whose agent answers",
                  "take that word back; if the node is to go, power it off: then all put back what stood there before");
    }
    if (has_to_be_mounted(world, decision, *node)) {
      return wait(each.member, "whose data are not there: " + node->data->problem,
                  "mount its disk; if that is gone for good, declare the member lost");
    }
  }
  return std::nullopt;
}

std::optional<Stop> wait_for_outsiders(const World& world, const model::Decision& decision, bool ordered,
                                       std::vector<Notice>& notices) {
  const model::Voters* voters = newest_voters(world);
  if (voters == nullptr) return std::nullopt;  // nobody knows of any data but the founders'
  std::vector<Answer> outsiders = ask_all(world, *voters);
  for (Answer& each : outsiders) {  // who has come since and has never voted has nothing to lose
    if (each.says == Says::Unsure && !each.votes) each.says = Says::Gone;
    // Where people have named the backup, nobody's data are what it is measured by.
    const bool outdone = decision.backup && ordered && is_declared_lost(world, voters, each.name);
    if (each.says == Says::Odd && outdone) each.says = Says::Lost;
  }
  std::erase_if(outsiders, [&](const Answer& each) { return model::is_founder_of(decision, each.name); });
  return blocked(outsiders, "decision " + decision.id + " is under way", notices);
}

void tell_of_silent_seed(const World& world, const model::Decision& decision, std::vector<Notice>& notices) {
  const Seat* seat = seat_of(world, decision.seed);
  const bool looked = seat != nullptr && seat->node != nullptr && seat->node->data;
  const bool lost = is_restored_and_lost(world, decision);
  const std::string word = to_declare_lost(world, decision.seed);
  std::string what;
  std::string help = "see why etcd does not run there; the directories from before are kept on every node";
  if (lost) {
    what = ": nothing is left of what was restored there";
    help = "to go back to the directories from before, which are kept on every node, write  " + word +
           "  ; what was written meanwhile is lost with that disk";
  } else if (looked && seat->node->data->disk_away) {
    what = ": " + seat->node->data->problem;
    help = "mount it; if it is gone for good, write  " + word +
           "  and end the agent there: then the others put back what stood there before";
  } else if (looked && has_data(*seat) && !is_whole(*seat)) {
    what = ": " + seat->node->data->problem;
    help =
        "keep a copy of what is there; to go back to the directories from before, which are kept on every node, move "
        "it away and write  " +
        word;
  }
  tell(notices, Notice::Level::Critical, "NoQuorum",
       "the cluster was brought back on " + decision.seed + " and does not answer" + what, help);
}

void tell_of_unready(const World& world, const model::Decision& decision, std::vector<model::Notice>& notices) {
  for (const model::Founder& each : decision.founders) {
    const model::NodeFacts* node = model::node_of(world.observed, each.member);
    if (node == nullptr || !node->standing || node->standing->unready.empty()) continue;
    tell(notices, Notice::Level::Warning, "NotReady",
         each.member + " stops nothing before it could start again: " + node->standing->unready,
         "see to it there; until then nothing is stopped anywhere");
  }
}

}  // namespace quorate::plan
