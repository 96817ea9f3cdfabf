// A shell reads a pipe that closes with this process, however it ends. It is no child of ours, so that whoever kills a
// test with all its children does not kill it too; a second pipe says when it is done.
#include "tests/e2e/agents/sweeper.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quorate::e2e {
namespace {

// $1 is the folder. Twice: an agent that was just being killed may have started one more.
constexpr const char* kSweep = R"((
cat <&3 >/dev/null
for again in 1 2; do
  for about in /proc/[0-9]*/cmdline; do
    pid=${about#/proc/}; pid=${pid%/cmdline}
    [ "$pid" = $$ ] && continue
    if tr '\0' ' ' 2>/dev/null <"$about" | grep -qF -- "$1/"; then kill -9 "$pid" 2>/dev/null; fi
  done
done
for name in $(ip netns list 2>/dev/null | cut -d' ' -f1 | grep -F -- "${1##*.}-"); do ip netns del "$name"; done
for mount in $(cut -d' ' -f2 /proc/mounts | grep -F -- "$1/"); do umount -l "$mount"; done
rm -rf -- "$1"
) >/dev/null 2>&1 &
)";

void start(std::array<char*, 6>& argv, int reads, int writes) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, reads, 3);
  ::posix_spawn_file_actions_adddup2(&actions, writes, 4);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // out of reach of whoever kills our group
  pid_t shell = -1;
  const int failed = ::posix_spawnp(&shell, "sh", &actions, &attributes, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), "sh");
  while (::waitpid(shell, nullptr, 0) < 0 && errno == EINTR) continue;  // it leaves the one that sweeps behind
}

// From 10 on: 3 and 4 are the shell's.
std::array<int, 2> make_pipe() {
  std::array<int, 2> low{};
  if (::pipe2(low.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  std::array<int, 2> ends{};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i] = ::fcntl(low[i], F_DUPFD_CLOEXEC, 10);
    ::close(low[i]);
  }
  return ends;
}

}  // namespace

Sweeper::Sweeper(const std::string& folder) {
  const auto ours = make_pipe();
  const auto done = make_pipe();
  std::string sh = "sh", dash_c = "-c", script = kSweep, name = "sweep", argument = folder;
  std::array<char*, 6> argv{sh.data(), dash_c.data(), script.data(), name.data(), argument.data(), nullptr};
  start(argv, ours[0], done[1]);
  ::close(ours[0]);
  ::close(done[1]);
  ours_ = ours[1];
  done_ = done[0];
}

Sweeper::~Sweeper() {
  ::close(ours_);
  char nothing = 0;
  ssize_t more = 0;
  do more = ::read(done_, &nothing, 1);
  while (more > 0 || (more < 0 && errno == EINTR));
  ::close(done_);
}

}  // namespace quorate::e2e
