// Programs as tests run them: started in a process group of their own, watched through their output, never left behind.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace quorate::integration {

using Seconds = std::chrono::seconds;

// A folder that is gone, with all that is in it, when the test is over.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string read_file(const std::string& path);
// Makes the folders above it.
void write_file(const std::string& path, const std::string& content, int mode = 0644);

// Loopback addresses that only this test process uses, so that a port found free on them stays free.
std::string own_address(int number);  // from 1
// Ports that are free on the first `addresses` own addresses at once; none is given out twice.
int free_port(int addresses = 1);

struct Command {
  std::vector<std::string> arguments;    // the program first, by path or by name
  std::vector<std::string> environment;  // NAME=value; nothing else but PATH is passed on
};

struct Ended {
  int exit_code = 0;   // 128 + signal when a signal ended it
  std::string output;  // standard output
  std::string errors;  // standard error
};

// Runs it to its end, with nothing to read.
Ended run(const Command& command);

// Runs on its own; the destructor kills its whole group.
class Process {
 public:
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // True as soon as a line of its output satisfies `wanted`; false when it has ended or the time is up.
  bool wait_for_line(const std::function<bool(const std::string&)>& wanted, Seconds patience);
  // Nothing when it still runs after that time.
  std::optional<int> wait_for_exit(Seconds patience);
  void signal(int number);  // to the program alone, as systemd and people do
  void kill();              // SIGKILL to the group, and waits until it is gone
  void pause();             // SIGSTOP to the group, and waits until it stands still
  void resume();
  bool is_stopped() const;  // by whoever has done that

  std::vector<std::string> lines() const;  // both streams, as they came
  std::string log() const;                 // the end of it as one text, for messages

 private:
  void watch();

  int pid_ = -1;
  int output_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::optional<int> exit_code_;
  std::thread watcher_;
};

}  // namespace quorate::integration
