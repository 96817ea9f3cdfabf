// Stands on loopback in front of a server of HTTP and breaks requests as it is told to; all else passes as it comes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace quorate::fakes {

// What happens to a request whose head holds this text.
struct WireFault {
  enum class How {
    Says500,       // the server never sees it
    CutsRequest,   // reset when so many bytes of it have passed
    CutsAnswer,    // reset when so many bytes of the answer have passed
    EndsAnswer,    // closed in order when so many bytes of the answer have passed
    SlowsRequest,  // so many bytes a second
    SlowsAnswer,
  };
  std::string request;  // "PUT /bucket/key?partNumber=2"
  How how = How::Says500;
  std::size_t bytes = 0;
  int times = 1;  // negative: always
};

class FaultProxy {
 public:
  explicit FaultProxy(int port);  // of the server, on 127.0.0.1
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  int port() const { return port_; }
  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void fail(WireFault fault);
  void heal();
  int met();  // faults that have happened

  // False: there was none by then.
  bool wait_for_request(const std::string& text, std::chrono::milliseconds within);

 private:
  struct Link;  // one connection

  void accept_all();
  void relay(int client);
  bool forward(Link& link);
  bool backward(Link& link);
  bool meet(Link& link, const std::string& head);
  bool send(int to, const char* bytes, std::size_t size, std::size_t rate);

  int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::vector<WireFault> faults_;
  std::vector<std::string> heads_;  // first lines of all requests
  int met_ = 0;
  std::list<std::thread> relays_;
  std::thread acceptor_;
};

}  // namespace quorate::fakes
