// An etcd of one member on a copy of data, on loopback ports that were free, for as long as a job takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/adapters/restorer/child.h"
#include "reconciler/adapters/restorer/deadline.h"
#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::adapters::restorer {

struct Copy {
  std::string program;    // a path
  std::string data_dir;   // may be changed
  std::string log;        // file for what it writes
  base::MemberId member;  // whose data they are: somebody else's etcd may have been quicker to the port, and answers
  std::vector<std::string> options;
};

class LoopbackEtcd {
 public:
  // Returns when it leads itself and has applied that entry. Invalid: it ended by itself, and why; the data are no good
  // to it. Transient: it was not ready in time.
  static base::Result<LoopbackEtcd> start(ports::EtcdAdmin& etcd, const Copy& copy, std::uint64_t applied,
                                          const Deadline& deadline);

  const std::string& endpoint() const { return endpoint_; }
  // When it had become ready; empty where only users may ask.
  const ports::StatusAnswer& status() const { return status_; }
  // Its database is complete when this returns.
  base::Result<void> stop(const Deadline& deadline);
  void strike() const { child_.strike(); }  // from any thread: every question ends

 private:
  LoopbackEtcd(Child child, std::string endpoint) : child_(std::move(child)), endpoint_(std::move(endpoint)) {}

  Child child_;
  std::string endpoint_;
  ports::StatusAnswer status_;
};

}  // namespace quorate::adapters::restorer
