// What every step on our own node begins and ends with: what is there, whose it is, what is remembered.
#pragma once

#include <string>

#include "reconciler/apply/apply.h"
#include "renderers/renderer.h"

namespace quorate::apply {

tl::unexpected<base::Error> refused(std::string message, std::string help = {});
tl::unexpected<base::Error> moved(std::string message);

const model::DataDir* own_data(const Scene& scene);
// What is not on disk is not remembered: it would be told to the others, and forgotten with the next start.
base::Result<void> keep(const Ports& ports, const Scene& scene, model::Memory memory);
// An etcd that this agent did not start cannot be stopped by it, and has its files open.
base::Result<void> nobody_elses(const Ports& ports, const Scene& scene);
// As people say, of the very member that has been here.
bool is_given_up(const Scene& scene);
// Etcd writes its log soon after it has started: what was seen before that is out of date.
base::Result<void> still_without_log(const Ports& ports, const Scene& scene);
// What a refused start has left there is no data, and still nothing to join on top of; whatever else lies there is
// kept, and a directory in which another etcd has its own is refused.
base::Result<void> clear_place(const Ports& ports, const Scene& scene);
base::Result<bool> is_there(const Ports& ports, const std::string& folder);
// The directory that says that it is of this decision.
base::Result<bool> is_of(const Ports& ports, const std::string& folder, const std::string& decision);
// Where a log with a place of its own is until it is placed, as its data are; empty: it has none.
std::string log_beside(const Scene& scene, const std::string& decision);
// Etcd's; empty `wal_dir`: inside the data directory.
base::Result<bool> has_log(const Ports& ports, const std::string& data_dir, const std::string& wal_dir);
// In our own place. A sign alone is nothing: the disk may have been emptied just before it was written.
base::Result<bool> is_restored(const Ports& ports, const Scene& scene, const std::string& decision);
// Where there is something to move.
base::Result<void> move(const Ports& ports, const std::string& from, const std::string& to);
// Whole or not at all, one by one.
base::Result<void> write_files(ports::Host& host, const renderers::Bundle& bundle);
// UTC without colons: "20261118T170711Z".
std::string stamp(base::Time at);

}  // namespace quorate::apply
