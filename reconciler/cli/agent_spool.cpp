// Under a name of its own until it is whole and on disk: a crash leaves that file, and the next attempt begins it anew.
#include "reconciler/cli/agent_spool.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "reconciler/adapters/system/descriptor.h"
#include "reconciler/adapters/system/durable.h"
#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/write_aside.h"
#include "reconciler/base/mebibytes.h"
#include "reconciler/base/path.h"

namespace quorate::cli {
namespace {

constexpr off_t kStretch = off_t{16} << 20;

using adapters::system::Descriptor;
using adapters::system::system_error;

class SpoolFile final : public codec::Sink {
 public:
  SpoolFile(Descriptor folder, Descriptor file, std::string path)
      : folder_(std::move(folder)), file_(std::move(file)), path_(std::move(path)) {}
  ~SpoolFile() override {
    if (!finished_) ::unlink(partial(path_).c_str());
  }

  static std::string partial(const std::string& path) { return path + ".partial"; }

  base::Result<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(file_.number(), bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return tl::unexpected(system_error("write", partial(path_), wrote < 0 ? errno : EIO));
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
      written_ += wrote;
    }
    if (written_ - on_its_way_ < kStretch) return {};
    // So that the fsync at the end finds little left to do.
    static_cast<void>(::sync_file_range(file_.number(), on_its_way_, written_ - on_its_way_, SYNC_FILE_RANGE_WRITE));
    on_its_way_ = written_;
    return {};
  }

  base::Result<void> finish() override {
    if (::fsync(file_.number()) != 0) return tl::unexpected(system_error("write", partial(path_), errno));
    if (std::rename(partial(path_).c_str(), path_.c_str()) != 0) {
      return tl::unexpected(system_error("name", path_, errno));
    }
    finished_ = true;
    return adapters::system::sync_folder(folder_, base::parent_path(path_));
  }

 private:
  Descriptor folder_;
  Descriptor file_;
  const std::string path_;
  off_t written_ = 0;
  off_t on_its_way_ = 0;
  bool finished_ = false;
};

class AgentSpool final : public ports::Spool {
 public:
  explicit AgentSpool(ports::Node& node) : node_(node) {}

  base::Result<std::unique_ptr<codec::Sink>> begin(const std::string& path, std::uint64_t room) override {
    const std::string parent = base::parent_path(path);
    auto folder = adapters::system::make_folder(parent);
    if (!folder) return tl::unexpected(std::move(folder.error()));
    const auto space = node_.disk_space(parent);
    if (!space) return tl::unexpected(space.error());
    if (space->free_bytes < room) {
      return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                        "disk full: " + parent + " has " + base::mebibytes(space->free_bytes) +
                                            " free, and to restore there takes " + base::mebibytes(room),
                                        "free space on its file system"});
    }
    const std::string partial = SpoolFile::partial(path);
    Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return tl::unexpected(system_error("make", partial, errno));
    return adapters::system::write_aside(std::make_unique<SpoolFile>(*std::move(folder), std::move(file), path));
  }

 private:
  ports::Node& node_;
};

}  // namespace

std::unique_ptr<ports::Spool> make_agent_spool(ports::Node& node) {
  return std::make_unique<AgentSpool>(node);
}

}  // namespace quorate::cli
