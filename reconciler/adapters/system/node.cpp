// Each question of the port, handed to the file that can answer it.
#include "reconciler/adapters/system/node.h"

#include <array>
#include <cerrno>

#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "reconciler/adapters/system/certificate.h"
#include "reconciler/adapters/system/data_dir.h"
#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/local_host.h"
#include "reconciler/adapters/system/process_table.h"
#include "reconciler/adapters/system/program_version.h"
#include "reconciler/base/path.h"

namespace quorate::adapters::system {
namespace {

constexpr std::size_t kFile = 16 * 1024 * 1024;

std::string user_name(uid_t user) {
  std::array<char, 4096> space{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, space.data(), space.size(), &found) != 0 || found == nullptr) {
    return std::to_string(user);
  }
  return found->pw_name;
}

class ThisNode final : public ports::Node {
 public:
  bool is_here(const model::Member& member) override { return lives_on(local_host(), member); }

  base::Result<model::DataDir> data_dir(const std::string& data, const std::string& wal) override {
    return read_data_dir(data, wal, logs_);
  }

  base::Result<std::optional<ports::FileOnNode>> read_file(const std::string& path) override {
    auto content = read_whole_file(path, kFile);
    if (!content) return tl::unexpected(content.error());
    if (!*content) return std::nullopt;
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) return tl::unexpected(system_error("look at", path, errno));
    return ports::FileOnNode{std::move(**content), static_cast<int>(about.st_mode & 07777U), user_name(about.st_uid),
                             about.st_uid == ::geteuid()};
  }

  base::Result<model::Process> process_of(const model::Member& member) override { return processes_.find(member); }

  base::Result<model::Certificate> certificate(const std::string& path, const std::string& use) override {
    return look_at_certificate(path, use);
  }

  base::Result<model::Binary> binary(const std::string& path) override { return look_at_binary(path); }

  // What does not exist yet will lie where its nearest parent lies.
  base::Result<model::DiskSpace> disk_space(const std::string& path) override {
    std::string there = path;
    struct statvfs space {};
    while (::statvfs(there.c_str(), &space) != 0) {
      const std::string parent = base::parent_path(there);
      if (errno != ENOENT || parent == there || parent.empty()) {
        return tl::unexpected(system_error("look at the file system of", there, errno));
      }
      there = parent;
    }
    return model::DiskSpace{path, std::uint64_t{space.f_bavail} * space.f_frsize,
                            std::uint64_t{space.f_blocks} * space.f_frsize};
  }

 private:
  LogMemory logs_;
  ProcessTable processes_{"/proc"};
};

}  // namespace

std::unique_ptr<ports::Node> make_node() {
  return std::make_unique<ThisNode>();
}

}  // namespace quorate::adapters::system
