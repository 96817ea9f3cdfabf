// What `quorate doctor` looks at: the ways to the other members, and what the members of this machine stand on.
#pragma once

#include <string>
#include <vector>

#include "reconciler/model/desired.h"
#include "reconciler/model/observed.h"
#include "reconciler/ports/node.h"
#include "reconciler/report/doctor.h"

namespace quorate::cli {

using Examination = std::vector<report::Examined>;

// Client ports by what etcd answered, peer and agent ports by a connection that is closed at once.
void examine_network(const model::Desired& desired, const model::Observed& observed, base::Duration within,
                     Examination& examination);

// Of a member that lives here.
void examine_folders(const model::Desired& desired, const model::Member& member, const std::string& state_dir,
                     Examination& examination);
void examine_disk(const model::Desired& desired, const model::Member& member, ports::Node& node,
                  Examination& examination);
void examine_ports(const model::Desired& desired, const model::Member& member, ports::Node& node,
                   Examination& examination);
void examine_tls(const model::Desired& desired, const model::Member& member, ports::Node& node, base::Time now,
                 Examination& examination);
void examine_binary(const model::Desired& desired, const model::Member& member, ports::Node& node,
                    Examination& examination);

}  // namespace quorate::cli
