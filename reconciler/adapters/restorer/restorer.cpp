// The port, and what its jobs share: etcdutl, space, scratch folders.
#include "reconciler/adapters/restorer/restorer.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "reconciler/adapters/restorer/files.h"
#include "reconciler/adapters/restorer/parts.h"
#include "reconciler/base/mebibytes.h"
#include "reconciler/base/path.h"
#include "reconciler/base/version.h"

namespace quorate::adapters::restorer {
namespace {

// The first of its minor that can raise the revision of what it restores.
constexpr base::Version kOldestEtcdutl{{3, 5}, 10};

bool is_program(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> places_of_etcdutl(const Parts& parts) {
  if (!parts.etcdutl.empty()) return {parts.etcdutl};
  std::vector<std::string> places;
  if (const auto etcd = path_of_program(parts.etcd_program.empty() ? "etcd" : parts.etcd_program)) {
    places.push_back(base::parent_path(*etcd) + "/etcdutl");
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(*etcd, error);
    if (!error) places.push_back((real.parent_path() / "etcdutl").string());
  }
  places.emplace_back("etcdutl");
  return places;
}

class SystemRestorer final : public ports::Restorer {
 public:
  explicit SystemRestorer(Parts parts) : parts_(std::move(parts)) {}

  base::Result<void> ready(base::Duration) override {
    const auto etcdutl = find_etcdutl(parts_);
    if (!etcdutl) return tl::unexpected(etcdutl.error());
    return {};
  }
  base::Result<void> seed(const ports::Seeding& seeding, base::Duration within) override {
    return restorer::seed(parts_, seeding, Deadline(within));
  }
  base::Result<ports::Extracted> extract(const ports::Survivor& survivor, base::Duration within) override {
    return restorer::extract(parts_, survivor, Deadline(within));
  }
  base::Result<ports::Tried> try_out(const ports::Trial& trial, base::Duration within) override {
    return restorer::try_out(parts_, trial, Deadline(within, trial.ends));
  }

 private:
  Parts parts_;
};

}  // namespace

base::Result<std::string> path_of_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    const std::string candidate = std::string(folders.substr(0, end)) + "/" + name;
    folders.remove_prefix(std::min(end + 1, folders.size()));
    if (candidate.front() == '/' && is_program(candidate)) return candidate;
  }
  return base::invalid("there is no " + name + " along PATH", "install it, or name its path");
}

base::Result<std::string> find_etcdutl(const Parts& parts) {
  std::string seen;
  for (const std::string& place : places_of_etcdutl(parts)) {
    const auto path = path_of_program(place);
    if (!path || !is_program(*path)) continue;
    const auto binary = parts.node.binary(*path);
    if (!binary) {
      seen = binary.error().message;
      continue;
    }
    const auto version = base::parse_version(binary->version.substr(0, binary->version.find_first_of("-+")));
    if (version && *version >= kOldestEtcdutl) return *path;
    seen = *path + " is " + binary->version;
  }
  return tl::unexpected(base::Error{
      base::ErrorKind::Refused, "there is no etcdutl of 3.5.10 or later here" + (seen.empty() ? "" : ": " + seen),
      "install etcd's etcdutl beside etcd or along PATH; any such release restores backups of etcd 3.4, too"});
}

base::Result<void> check_space(const Parts& parts, const std::string& path, std::uint64_t needed) {
  const auto space = parts.node.disk_space(path);
  if (!space) return tl::unexpected(space.error());
  if (space->free_bytes >= needed) return {};
  return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                    "the file system of " + path + " has " + base::mebibytes(space->free_bytes) +
                                        " free, " + base::mebibytes(needed) + " are needed",
                                    "free space on it"});
}

base::Result<base::MemberId> member_in(const Parts& parts, const std::string& data_dir) {
  const auto dir = parts.node.data_dir(data_dir, "");
  if (!dir) return tl::unexpected(dir.error());
  return dir->member;
}

base::Result<Scratch> Scratch::clear(ports::Host& host, const std::string& path) {
  if (auto removed = host.remove_tree(path); !removed) return tl::unexpected(std::move(removed.error()));
  return Scratch(host, path);
}

base::Result<Scratch> Scratch::make(ports::Host& host, const std::string& path) {
  auto scratch = clear(host, path);
  if (!scratch) return scratch;
  if (auto made = make_folders(path); !made) return tl::unexpected(std::move(made.error()));
  return scratch;
}

Scratch::Scratch(Scratch&& other) noexcept
    : host_(std::exchange(other.host_, nullptr)), path_(std::move(other.path_)) {}

Scratch::~Scratch() {
  if (host_ != nullptr) static_cast<void>(host_->remove_tree(path_));
}

std::unique_ptr<ports::Restorer> make_restorer(Parts parts) {
  return std::make_unique<SystemRestorer>(std::move(parts));
}

}  // namespace quorate::adapters::restorer
