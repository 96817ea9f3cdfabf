// A member's URLs: what it tells others, and the sockets that it listens on.
#pragma once

#include "reconciler/model/desired.h"
#include "reconciler/validate/bind.h"
#include "reconciler/validate/fields.h"

namespace quorate::validate {

// `value` is the member in the document; needs name, address, runtime and TLS mode in place.
void bind_urls(const Fields& fields, const model::Node& value, const model::Desired& desired, model::Member& member);

// The ports of all members' agents; needs the URLs of all of them.
void bind_agent_ports(const Fields& fields, Draft& draft);

// Does a member's pod have a network of its own, so that the address of its node is not there to listen on?
bool has_own_network(const model::Runtime& runtime);

}  // namespace quorate::validate
