// What agents have written into an etcd in memory.
#pragma once

#include <string>
#include <vector>

#include "reconciler/model/records.h"
#include "tests/fakes/fake_etcd.h"

namespace quorate::support {

inline model::Records records_in(fakes::FakeEtcd& etcd, const std::string& endpoint) {
  std::vector<model::Record> records;
  const auto kept =
      etcd.get_all(endpoint, model::kReserved, ports::Consistency::Linearizable, std::chrono::milliseconds{2000});
  for (const ports::KeyValue& each : *kept) records.push_back({each.key, each.value, each.mod_revision});
  return model::read_records(records, etcd.cluster());
}

}  // namespace quorate::support
