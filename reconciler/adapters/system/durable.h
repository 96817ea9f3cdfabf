// The pieces of changing names in folders so that they are on disk when the change returns.
#pragma once

#include <string>

#include "reconciler/adapters/system/descriptor.h"
#include "reconciler/base/result.h"

namespace quorate::adapters::system {

// A path split at its last slash, in its one spelling. Invalid: it names no entry of a folder.
struct Place {
  std::string path;
  std::string folder;
  std::string name;
};
base::Result<Place> place_of(const std::string& path);

// Opened; those on the way that are not there are made (0700), each on disk before the next.
base::Result<Descriptor> make_folder(const std::string& path);

// Names in the folder are on disk. Ambiguous: what was just done in it stands, but might not after a power failure.
base::Result<void> sync_folder(const Descriptor& folder, const std::string& path);

// In one piece as far as the system allows; every byte, or an error.
base::Result<void> write_all(const Descriptor& file, const std::string& path, const std::string& content);

}  // namespace quorate::adapters::system
