// Somebody else's process on the port of a member.
#pragma once

#include <cstdint>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quorate::e2e {

class Squatter {
 public:
  Squatter(const std::string& address, int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address.c_str(), &name.sin_addr);
    good_ = ::bind(socket_, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 && ::listen(socket_, 1) == 0;
  }
  ~Squatter() { ::close(socket_); }
  Squatter(const Squatter&) = delete;
  Squatter& operator=(const Squatter&) = delete;
  bool good() const { return good_; }

 private:
  int socket_;
  bool good_ = false;
};

}  // namespace quorate::e2e
