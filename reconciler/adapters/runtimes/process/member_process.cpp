// Signals go through the pidfd, which never means another process.
#include "reconciler/adapters/runtimes/process/member_process.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <utility>

#include <sys/wait.h>

#include "reconciler/adapters/runtimes/process/held_child.h"
#include "reconciler/adapters/runtimes/process/member_group.h"
#include "reconciler/base/check.h"
#include "reconciler/base/path.h"

namespace quorate::adapters::process {
namespace {

bool is_file_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

MemberProcess::MemberProcess(const std::string& member, std::string run_dir)
    : member_(member),
      run_dir_(std::move(run_dir)),
      pid_file_(base::join_path(run_dir_, member + ".pid")),
      log_(base::join_path(run_dir_, member + ".log")) {
  QUORATE_CHECK(is_file_name(member));
}

bool MemberProcess::take_over() {
  const auto found = read_pid_file(pid_file_);
  if (!found) return false;
  Descriptor process = open_process(found->process);
  if (!process || !runs_launch(found->process.pid, found->launch) || has_ended(process)) return false;
  identity_ = found->process;
  launch_ = found->launch;
  process_ = std::move(process);
  log_.resume(found->log_from);
  return true;
}

base::Result<void> MemberProcess::spawn(const std::string& program, const std::vector<std::string>& args) {
  if (const auto made = make_run_dir(run_dir_); !made) return made;
  const auto path = find_program(program);
  if (!path) return tl::unexpected(path.error());
  const auto log_from = log_.begin();
  if (!log_from) return tl::unexpected(log_from.error());
  auto child = HeldChild::fork(*path, program, args, log_.file());
  if (!child) return tl::unexpected(child.error());
  const auto identity = identity_of(child->pid());
  if (!identity) {
    return tl::unexpected(
        base::Error{base::ErrorKind::Transient, "the process of " + program + " was gone at once", ""});
  }
  const PidFile content{*identity, launch_digest(program, args), *log_from};
  if (const auto written = write_pid_file(pid_file_, content); !written) return written;
  enter_group(member_, child->pid());
  if (const auto started = child->let_go(); !started) {
    ::unlink(pid_file_.c_str());
    return started;
  }
  identity_ = *identity;
  launch_ = content.launch;
  process_ = child->take_process();
  return {};
}

base::Duration MemberProcess::age() const {
  timespec now{};
  if (::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return {};
  const auto ticks = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
  const auto since_boot = static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
  const auto started =
      static_cast<std::int64_t>(identity_.started / ticks * 1000 + identity_.started % ticks * 1000 / ticks);
  return base::Duration(std::max<std::int64_t>(0, since_boot - started));
}

void MemberProcess::ask_to_end() {
  send_signal(process_, SIGTERM);
  send_signal(process_, SIGCONT);
}

void MemberProcess::kill() {
  // As long as it lives, the group of its number is its own.
  if (!has_ended(process_)) ::kill(-static_cast<pid_t>(identity_.pid), SIGKILL);
  send_signal(process_, SIGKILL);
}

int MemberProcess::bury() {
  const auto process = static_cast<id_t>(process_.number());
  int status = -1;
  siginfo_t ended{};
  if (::waitid(P_PIDFD, process, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == identity_.pid) {
    // Until it is waited for, its number stays its own: what is left of its group ends now and keeps no port.
    ::kill(-static_cast<pid_t>(identity_.pid), SIGKILL);
    ::waitid(P_PIDFD, process, &ended, WEXITED | WNOHANG);
    status = ended.si_code == CLD_EXITED ? ended.si_status : 128 + ended.si_status;
  }
  process_.close();
  ::unlink(pid_file_.c_str());
  remove_group(member_);
  return status;
}

}  // namespace quorate::adapters::process
