// A lock beside the socket says whether its owner lives; the kernel gives it back when a process dies.
#include "reconciler/adapters/peer_grpc/socket_place.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace quorate::peer_grpc {
namespace {

using base::Error;
using base::ErrorKind;

constexpr int kMode = 0660;
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::size_t kSuffix = sizeof("/.XXXXXX/s") - 1;  // of the place where it is bound

tl::unexpected<Error> failed(const std::string& doing, const std::string& path) {
  const int number = errno;
  const bool rights = number == EACCES || number == EPERM || number == EROFS;
  return tl::unexpected(Error{rights ? ErrorKind::Refused : ErrorKind::Transient,
                              doing + " " + path + ": " + std::strerror(number),
                              rights ? "choose a folder that this user may write to" : "see the machine's log"});
}

tl::unexpected<Error> taken(const std::string& path) {
  return tl::unexpected(Error{ErrorKind::Refused, "an agent listens at " + path + " already",
                              "stop it first, or give this one another socket"});
}

std::optional<gid_t> number_of(const std::string& group) {
  if (group.empty()) return std::nullopt;
  std::vector<char> room(std::size_t{64} << 10);
  struct group entry {};
  struct group* found = nullptr;
  const int problem = ::getgrnam_r(group.c_str(), &entry, room.data(), room.size(), &found);
  return problem == 0 && found != nullptr ? std::optional(entry.gr_gid) : std::nullopt;
}

// One that everybody may enter, or that somebody has given to a group already, is not the socket's alone and stays as
// it is. Only root may give a folder to any group; for others it stays with their own.
void give_folder(const std::string& folder, gid_t group, bool is_new) {
  struct stat there {};
  if (::stat(folder.c_str(), &there) != 0 || there.st_uid != ::geteuid() || (there.st_mode & S_IXOTH) != 0) return;
  if (there.st_gid != group && there.st_gid != 0 && there.st_gid != ::getegid()) return;
  if (::chown(folder.c_str(), static_cast<uid_t>(-1), group) != 0) return;
  if (is_new) (void)::chmod(folder.c_str(), 0750);
}

class Place final : public SocketPlace {
 public:
  Place(std::string path, std::optional<gid_t> group, int lock) : path_(std::move(path)), group_(group), lock_(lock) {}
  ~Place() override {
    if (published_) ::unlink(path_.c_str());
    if (!folder_.empty()) {
      ::unlink(bound_at().c_str());
      ::rmdir(folder_.c_str());
    }
    ::close(lock_);  // its file stays: one that is removed could be locked by two
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  base::Result<void> prepare() {
    std::string name = std::filesystem::path(path_).parent_path().string() + "/.XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return failed("making a folder beside", path_);
    folder_ = name;
    return {};
  }
  std::string bound_at() const override { return folder_ + "/s"; }
  base::Result<void> publish() override {
    const std::string at = bound_at();
    struct stat above {};
    if (::stat(std::filesystem::path(path_).parent_path().c_str(), &above) != 0) return failed("looking above", path_);
    if (::chmod(at.c_str(), kMode) != 0) return failed("setting the rights of", path_);
    // Only root may give it to any group; for others it stays with their own.
    (void)!::lchown(at.c_str(), static_cast<uid_t>(-1), group_.value_or(above.st_gid));
    if (::rename(at.c_str(), path_.c_str()) != 0) return failed("putting the socket at", path_);
    published_ = true;
    return {};
  }

 private:
  std::string path_;
  std::optional<gid_t> group_;
  int lock_;
  std::string folder_;
  bool published_ = false;
};

}  // namespace

base::Result<void> look_for_listener(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() > kLongestPath) return base::invalid("the socket's path " + path + " is too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return failed("opening", path);
  const int result = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int number = errno;
  ::close(probe);
  // EAGAIN: somebody listens, and has much to do.
  if (result == 0 || number == EAGAIN) return {};
  if (number == ENOENT || number == ECONNREFUSED || number == ENOTDIR) {
    return tl::unexpected(Error{ErrorKind::Transient, "no agent listens at " + path,
                                "start it (quorate agent, or quorate up), or name its socket with --agent unix:PATH"});
  }
  errno = number;
  if (number == EACCES || number == EPERM) {
    return tl::unexpected(Error{ErrorKind::Refused, "this user may not speak to the agent at " + path,
                                "use a user of the socket's group, or root"});
  }
  return failed("connecting to", path);
}

base::Result<std::unique_ptr<SocketPlace>> take_place(const std::string& path, const std::string& group) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty() || !folder.is_absolute()) {
    return base::invalid("the socket " + path + " has no absolute path", "write it from the root on");
  }
  if (path.size() > kLongestPath || folder.string().size() + kSuffix > kLongestPath) {
    return base::invalid("the path of the socket " + path + " is too long for the system",
                         "choose one of at most " + std::to_string(kLongestPath) + " characters");
  }
  const std::optional<gid_t> number = number_of(group);
  const bool is_new = ::mkdir(folder.c_str(), 0700) == 0;
  if (!is_new && errno != EEXIST) return failed("making the folder of", path);
  if (number) give_folder(folder.string(), *number, is_new);
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && !S_ISSOCK(there.st_mode)) {
    return tl::unexpected(
        Error{ErrorKind::Refused, path + " is there and is no socket", "move it away, or choose another path"});
  }
  const int lock = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) return failed("opening the lock of", path);
  auto place = std::make_unique<Place>(path, number, lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0 || look_for_listener(path)) return taken(path);
  if (auto prepared = place->prepare(); !prepared) return tl::unexpected(prepared.error());
  return place;
}

}  // namespace quorate::peer_grpc
