// What this machine knows of a member that lives on it; every fact of a member elsewhere is Unknown.
#pragma once

#include <optional>
#include <string>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/ports/node.h"
#include "renderers/renderer.h"

namespace quorate::observe {

// `bundle`: what should be there; null: nobody keeps files for it. `cluster`: that answers; nothing: none does.
model::NodeFacts look_at_node(ports::Node& node, const model::Desired& desired, const model::Member& member,
                              const renderers::Bundle* bundle, base::Time at);

// Of a node that nobody has looked at, for this reason.
model::NodeFacts unseen_node(const std::string& member, const std::string& why, base::Time at);

// Whole data of another cluster are Foreign; that can be said only once it is known which cluster answers.
void tell_foreign(model::NodeFacts& facts, base::ClusterId cluster);

}  // namespace quorate::observe
