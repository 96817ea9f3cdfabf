// The place of a unix socket in the file system: held by one living process, and handed over when that one is dead.
#pragma once

#include <memory>
#include <string>

#include "reconciler/base/result.h"

namespace quorate::peer_grpc {

// A socket is bound under `bound_at`, in a folder nobody else can enter, and then put in its place with its rights.
class SocketPlace {
 public:
  virtual ~SocketPlace() = default;
  virtual std::string bound_at() const = 0;
  virtual base::Result<void> publish() = 0;
};

// The place is ours until the object goes, and the socket goes with it. It is given to this group, and so is its folder
// where that is not open to everybody: who may not enter it reaches no socket in it. Empty, or a group that this
// machine does not know: the folder's.
base::Result<std::unique_ptr<SocketPlace>> take_place(const std::string& path, const std::string& group);

// Why nobody can be reached there; nothing when somebody listens.
base::Result<void> look_for_listener(const std::string& path);

}  // namespace quorate::peer_grpc
