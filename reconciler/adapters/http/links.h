// Whom an etcd is connected to, asked over HTTP: GET <endpoint>/metrics.
#pragma once

#include <memory>
#include <string>

#include "reconciler/ports/links.h"

namespace quorate::http {

// How to get in; every part may be empty. The files are read again for each question.
struct Access {
  std::string ca;           // file of the authorities that sign servers; empty: those of the system
  std::string cert;         // file of our own certificate, with its chain
  std::string key;          // file of its key
  std::string server_name;  // what servers' certificates are checked for instead of the endpoint's host
};

// Thread-safe. Errors: Transient, the member did not answer in time; Refused, it does not let us in; Invalid, the
// address, our files or its certificate are wrong, or this is no etcd.
std::unique_ptr<ports::Links> make_links(Access access);

}  // namespace quorate::http
