// write, fsync, rename, fsync of the folder; locked while it is written, so that nobody sweeps it away.
#include "reconciler/adapters/file_store/upload.h"

#include <cerrno>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>

namespace quorate::file_store {
namespace {

using base::ErrorKind;

}  // namespace

tl::unexpected<base::Error> there_is_one(const std::string& path) {
  return tl::unexpected(base::Error{ErrorKind::Conflict, path + " is there already", "look at what it holds"});
}

base::Result<std::unique_ptr<Upload>> Upload::begin(const std::string& base, const std::string& object,
                                                    ports::Overwrite overwrite, ports::Entropy& entropy) {
  std::unique_ptr<Upload> upload(new Upload(base, object, overwrite));
  if (auto opened = upload->open(entropy); !opened) return tl::unexpected(std::move(opened.error()));
  return upload;
}

base::Result<void> Upload::open(ports::Entropy& entropy) {
  // Whoever removes the last object of the folder may remove the folder between our two steps.
  constexpr int kTries = 5;
  for (int left = kTries; left > 0; --left) {
    auto place = find_place(base_, object_, true);
    if (!place) {
      if (left > 1 && place.error().kind == ErrorKind::Transient) continue;
      return tl::unexpected(std::move(place.error()));
    }
    place_ = std::move(*place);
    std::string name = temporary_name(entropy.hex(32));
    file_ = Descriptor(
        ::openat(place_.folder.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file_) {
      hidden_ = std::move(name);
      static_cast<void>(::flock(file_.number(), LOCK_EX | LOCK_NB));
      writer_.emplace(file_.number());
      return {};
    }
    if (errno != ENOENT || left == 1) break;
  }
  return failed("write", place_.path + "/" + place_.name, errno);
}

Upload::~Upload() {
  if (hidden_.empty()) return;
  static_cast<void>(::unlinkat(place_.folder.number(), hidden_.c_str(), 0));
  remove_empty_folders(base_, object_);
}

base::Result<void> Upload::write(std::string_view bytes) {
  if (broken_ || hidden_.empty()) return base::invalid("nothing more can be written to " + object_);
  return told(writer_->write(bytes));
}

base::Result<void> Upload::told(int number) {
  if (number == 0) return {};
  broken_ = true;
  return failed("write", place_.path + "/" + place_.name, number);
}

base::Result<void> Upload::finish() {
  if (broken_ || hidden_.empty()) return base::invalid(object_ + " cannot be finished any more");
  if (auto on_disk = told(writer_->finish()); !on_disk) return on_disk;
  auto named = overwrite_ == ports::Overwrite::Allowed ? give_name() : give_new_name();
  if (!named) {
    broken_ = true;
    return named;
  }
  hidden_.clear();
  return sync_folder(place_.folder, place_.path);
}

base::Result<void> Upload::give_name() {
  const int folder = place_.folder.number();
  if (::renameat(folder, hidden_.c_str(), folder, place_.name.c_str()) == 0) return {};
  const std::string path = place_.path + "/" + place_.name;
  if (errno == EISDIR) {
    return tl::unexpected(base::Error{ErrorKind::Refused, path + " is a folder, and is not replaced by an object",
                                      "choose another name for the object"});
  }
  return failed("give its name to", path, errno);
}

base::Result<void> Upload::give_new_name() {
  const int folder = place_.folder.number();
  const std::string path = place_.path + "/" + place_.name;
  if (::renameat2(folder, hidden_.c_str(), folder, place_.name.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EEXIST) return there_is_one(path);
  if (errno != EINVAL && errno != ENOSYS) return failed("give its name to", path, errno);
  // A file system that cannot rename so, NFS among them; a link is never made over something.
  if (::linkat(folder, hidden_.c_str(), folder, place_.name.c_str(), 0) != 0) {
    if (errno == EEXIST) return there_is_one(path);
    return failed("give its name to", path, errno);
  }
  static_cast<void>(::unlinkat(folder, hidden_.c_str(), 0));  // one that stays is swept
  return {};
}

}  // namespace quorate::file_store
