// The folder first, and everything in it gone at the end.
#include "reconciler/cli/trial_place.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <sys/stat.h>

#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/write_aside.h"
#include "reconciler/base/mebibytes.h"
#include "reconciler/base/path.h"
#include "reconciler/cli/new_file.h"

namespace quorate::cli {
namespace {

constexpr std::uint64_t kCopies = 3;                          // the snapshot, its data directory, and some of it again
constexpr std::uint64_t kBesides = std::uint64_t{256} << 20;  // the log that etcd lays out, and a rest for others

class Folder final : public ports::TrialPlace {
 public:
  Folder(ports::Host& host, std::string path, std::string program)
      : host_(host), path_(std::move(path)), program_(std::move(program)) {}
  ~Folder() override {
    file_.reset();
    static_cast<void>(host_.remove_tree(path_));
  }

  base::Result<void> begin(ports::Entropy& entropy) {
    auto file = NewFile::begin(path_ + "/snapshot.db", entropy);
    if (!file) return tl::unexpected(std::move(file.error()));
    file_ = adapters::system::write_aside(*std::move(file));
    return {};
  }
  codec::Sink& snapshot() override { return *file_; }
  ports::Trial trial() const override { return {path_ + "/snapshot.db", path_, program_, 0}; }

 private:
  ports::Host& host_;
  const std::string path_;
  const std::string program_;
  std::unique_ptr<codec::Sink> file_;
};

base::Result<void> check_room(ports::Node& node, const TrialNeeds& needs) {
  const std::string parent = base::parent_path(needs.folder);
  const auto space = node.disk_space(parent);
  if (!space) return tl::unexpected(space.error());
  const std::uint64_t needed = kCopies * needs.size + kBesides;
  if (space->free_bytes >= needed) return {};
  return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                    "no room for a test restore in " + parent + ": " +
                                        base::mebibytes(space->free_bytes) + " are free, and " +
                                        base::mebibytes(needed) + " are needed",
                                    "name a folder with more in TMPDIR"});
}

}  // namespace

base::Result<std::unique_ptr<ports::TrialPlace>> make_trial_place(ports::Host& host, ports::Node& node,
                                                                  ports::Entropy& entropy, const TrialNeeds& needs) {
  if (auto removed = host.remove_tree(needs.folder); !removed) return tl::unexpected(std::move(removed.error()));
  if (auto room = check_room(node, needs); !room) return tl::unexpected(std::move(room.error()));
  if (::mkdir(needs.folder.c_str(), 0700) != 0) {
    return tl::unexpected(adapters::system::system_error("make the folder", needs.folder, errno));
  }
  auto place = std::make_unique<Folder>(host, needs.folder, needs.program);
  if (auto begun = place->begin(entropy); !begun) return tl::unexpected(std::move(begun.error()));
  return place;
}

std::string temporary_folder(const std::string& otherwise) {
  const char* const chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : otherwise;
}

}  // namespace quorate::cli
