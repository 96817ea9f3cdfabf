// How to get in to etcd: flags, then the environment, then what the desired file says of its own client certificates.
#pragma once

#include <string>
#include <vector>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/base/result.h"
#include "reconciler/cli/arguments.h"
#include "reconciler/model/desired.h"

namespace quorate::cli {

// --endpoints, else the client URLs of the file's members and adopt.endpoints. `desired` may be null.
base::Result<std::vector<std::string>> endpoints_of(const Arguments& arguments, const model::Desired* desired);

// Asks for the password where there is somebody to ask.
base::Result<etcd_grpc::Access> access_of(const Arguments& arguments, const model::Desired* desired);

}  // namespace quorate::cli
