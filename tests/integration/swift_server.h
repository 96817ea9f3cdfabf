// OpenStack Swift with its S3 API, on loopback, in a folder of its own: a real store, which is gone with this.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/process.h"

namespace quorate::integration {

class SwiftServer {
 public:
  SwiftServer();  // throws when it cannot be had, and says why
  SwiftServer(const SwiftServer&) = delete;
  SwiftServer& operator=(const SwiftServer&) = delete;

  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(proxy_port_); }
  int port() const { return proxy_port_; }
  // Entries of the bucket's listing, as those of objects that were put; there are no bytes behind them.
  Ended add_entries(const std::string& bucket, const std::string& prefix, int first, int count) const;
  std::string log() const;

  static constexpr const char* kAccess = "test:tester";
  static constexpr const char* kSecret = "testing";

 private:
  void make_ring(const std::string& kind, int port);
  void start(const std::string& kind, int port, const std::string& more);

  TempDir folder_;
  int proxy_port_ = 0;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace quorate::integration
