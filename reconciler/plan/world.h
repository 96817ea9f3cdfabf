// Desired and observed side by side: who of the file is who in the member list, and who is nobody.
#pragma once

#include <string>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/loss.h"
#include "reconciler/model/observed.h"
#include "reconciler/model/step.h"
#include "reconciler/plan/planner.h"

namespace quorate::plan {

// What of a desired member never changes while one plan is made.
struct Wish {
  const model::Member* member = nullptr;
  std::vector<std::string> peer_urls;
  std::vector<std::string> client_urls;
  std::string bundle;

  bool stays() const { return !member->retire; }
};

std::vector<Wish> wishes_of(const model::Desired& desired, const Wanted& wanted);

struct Seat {
  const Wish* wish = nullptr;                     // null: the file does not list it
  const model::ObservedMember* listed = nullptr;  // null: the member list does not have it
  const model::NodeFacts* node = nullptr;         // null: nobody looked
  bool up = false;
  bool dropped = false;  // not in the file, and was ours, or its ID is declared lost

  const std::string& name() const { return wish != nullptr ? wish->member->name : listed->listed.name; }
  bool wanted() const { return wish != nullptr && wish->stays(); }
  bool managed() const { return wish == nullptr || wish->member->managed; }
  bool is_learner() const { return listed != nullptr && listed->listed.learner; }
  bool is_voter() const { return listed != nullptr && !listed->listed.learner; }
  bool is_founder() const { return wish != nullptr && model::is_founder(*wish->member); }
  bool leaves() const { return dropped || (wish != nullptr && wish->member->retire); }
};

struct World {
  const model::Desired& desired;
  const model::Observed& observed;
  const Wanted& wanted;
  std::vector<Seat> seats;  // those of the file by name, then those of the list alone by ID
  base::MemberId leader;
  model::Quorum quorum;
  std::vector<std::string> ambiguous;  // members of the file that two members of the list could be
  std::vector<std::string> renamed;    // members of the file whose peer URLs a voter of another name has
};

World make_world(const model::Desired& desired, const model::Observed& observed, const Wanted& wanted,
                 const std::vector<Wish>& wishes);

// By the file that was carried out last; until one was, by what the founders had promised each other.
bool was_ours(const model::Observed& observed, const std::string& member);

bool has_data(const Seat& seat);      // its node says: initialised, or broken
bool is_whole(const Seat& seat);      // its node says: initialised, and nothing is wrong with it
bool lacks_data(const Seat& seat);    // its node says: nothing there
bool never_ran(const Seat& seat);     // and its agent remembers nothing
bool is_running(const Seat& seat);    // its node says: there is a process of etcd
bool has_lost_log(const Seat& seat);  // and its agent, that there has been a log: it starts from nothing no more
// Of this cluster, and of nobody who is in it now.
bool is_left_data(const World& world, const model::DataDir& data);
bool has_left_data(const World& world, const Seat& seat);

// How a member's configuration differs from what the file asks for; nothing when it does not, as far as was seen.
struct Difference {
  std::string code;  // "ConfigChanged", "VersionSkew", "ClientUrlChanged"
  std::string text;
  std::string field;  // of the desired file, when it is one
  std::string want;
  std::string have;
};
bool differs(const World& world, const Seat& seat, Difference* difference);

}  // namespace quorate::plan
