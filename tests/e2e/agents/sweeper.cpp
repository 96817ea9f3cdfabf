// The shell holds one end of a pipe; the other closes with this process, however it ends.
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
constexpr const char* kSweep = R"(
cat >/dev/null
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
)";

}  // namespace

Sweeper::Sweeper(const std::string& folder) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  waits_for_ = ends[1];
  std::string sh = "sh", dash_c = "-c", script = kSweep, name = "sweep", argument = folder;
  std::array<char*, 6> argv{sh.data(), dash_c.data(), script.data(), name.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // out of reach of whoever kills our group
  const int failed = ::posix_spawnp(&shell_, "sh", &actions, &attributes, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(ends[0]);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), "sh");
}

Sweeper::~Sweeper() {
  ::close(waits_for_);
  while (::waitpid(shell_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace quorate::e2e
