// Sockets and files that live for a moment.
#include "reconciler/adapters/system/probes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reconciler/adapters/system/descriptor.h"
#include "reconciler/adapters/system/files.h"

namespace quorate::adapters::system {
namespace {

using Clock = std::chrono::steady_clock;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

tl::unexpected<base::Error> transient(std::string message) {
  return tl::unexpected<base::Error>(base::Error{base::ErrorKind::Transient, std::move(message), {}});
}

base::Result<Addresses> addresses_of(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) return transient(host + " has no address: " + ::gai_strerror(error));
  return Addresses(list);
}

std::string words_of(int error) {
  return error == ETIMEDOUT ? "no answer" : std::strerror(error);
}

// 0, or what went wrong.
int connect_within(const addrinfo& address, Clock::time_point until) {
  const Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  if (::connect(socket.number(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd waiting{socket.number(), POLLOUT, 0};
  while (true) {
    const auto left = std::chrono::duration_cast<base::Duration>(until - Clock::now()).count();
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000))) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    if (ready < 0 || ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
  }
}

std::string name_of_user(uid_t user) {
  std::array<char, 16384> room{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, room.data(), room.size(), &found) == 0 && found != nullptr) return found->pw_name;
  return std::to_string(user);
}

bool is_mount_point(const std::string& path, const struct stat& own) {
  struct stat above {};
  if (::stat((path + "/..").c_str(), &above) != 0) return false;
  return above.st_dev != own.st_dev || above.st_ino == own.st_ino;
}

}  // namespace

base::Result<base::Duration> reach(const std::string& host, std::uint16_t port, base::Duration within) {
  const auto start = Clock::now();
  const auto addresses = addresses_of(host, port, 0);
  if (!addresses) return tl::unexpected(addresses.error());
  int error = EADDRNOTAVAIL;
  for (const addrinfo* each = addresses->get(); each != nullptr; each = each->ai_next) {
    error = connect_within(*each, start + within);
    if (error == 0) return std::chrono::duration_cast<base::Duration>(Clock::now() - start);
  }
  return transient(words_of(error));
}

base::Result<Port> look_at_port(const std::string& address, std::uint16_t port) {
  const auto addresses = addresses_of(address, port, AI_NUMERICHOST | AI_PASSIVE);
  if (!addresses) return tl::unexpected(addresses.error());
  const addrinfo& wanted = **addresses;
  const Descriptor socket(::socket(wanted.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return transient("no socket can be made: " + words_of(errno));
  // As etcd does: connections of a process that has ended are no reason to wait.
  const int on = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.number(), wanted.ai_addr, wanted.ai_addrlen) != 0) {
    if (errno == EADDRINUSE) return Port::Taken;
    if (errno == EADDRNOTAVAIL) return Port::NotOurs;
    if (errno == EACCES || errno == EPERM) return Port::Forbidden;
    return transient("port " + std::to_string(port) + " cannot be looked at: " + words_of(errno));
  }
  return ::listen(socket.number(), 1) == 0 ? Port::Free : Port::Taken;
}

base::Result<std::optional<Folder>> look_at_folder(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return tl::unexpected(system_error("look at", path, errno));
  }
  if (!S_ISDIR(status.st_mode)) return base::invalid(path + " is no directory");
  Folder folder;
  folder.mode = static_cast<int>(status.st_mode & 07777);
  folder.owner = name_of_user(status.st_uid);
  folder.owned_by_us = status.st_uid == ::geteuid();
  folder.writable = ::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  folder.mount_point = is_mount_point(path, status);
  return folder;
}

base::Result<std::vector<std::chrono::microseconds>> time_writes(const std::string& folder, int count) {
  std::string path = folder + "/.quorate-doctor-XXXXXX";
  const Descriptor file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file) return tl::unexpected(system_error("write in", folder, errno));
  ::unlink(path.c_str());
  constexpr std::size_t kBlock = 8192;
  const std::string block(kBlock, 'q');
  std::vector<std::chrono::microseconds> times;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    const ssize_t written = ::write(file.number(), block.data(), block.size());
    const bool whole = written == static_cast<ssize_t>(block.size());
    if (!whole || ::fdatasync(file.number()) != 0) {
      return tl::unexpected(system_error("write in", folder, written >= 0 && !whole ? ENOSPC : errno));
    }
    times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start));
  }
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace quorate::adapters::system
