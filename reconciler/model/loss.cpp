// Evidence of loss, strongest first: a person's word, an empty directory, watched silence.
#include "reconciler/model/loss.h"

#include <algorithm>

namespace quorate::model {
namespace {

bool declared_lost(const Desired& desired, const Member* wanted, base::MemberId id) {
  if (wanted != nullptr && wanted->lost && wanted->lost->id == id) return true;
  return std::find(desired.lost.begin(), desired.lost.end(), id) != desired.lost.end();
}

// What counts only once it has lasted for reconcile.deadAfter, with nobody having seen the member meanwhile.
Loss after_silence(const Observed& observed, const Desired& desired, const ObservedMember& member, Loss loss) {
  const base::Duration dead_after = desired.reconcile.dead_after;
  if (!member.silent_since) {
    loss.state = Loss::State::Unproven;
    loss.text += "; for how long it has been silent nobody can say: " + member.silent_since.why();
    return loss;
  }
  loss.evidence["silent_since"] = base::to_string(*member.silent_since);
  if (*member.silent_since > observed.at) {
    loss.state = Loss::State::Unproven;
    loss.text +=
        "; it is said to be silent since " + base::to_string(*member.silent_since) + ", which is still to come";
    return loss;
  }
  const base::Time dead_at = *member.silent_since + dead_after;
  if (observed.at < dead_at) {
    loss.state = Loss::State::Waiting;
    loss.until = dead_at;
    loss.text += "; reconcile.deadAfter is " + base::to_string(dead_after);
    return loss;
  }
  loss.state = Loss::State::Proven;
  loss.text += "; silent since " + base::to_string(*member.silent_since) + ", longer than reconcile.deadAfter (" +
               base::to_string(dead_after) + ")";
  return loss;
}

Loss of_data(const Observed& observed, const Desired& desired, const ObservedMember& member, const DataDir& data) {
  Loss loss;
  loss.evidence["agent"] = "up";
  switch (data.state) {
    case DataState::Valid:
      if (data.member != member.listed.id || data.cluster != observed.membership->cluster) {
        loss.text = "the data on its node are those of another member ID: " + data.path;
        const bool removed =
            data.cluster == observed.membership->cluster && member_of(observed, data.member) == nullptr;
        const bool replaced = observed.formed && has_replaced(*observed.formed, data.cluster);
        if (!(removed || replaced) || !member.silent_since) return loss;
        loss.code = "MemberEmptied";  // and of one that is over: its own are not there
        loss.evidence["data_dir"] = removed ? "of a removed member" : "of the cluster before";
        break;
      }
      loss.text = "its data are whole; it only has to be started";
      return loss;
    case DataState::Foreign:
      loss.text = "the data on its node are not its own: " + data.problem;
      return loss;
    case DataState::Empty:
      loss.state = Loss::State::Proven;
      loss.code = "MemberEmptied";
      loss.text = "emptied: its agent reports an empty data directory";
      loss.evidence["data_dir"] = "empty";
      return loss;
    case DataState::Fresh:
      loss.code = "MemberEmptied";
      loss.text = "its node has no data directory and no memory of it";
      loss.evidence["data_dir"] = "fresh";
      break;
    case DataState::Damaged:
      loss.code = "MemberDamaged";
      loss.text = "its data are damaged: " + data.problem;
      loss.evidence["data_dir"] = "damaged";
      break;
    case DataState::Reverted:
      loss.code = "MemberReverted";
      loss.text = "its data went back in time: " + data.problem;
      loss.evidence["data_dir"] = "reverted";
      break;
  }
  if (data.disk_away && data.state != DataState::Valid) loss.text = data.problem;
  return after_silence(observed, desired, member, std::move(loss));
}

constexpr base::Duration kSkew{10000};

// A large log takes its time; what takes longer than the file gives it wants to be looked at.
Loss of_running(const Observed& observed, const Desired& desired, const NodeFacts& node, const std::string& why) {
  Loss loss;
  loss.state = Loss::State::Unproven;
  loss.code = "MemberDown";
  loss.text = "etcd runs on its node and does not answer (" + why + ")";
  if (!node.run || node.run->phase != RunPhase::Running) return loss;
  const base::Duration lasts{std::chrono::floor<std::chrono::seconds>(observed.at - node.run->since)};
  const bool same_clock = lasts > -kSkew;  // as far as anybody can tell
  if (same_clock && lasts < desired.settle) {
    loss.code = "MemberStarting";
    loss.text = "it was started " + base::to_string(std::max(lasts, base::Duration{0})) +
                " ago and does not answer yet; runtime.settle gives it " + base::to_string(desired.settle);
  } else {
    loss.text = "it was started " + base::to_string(lasts) + " ago, runtime.settle gives it " +
                base::to_string(desired.settle) + ", and it does not answer (" + why + ")";
  }
  return loss;
}

}  // namespace

Loss loss_of(const Observed& observed, const Desired& desired, const Member* wanted, const ObservedMember& member) {
  Loss loss;
  if (is_up(member)) return loss;
  if (declared_lost(desired, wanted, member.listed.id)) {
    loss.state = Loss::State::Proven;
    loss.code = "MemberLost";
    loss.text = "the file says that it is gone for good";
    loss.evidence["lost"] = base::to_string(member.listed.id);
    return loss;
  }
  // etcd answers but cannot read, or the others follow it: it is alive, whatever else is wrong.
  if (member.status) {
    loss.text = "etcd answers, but a read through it does not come back";
    return loss;
  }
  if (leader_of(observed) == member.listed.id) {
    loss.text = "the others follow it, and it does not answer here (" + member.status.why() + ")";
    return loss;
  }
  const NodeFacts* node = node_of(observed, member.listed.name);
  if (node != nullptr && node->process && node->process->running) {
    return of_running(observed, desired, *node, member.status.why());
  }
  const bool whole = node != nullptr && node->data &&
                     (node->data->state == DataState::Valid || node->data->state == DataState::Foreign);
  if (node != nullptr && node->data && !node->process && !whole) {
    loss.state = Loss::State::Unproven;
    loss.code = "MemberDown";
    loss.text = "nobody can say whether etcd runs on its node: " + node->process.why();
    return loss;
  }
  if (node != nullptr && node->data) return of_data(observed, desired, member, *node->data);
  loss.code = "MemberDead";
  loss.text = "it does not answer (" + member.status.why() + ")";
  loss.evidence["etcd"] = "silent";
  return after_silence(observed, desired, member, std::move(loss));
}

}  // namespace quorate::model
