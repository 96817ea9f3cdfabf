// A client that writes every 100 ms for as long as a test runs, and remembers what etcd promised it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reconciler/ports/etcd_admin.h"

namespace quorate::truth {

using Moment = std::chrono::steady_clock::time_point;

class Writer {
 public:
  static constexpr std::chrono::milliseconds kPeriod{100};

  explicit Writer(std::vector<std::string> endpoints);
  ~Writer() { stop(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Where members run; each write goes to the first of them that takes it.
  void aim(std::vector<std::string> endpoints);
  void stop();

  struct Gap {
    Moment begin;
    Moment end;
  };
  // Spans in which a quorum served nothing. A database that is full refuses writes: reads through the quorum count
  // then.
  std::vector<Gap> gaps_over(std::chrono::milliseconds bound) const;
  std::chrono::milliseconds longest_gap() const;
  std::vector<std::pair<std::string, std::string>> acknowledged() const;

 private:
  void run();
  bool write(const std::string& key, const std::string& value);
  std::vector<std::string> endpoints() const;

  std::unique_ptr<ports::EtcdAdmin> etcd_;
  mutable std::mutex mutex_;
  std::vector<std::string> endpoints_;
  std::vector<Moment> served_;
  std::vector<std::pair<std::string, std::string>> acknowledged_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace quorate::truth
