// The port over a folder: names are checked, the rest is in folders and uploads.
#include "reconciler/adapters/file_store/file_store.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "reconciler/adapters/file_store/folders.h"
#include "reconciler/adapters/file_store/upload.h"
#include "reconciler/base/object_name.h"

namespace quorate::file_store {
namespace {

using base::ErrorKind;

base::Time time_of(const struct timespec& time) {
  return base::Time(std::chrono::seconds(time.tv_sec) +
                    std::chrono::duration_cast<base::Duration>(std::chrono::nanoseconds(time.tv_nsec)));
}

base::Result<void> check_name(const std::string& name) {
  if (base::is_object_name(name) && is_ours(name)) return {};
  return base::invalid("an object of this store cannot have such a name (" + std::to_string(name.size()) + " bytes)");
}

class FileReader final : public ports::ObjectReader {
 public:
  FileReader(Descriptor file, std::string path, std::uint64_t size)
      : file_(std::move(file)), path_(std::move(path)), size_(size) {}

  std::uint64_t size() const override { return size_; }
  base::Result<std::size_t> read(char* into, std::size_t most) override {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, size_ - done_));
    if (wanted == 0) return std::size_t{0};
    for (;;) {
      const ssize_t got = ::pread(file_.number(), into, wanted, static_cast<off_t>(done_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed("read", path_, errno);
      if (got == 0) return base::invalid(path_ + " has become shorter while it was read", "see who else writes there");
      done_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

 private:
  Descriptor file_;
  std::string path_;
  std::uint64_t size_;
  std::uint64_t done_ = 0;
};

class FileStore final : public ports::ObjectStore {
 public:
  FileStore(std::string folder, ports::Entropy& entropy) : base_(std::move(folder)), entropy_(entropy) {
    while (base_.size() > 1 && base_.back() == '/') base_.pop_back();
  }

  std::string address() const override { return "file://" + base_; }

  base::Result<void> mark() override {
    const auto store = is_store(base_);
    if (!store) return tl::unexpected(store.error());
    return *store ? base::Result<void>() : mark_as_store(base_);
  }

  base::Result<std::vector<ports::ObjectInfo>> list(const std::string& prefix) override {
    std::vector<ports::ObjectInfo> objects;
    const auto walked = walk(base_, prefix, [&](const Entry& entry) {
      const bool wanted = entry.name.compare(0, prefix.size(), prefix) == 0;
      if (!wanted || !base::is_object_name(entry.name) || !is_ours(entry.name)) return;
      objects.push_back({entry.name, entry.size, time_of(entry.modified)});
    });
    if (!walked) return tl::unexpected(walked.error());
    if (auto sure = sure_of(!objects.empty()); !sure) return tl::unexpected(std::move(sure.error()));
    std::sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return objects;
  }

  base::Result<std::optional<std::string>> get(const std::string& name, std::uint64_t most) override {
    const auto reader = open(name);
    if (!reader) return tl::unexpected(reader.error());
    if (*reader == nullptr) return std::nullopt;
    if ((*reader)->size() > most) {
      return base::invalid(base_ + "/" + name + " is larger than " + std::to_string(most) + " bytes");
    }
    std::string bytes(static_cast<std::size_t>((*reader)->size()), '\0');
    for (std::size_t done = 0; done < bytes.size();) {
      const auto got = (*reader)->read(bytes.data() + done, bytes.size() - done);
      if (!got) return tl::unexpected(got.error());
      done += *got;
    }
    return bytes;
  }

  base::Result<std::unique_ptr<ports::ObjectReader>> open(const std::string& name) override {
    if (auto checked = check_name(name); !checked) return tl::unexpected(std::move(checked.error()));
    auto reader = open_file(name);
    if (!reader) return reader;
    if (auto sure = sure_of(*reader != nullptr); !sure) return tl::unexpected(std::move(sure.error()));
    return reader;
  }

  base::Result<void> put(const std::string& name, std::string_view bytes, ports::Overwrite overwrite) override {
    if (auto checked = check_name(name); !checked) return checked;
    auto upload = begin(name, overwrite);
    if (!upload) return tl::unexpected(std::move(upload.error()));
    if (auto written = (*upload)->write(bytes); !written) return written;
    return (*upload)->finish();
  }

  base::Result<std::unique_ptr<ports::ObjectWriter>> create(const std::string& name,
                                                            ports::Overwrite overwrite) override {
    if (auto checked = check_name(name); !checked) return tl::unexpected(std::move(checked.error()));
    if (overwrite == ports::Overwrite::Never) {
      const auto there = open_file(name);
      if (!there) return tl::unexpected(there.error());
      if (*there != nullptr) return there_is_one(base_ + "/" + name);
    }
    auto upload = begin(name, overwrite);
    if (!upload) return tl::unexpected(std::move(upload.error()));
    return std::move(*upload);
  }

  base::Result<void> remove(const std::string& name) override {
    if (auto checked = check_name(name); !checked) return checked;
    const auto place = find_place(base_, name, false);
    if (!place) return tl::unexpected(place.error());
    if (!place->folder) return {};
    if (::unlinkat(place->folder.number(), place->name.c_str(), 0) != 0) {
      if (errno == ENOENT || errno == EISDIR) return {};
      return failed("remove", place->path + "/" + place->name, errno);
    }
    if (auto synced = sync_folder(place->folder, place->path); !synced) return synced;
    remove_empty_folders(base_, name);
    return {};
  }

  base::Result<int> sweep(base::Time before) override {
    std::vector<std::string> old;
    const auto walked = walk(base_, "", [&](const Entry& entry) {
      const std::size_t slash = entry.name.rfind('/');
      const std::string_view name = std::string_view(entry.name).substr(slash == std::string::npos ? 0 : slash + 1);
      if (is_temporary(name) && time_of(entry.modified) < before) old.push_back(entry.name);
    });
    if (!walked) return tl::unexpected(walked.error());
    int swept = 0;
    for (const std::string& name : old) {
      const auto gone = sweep_one(name);
      if (!gone) return tl::unexpected(gone.error());
      swept += *gone ? 1 : 0;
    }
    return swept;
  }

 private:
  // Whether something is there or nothing: that nothing is there can be said of a store only.
  base::Result<void> sure_of(bool something) const {
    if (something) return {};
    const auto store = is_store(base_);
    if (!store) return tl::unexpected(store.error());
    if (*store) return {};
    return base::invalid(
        "the folder of the store, " + base_ + ", is empty and not marked as a store",
        "mount its disk when that is missing; a new store is marked by its first backup, or by: touch " + base_ +
            "/.quorate-store");
  }

  base::Result<std::unique_ptr<ports::ObjectReader>> open_file(const std::string& name) const {
    const auto place = find_place(base_, name, false);
    if (!place) return tl::unexpected(place.error());
    if (!place->folder) return nullptr;
    const std::string path = place->path + "/" + place->name;
    Descriptor file(
        ::openat(place->folder.number(), place->name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file && errno == ENOENT) return nullptr;
    struct stat about {};
    if (file ? ::fstat(file.number(), &about) != 0 : errno != ELOOP && errno != ENXIO) {
      return failed("open", path, errno);
    }
    if (file && S_ISDIR(about.st_mode)) return nullptr;
    if (!file || !S_ISREG(about.st_mode)) {
      return tl::unexpected(base::Error{ErrorKind::Refused, path + " is no regular file, and is not followed", ""});
    }
    return std::make_unique<FileReader>(std::move(file), path, static_cast<std::uint64_t>(about.st_size));
  }

  base::Result<std::unique_ptr<Upload>> begin(const std::string& name, ports::Overwrite overwrite) {
    if (auto marked = mark(); !marked) return tl::unexpected(std::move(marked.error()));
    return Upload::begin(base_, name, overwrite, entropy_);
  }

  // One that is still being written is locked by its writer.
  base::Result<bool> sweep_one(const std::string& name) const {
    const auto place = find_place(base_, name, false);
    if (!place) return tl::unexpected(place.error());
    if (!place->folder) return false;
    const std::string path = place->path + "/" + place->name;
    const Descriptor file(
        ::openat(place->folder.number(), place->name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file && errno == ENOENT) return false;
    if (!file) return failed("open", path, errno);
    if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    if (::unlinkat(place->folder.number(), place->name.c_str(), 0) != 0) {
      if (errno == ENOENT) return false;
      return failed("remove", path, errno);
    }
    remove_empty_folders(base_, name);
    return true;
  }

  std::string base_;
  ports::Entropy& entropy_;
};

}  // namespace

std::unique_ptr<ports::ObjectStore> make_file_store(std::string folder, ports::Entropy& entropy) {
  return std::make_unique<FileStore>(std::move(folder), entropy);
}

}  // namespace quorate::file_store
