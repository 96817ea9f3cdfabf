// A store of objects in a folder: file:///mnt/backups.
#pragma once

#include <memory>
#include <string>

#include "reconciler/ports/entropy.h"
#include "reconciler/ports/object_store.h"

namespace quorate::file_store {

// Each object is a file; what is on its way is a hidden file beside it. Thread-safe, and several processes may use one
// folder. The folder has to be there: it is never made, because one that is not there may only be unmounted. Objects
// are what is_object_name allows; other files in the folder, links and hidden files of ours are not seen. Errors:
// Invalid, the folder is not there or the name is none; Refused, no right to it, or something that is no file stands in
// the way; Transient, the system failed or the disk is full; Ambiguous, it stands but might not after a power failure.
// `entropy` outlives the store.
std::unique_ptr<ports::ObjectStore> make_file_store(std::string folder, ports::Entropy& entropy);

}  // namespace quorate::file_store
