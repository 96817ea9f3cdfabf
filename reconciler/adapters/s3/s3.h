// A store of objects in a bucket: AWS S3 and what speaks like it (MinIO, Ceph, Swift).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/base/result.h"
#include "reconciler/base/units.h"
#include "reconciler/ports/clock.h"
#include "reconciler/ports/entropy.h"
#include "reconciler/ports/object_store.h"

namespace quorate::s3 {

enum class Style { Auto, Path, VirtualHost };  // Auto: a host per bucket at AWS, a path per bucket elsewhere

// How long one waits, and how often one tries.
struct Patience {
  int tries = 6;
  base::Duration first_pause = std::chrono::milliseconds{100};  // doubled each time, and then any part of that
  base::Duration longest_pause = std::chrono::seconds{5};
  // In the middle of an object, where giving up would cost all that has been sent or read.
  int tries_midway = 10;
  base::Duration longest_pause_midway = std::chrono::seconds{30};
  base::Duration connect = std::chrono::seconds{5};
  base::Duration stall = std::chrono::seconds{30};  // without a byte in either direction
};

struct Settings {
  std::string bucket;
  std::string base;  // in front of every name, without a slash at either end; may be empty
  std::string region = "us-east-1";
  std::string endpoint;  // "https://minio.example:9000"; empty: AWS's of the region
  Style style = Style::Auto;
  std::string ca;             // file of the authorities that sign the endpoint's certificate; empty: the system's
  std::string encryption;     // on the server: "", "AES256" or "aws:kms"
  std::string kms_key;        // for aws:kms; may be empty
  std::string storage_class;  // may be empty
  Patience patience;
  std::size_t part_size = std::size_t{8} << 20;  // of the first parts; later ones grow
  int lanes = 3;                                 // parts that are uploaded at once
  int page = 1000;                               // of a listing
};

// Thread-safe; a reader or writer is used by one thread. Invalid: the settings make no address. Errors of its calls:
// Invalid, there is no such bucket, the region or the address is wrong, or the answer is none of an S3 store; Refused,
// the store does not let us; Transient, it cannot be reached or is busy; Ambiguous, it may have done it; Conflict, the
// object is there already, or was replaced while it was read. The last three outlive the store.
base::Result<std::unique_ptr<ports::ObjectStore>> make_s3_store(Settings settings, Credentials& credentials,
                                                                ports::Clock& clock, ports::Entropy& entropy);

}  // namespace quorate::s3
