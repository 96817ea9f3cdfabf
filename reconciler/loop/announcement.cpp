// The list has the name, the database has the snapshot, and yet nobody is served.
#include "reconciler/loop/announcement.h"

#include "reconciler/base/words.h"

namespace quorate::loop {
namespace {

// What comes by the log is there by then.
constexpr base::Duration kPatience{700};

const model::ObservedMember* learner_here(const AgentView& view) {
  if (!view.has_quorum() || view.me.peer_urls.empty()) return nullptr;
  for (const model::ObservedMember& each : view.observed.membership->members) {
    const bool here = base::same_texts(each.listed.peer_urls, base::to_strings(view.me.peer_urls));
    if (here && each.listed.learner) return &each;
  }
  return nullptr;
}

bool has_its_snapshot(const AgentView& view, base::MemberId member) {
  const model::NodeFacts& facts = view.agents.own.facts;
  if (!facts.run || facts.run->phase != model::RunPhase::Running || !facts.data) return false;
  const model::DataDir& data = *facts.data;
  return data.state == model::DataState::Valid && data.member == member && data.snapshot_index > 0 &&
         data.consistent_index >= data.snapshot_index;
}

}  // namespace

bool Announcement::is_missed(const AgentView& view) {
  const model::ObservedMember* learner = learner_here(view);
  if (learner == nullptr) return false;
  if (learner->listed.name.empty()) {
    joining_ = learner->listed.id;
    since_.reset();
    return false;
  }
  const bool waits = learner->listed.id == joining_ && !learner->status && has_its_snapshot(view, joining_);
  if (!waits) {
    since_.reset();
    return false;
  }
  if (!since_) since_ = view.since;
  if (view.since - *since_ < kPatience) return false;
  joining_ = {};
  return true;
}

}  // namespace quorate::loop
