// Runs several commands in turns and reports, as JSON, how long each run took, its CPU, and the most memory it held.
//
//   quorate_interleave ROUNDS COMMAND... [--- COMMAND...]
//
// A program of its own, because a child counts the memory of the process it was forked from as its own peak: this one
// is small and starts children without copying itself.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Subject {
  std::vector<char*> arguments;
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  long max_rss_kib = 0;
  int exit_code = 0;
};

double in_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void run_once(Subject& subject, posix_spawn_file_actions_t& actions) {
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  if (::posix_spawnp(&pid, subject.arguments[0], &actions, nullptr, subject.arguments.data(), ::environ) != 0) {
    std::cerr << "cannot start " << subject.arguments[0] << "\n";
    std::exit(1);
  }
  int status = 0;
  rusage usage{};
  ::wait4(pid, &status, 0, &usage);
  subject.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  subject.cpu_seconds.push_back(in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime));
  subject.max_rss_kib = std::max(subject.max_rss_kib, usage.ru_maxrss);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code != 0) subject.exit_code = code;
}

void print(const char* name, const std::vector<double>& numbers) {
  std::cout << ",\"" << name << "\":[";
  for (std::size_t index = 0; index < numbers.size(); ++index) std::cout << (index == 0 ? "" : ",") << numbers[index];
  std::cout << "]";
}

void print(const std::vector<Subject>& subjects) {
  std::cout << "[";
  for (const Subject& subject : subjects) {
    std::cout << (&subject == &subjects.front() ? "" : ",") << "\n{\"exit_code\":" << subject.exit_code
              << ",\"max_rss_kib\":" << subject.max_rss_kib;
    print("seconds", subject.seconds);
    print("cpu_seconds", subject.cpu_seconds);
    std::cout << "}";
  }
  std::cout << "]\n";
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<Subject> subjects(1);
  for (int index = 2; index < count; ++index) {
    if (std::string_view(arguments[index]) == "---") {
      subjects.emplace_back();
    } else {
      subjects.back().arguments.push_back(arguments[index]);
    }
  }
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 0;
  const bool empty =
      std::any_of(subjects.begin(), subjects.end(), [](const Subject& s) { return s.arguments.empty(); });
  if (rounds < 1 || empty) {
    std::cerr << "usage: quorate_interleave ROUNDS COMMAND... [--- COMMAND...]\n";
    return 64;
  }
  for (Subject& subject : subjects) subject.arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  for (int round = 0; round < rounds; ++round) {
    for (Subject& subject : subjects) run_once(subject, actions);
  }
  ::posix_spawn_file_actions_destroy(&actions);
  print(subjects);
  return 0;
}
