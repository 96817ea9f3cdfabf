// The actions one by one, each where it belongs: on the membership, on our own node, on the upkeep of the data.
#pragma once

#include "reconciler/apply/apply.h"
#include "renderers/renderer.h"

namespace quorate::apply {

// What is written down before a change of the member list is asked for; a heal is counted with it.
std::vector<ports::Write> announcement_of(const Scene& scene, const model::Action& action, bool heal, base::Time now);
base::Result<void> add_member(const Ports& ports, const Scene& scene, const model::AddMember& action);
base::Result<void> promote(const Ports& ports, const Scene& scene, const model::Promote& action);
base::Result<void> remove(const Ports& ports, const Scene& scene, const model::Remove& action);
base::Result<void> move_leader(const Ports& ports, const Scene& scene, const model::MoveLeader& action);
base::Result<void> update_peer_urls(const Ports& ports, const Scene& scene, const model::UpdatePeerUrls& action);

base::Result<void> promise(const Ports& ports, const Scene& scene, const model::Promise& action);
// Without a quorum: the way back to a cluster from data that are left (safety.md section 3).
base::Result<void> give_way(const Ports& ports, const Scene& scene, const model::Decision& decision);
base::Result<void> abandon(const Ports& ports, const Scene& scene, const model::Abandon& action);
base::Result<void> restore(const Ports& ports, const Scene& scene, const model::Restore& action);
tl::unexpected<base::Error> refuse_begun(const Scene& scene, const model::Decision& decision);
// What was fetched lies beside the data, and may have been lost with them: then it is fetched for the next attempt.
base::Result<void> still_fetched(const Ports& ports, const Scene& scene, const model::Decision& decision);
// Where nothing can start it, before anybody hears that the seed has given up: from then on the others start what was
// before. Refused: something else was faster.
base::Result<void> take_out_seed(const Ports& ports, const Scene& scene, const model::Decision& decision);
// In the store that the data come from: nodes that know nothing of each other read it, and one decision may begin
// there. Refused: another one has. Nothing to do where no backup is restored.
base::Result<void> claim_generation(const Ports& ports, const Scene& scene, const model::Decision& decision);

base::Result<void> write_manifest(const Ports& ports, const Scene& scene, const model::WriteManifest& action);
base::Result<void> remove_manifest(const Ports& ports, const Scene& scene);
base::Result<void> set_data_aside(const Ports& ports, const Scene& scene);

// Of a bundle that is to keep clients out.
base::Result<void> fence_off(const Ports& ports, const Scene& scene, renderers::Bundle& bundle);
base::Result<void> verify_data(const Ports& ports, const Scene& scene);

base::Result<void> compact(const Ports& ports, const Scene& scene);
base::Result<void> defragment(const Ports& ports, const Scene& scene, const model::Defragment& action);
base::Result<void> disarm(const Ports& ports, const Scene& scene, const model::DisarmAlarm& action);

}  // namespace quorate::apply
