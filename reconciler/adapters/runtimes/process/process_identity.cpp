// Reads /proc; a pidfd holds on to what was found there.
#include "reconciler/adapters/runtimes/process/process_identity.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>

#include "reconciler/base/digest.h"

namespace quorate::adapters::process {
namespace {

constexpr std::size_t kProcFile = std::size_t{1} << 20;
constexpr int kInterpreterWords = 2;  // "/bin/sh -e script ..."

std::string read_proc(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> piece{};
  while (file && text.size() < kProcFile) {
    const ssize_t got = ::read(file.number(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::string folder_of(std::int64_t pid) {
  return "/proc/" + std::to_string(pid);
}

// The 22nd field; the second, a name in brackets, may hold anything.
std::optional<std::uint64_t> start_time_in(std::string_view stat) {
  const auto bracket = stat.rfind(')');
  if (bracket == std::string_view::npos || bracket + 2 >= stat.size()) return std::nullopt;
  stat.remove_prefix(bracket + 2);
  if (stat.front() == 'Z' || stat.front() == 'X' || stat.front() == 'x') return std::nullopt;
  for (int field = 3; field < 22; ++field) {
    const auto space = stat.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(space + 1);
  }
  std::uint64_t ticks = 0;
  const auto end = std::from_chars(stat.data(), stat.data() + stat.size(), ticks);
  if (end.ec != std::errc{}) return std::nullopt;
  return ticks;
}

}  // namespace

std::optional<ProcessIdentity> identity_of(std::int64_t pid) {
  const auto started = pid > 0 ? start_time_in(read_proc(folder_of(pid) + "/stat")) : std::nullopt;
  if (!started) return std::nullopt;
  std::string boot = read_proc("/proc/sys/kernel/random/boot_id");
  while (!boot.empty() && boot.back() == '\n') boot.pop_back();
  return ProcessIdentity{pid, *started, boot};
}

std::string launch_digest(const std::string& program, const std::vector<std::string>& args) {
  std::string words = program + '\0';
  for (const std::string& arg : args) words += arg + '\0';
  return base::sha256_hex(words);
}

bool runs_launch(std::int64_t pid, const std::string& digest) {
  std::string words = read_proc(folder_of(pid) + "/cmdline");
  for (int dropped = 0; !words.empty() && dropped <= kInterpreterWords; ++dropped) {
    if (base::sha256_hex(words) == digest) return true;
    const auto zero = words.find('\0');
    words.erase(0, zero == std::string::npos ? words.size() : zero + 1);
  }
  return false;
}

Descriptor open_process(const ProcessIdentity& identity) {
  // First the descriptor, then the look: what /proc shows while the process lives is of this process.
  Descriptor process = open_pidfd(identity.pid);
  if (!process || identity_of(identity.pid) != identity || has_ended(process)) return {};
  return process;
}

Descriptor open_pidfd(std::int64_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
}

void send_signal(const Descriptor& process, int signal) {
  ::syscall(SYS_pidfd_send_signal, process.number(), signal, nullptr, 0);
}

bool has_ended(const Descriptor& process) {
  pollfd poll{process.number(), POLLIN, 0};
  return ::poll(&poll, 1, 0) > 0;
}

}  // namespace quorate::adapters::process
