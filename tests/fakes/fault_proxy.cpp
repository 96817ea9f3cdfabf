// One thread for each connection; a request begins where the server has answered the one before.
#include "tests/fakes/fault_proxy.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quorate::fakes {
namespace {

using How = WireFault::How;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The next close() of it resets the connection.
void reset(int socket) {
  const linger now{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace

struct FaultProxy::Link {
  int client = -1;
  int server = -1;
  bool answering = true;  // what comes from the client next begins a request
  std::string head;       // of the request, until it is whole
  WireFault fault;
  bool failing = false;
  std::size_t passed = 0;  // of the direction that the fault is in
};

FaultProxy::FaultProxy(int port) : server_port_(port), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no port for the proxy");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

FaultProxy::~FaultProxy() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  for (std::thread& relay : relays_) relay.join();
}

void FaultProxy::fail(WireFault fault) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}
void FaultProxy::heal() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}
int FaultProxy::met() {
  const std::lock_guard lock(mutex_);
  return met_;
}

bool FaultProxy::wait_for_request(const std::string& text, std::chrono::milliseconds within) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, within, [&] {
    return std::any_of(heads_.begin(), heads_.end(),
                       [&](const std::string& head) { return head.find(text) != std::string::npos; });
  });
}

void FaultProxy::accept_all() {
  for (;;) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    relays_.emplace_back([this, client] { relay(client); });
  }
}

void FaultProxy::relay(int client) {
  Link link;
  link.client = client;
  link.server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  bool open = ::connect(link.server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  while (open) {
    pollfd both[] = {{link.client, POLLIN, 0}, {link.server, POLLIN, 0}};
    ::poll(both, 2, 50);
    {
      const std::lock_guard lock(mutex_);
      if (ending_) break;
    }
    if (both[1].revents != 0) open = backward(link);
    if (open && both[0].revents != 0) open = forward(link);
  }
  ::close(link.client);
  ::close(link.server);
}

// False: this connection is over. The rate is in bytes a second; 0: all at once.
bool FaultProxy::send(int to, const char* bytes, std::size_t size, std::size_t rate) {
  while (size > 0) {
    const std::size_t most = rate == 0 ? size : std::min(size, std::max<std::size_t>(rate / 20, 1));
    const ssize_t sent = ::send(to, bytes, most, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
    if (rate == 0) continue;
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::milliseconds(50), [this] { return ending_; })) return false;
  }
  return true;
}

bool FaultProxy::meet(Link& link, const std::string& head) {
  const std::lock_guard lock(mutex_);
  heads_.push_back(head.substr(0, head.find("\r\n")));
  changed_.notify_all();
  for (WireFault& fault : faults_) {
    if (fault.times == 0 || head.find(fault.request) == std::string::npos) continue;
    if (fault.times > 0) --fault.times;
    ++met_;
    link.fault = fault;
    return true;
  }
  return false;
}

bool FaultProxy::forward(Link& link) {
  char bytes[65536];
  const ssize_t got = ::recv(link.client, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  auto size = static_cast<std::size_t>(got);
  if (link.answering) {
    link.head.clear();
    link.answering = link.failing = false;
    link.passed = 0;
  }
  std::string begun;
  const char* from = bytes;
  if (link.head.find("\r\n\r\n") == std::string::npos) {
    link.head.append(bytes, size);
    if (link.head.find("\r\n\r\n") == std::string::npos) return true;  // the head first
    begun = link.head;
    from = begun.data();
    size = begun.size();
    link.failing = meet(link, begun);
  }
  const bool failing = link.failing;
  if (failing && link.fault.how == How::Says500) {
    constexpr std::string_view kAnswer =
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    static_cast<void>(send(link.client, kAnswer.data(), kAnswer.size(), 0));
    ::shutdown(link.client, SHUT_WR);
    while (::recv(link.client, bytes, sizeof bytes, 0) > 0) continue;  // else the answer would be lost
    return false;
  }
  if (failing && link.fault.how == How::CutsRequest) {
    const std::size_t left = link.fault.bytes - std::min(link.fault.bytes, link.passed);
    if (size >= left) {
      static_cast<void>(send(link.server, from, left, 0));
      reset(link.client);
      reset(link.server);
      return false;
    }
    link.passed += size;
  }
  return send(link.server, from, size, failing && link.fault.how == How::SlowsRequest ? link.fault.bytes : 0);
}

bool FaultProxy::backward(Link& link) {
  char bytes[65536];
  const ssize_t got = ::recv(link.server, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  const auto size = static_cast<std::size_t>(got);
  // Not the word to go on with the body.
  if (std::string_view(bytes, size).substr(0, 12) != "HTTP/1.1 100") link.answering = true;
  const bool cuts = link.failing && (link.fault.how == How::CutsAnswer || link.fault.how == How::EndsAnswer);
  if (cuts) {
    const std::size_t left = link.fault.bytes - std::min(link.fault.bytes, link.passed);
    if (size >= left) {
      static_cast<void>(send(link.client, bytes, left, 0));
      if (link.fault.how == How::CutsAnswer) reset(link.client);
      return false;
    }
    link.passed += size;
  }
  return send(link.client, bytes, size, link.failing && link.fault.how == How::SlowsAnswer ? link.fault.bytes : 0);
}

}  // namespace quorate::fakes
