// mkdir, write and fsync, and what their errors mean.
#include "reconciler/adapters/system/durable.h"

#include <cerrno>
#include <cstddef>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/files.h"
#include "reconciler/base/path.h"

namespace quorate::adapters::system {

base::Result<Place> place_of(const std::string& path) {
  Place place;
  place.path = base::join_path(".", path);
  if (!base::is_absolute(path) && place.path.find('/') == std::string::npos) place.path = "./" + place.path;
  place.folder = base::parent_path(place.path);
  place.name = place.path.substr(place.path.rfind('/') + 1);
  if (path.find('\0') != std::string::npos || place.name.empty() || place.name == "." || place.name == "..") {
    return base::invalid("\"" + place.path + "\" names no file or folder that could be written");
  }
  return place;
}

base::Result<Descriptor> make_folder(const std::string& path) {
  auto folder = open_folder(path);
  if (!folder || *folder) return folder;
  const auto place = place_of(path);
  if (!place) return tl::unexpected(place.error());
  const auto parent = make_folder(place->folder);
  if (!parent) return tl::unexpected(parent.error());
  if (::mkdirat(parent->number(), place->name.c_str(), 0700) != 0 && errno != EEXIST) {
    return tl::unexpected(system_error("make the folder", path, errno));
  }
  if (auto synced = sync_folder(*parent, place->folder); !synced) return tl::unexpected(std::move(synced.error()));
  folder = open_folder(path);
  if (folder && !*folder) return tl::unexpected(system_error("open", path, ENOENT));
  return folder;
}

base::Result<void> sync_folder(const Descriptor& folder, const std::string& path) {
  // EINVAL: a file system that has nothing to write down.
  if (::fsync(folder.number()) == 0 || errno == EINVAL) return {};
  base::Error error = system_error("write down the names in", path, errno);
  error.kind = base::ErrorKind::Ambiguous;
  error.help = "look at the disk and at the kernel's log";
  return tl::unexpected(std::move(error));
}

base::Result<void> write_all(const Descriptor& file, const std::string& path, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t wrote = ::write(file.number(), content.data() + done, content.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return tl::unexpected(system_error("write", path, wrote < 0 ? errno : EIO));
    done += static_cast<std::size_t>(wrote);
  }
  return {};
}

}  // namespace quorate::adapters::system
