// Whose word is needed before anything is done without a quorum, and what each of them says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reconciler/plan/notices.h"
#include "reconciler/plan/world.h"

namespace quorate::plan {

enum class Says {
  Silent,
  Lost,    // people say so
  Gone,    // its agent says that it has lost what it held, or holds data of a cluster that this one has replaced
  Whole,   // it holds data that the cluster could go on with
  Former,  // the same, and they are of a member that it was before: as the voter that it is now it has lost them
  Unsure,  // no memory of the cluster, on storage that is meant to last
  Odd,     // it cannot be judged, or is alive against the word of people
};

struct Answer {
  std::string name;
  Says says = Says::Silent;
  bool votes = false;
  base::MemberId id;  // as a voter; 0: it is none
  std::string why;    // Silent, Unsure, Odd
  bool listed = true;
};

// The members of the file, the voters, and whoever a promise was made with.
std::vector<Answer> ask_all(const World& world, const model::Voters& voters);
bool is_lost_for_good(const std::vector<Answer>& answers);
// All have their data and have tried for long enough, and every one of them has moved away from where the others look
// for it: as etcd records addresses, only a quorum could tell them.
bool have_all_moved(const World& world, const model::Voters& voters, const std::vector<Answer>& answers);
std::string moved_words(const model::Voters& voters);
std::string lost_words(
    const std::vector<Answer>& answers);  // "quorum is lost for good: of 3 voters b, c have lost ..."
// The quorum would be lost for good if those that do not answer were gone; nothing: it would not.
std::optional<Stop> hopeless(const std::vector<Answer>& answers, std::vector<model::Notice>& notices);
// Somebody whose word is missing for that; nothing: all have answered, or are lost.
std::optional<Stop> blocked(const std::vector<Answer>& answers, const std::string& what,
                            std::vector<model::Notice>& notices);

// Everybody whom a decision under way still needs; nothing: all can give their word, or have.
std::optional<Stop> wait_for_founders(const World& world, const model::Decision& decision,
                                      std::vector<model::Notice>& notices);
// Whoever is asked and is no founder of it, as lost or not listed then: now as when it was decided; nothing: they are
// still lost. Without this a word that people take back would count for nothing until its node answers.
std::optional<Stop> wait_for_outsiders(const World& world, const model::Decision& decision, bool ordered,
                                       std::vector<model::Notice>& notices);

// What its seed has promised with was data that others may wait for, not an empty place for a backup.
bool counts_as_survivor(const model::Decision& decision);

// The disk of its seed was lost after its start, and before anybody else was in the cluster that it had brought back.
bool is_restored_and_lost(const World& world, const model::Decision& decision);

// What has become of a seed that was started, and what people can do.
void tell_of_silent_seed(const World& world, const model::Decision& decision, std::vector<model::Notice>& notices);

// Who could give its word for this decision and sees something in the way.
void tell_of_unready(const World& world, const model::Decision& decision, std::vector<model::Notice>& notices);

// The newest list that a quorum has confirmed; null: no agent remembers one.
const model::Voters* newest_voters(const World& world);
// Nothing that a cluster could go on with, as the node says itself.
bool is_spent(const model::DataDir& data);
// Of the member that the voter of this name was before: it was made anew while a disk was away that is back.
bool holds_a_former_member(const model::DataDir& data, const model::Voters* voters, const std::string& name);
// People say so; no look at the node replaces their word.
bool is_declared_lost(const World& world, const model::Voters* voters, const std::string& name);
// What the file says then: "members.c.lost: \"8e9e05c52164694d\"".
std::string to_declare_lost(const World& world, const std::string& name);

const Seat* seat_of(const World& world, const std::string& name);
void tell(std::vector<model::Notice>& notices, model::Notice::Level level, std::string code, std::string text,
          std::string help);

}  // namespace quorate::plan
