// One GET of /metrics over a plain socket.
#include "reconciler/adapters/restorer/applied.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "reconciler/adapters/restorer/deadline.h"
#include "reconciler/adapters/restorer/descriptor.h"

namespace quorate::adapters::restorer {
namespace {

constexpr std::size_t kAnswerAtMost = std::size_t{4} << 20;
constexpr base::Duration kEachPiece{200};

Descriptor connected_to(std::uint16_t port) {
  Descriptor connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{0, static_cast<suseconds_t>(kEachPiece.count() * 1000)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool done = connection &&
                    ::setsockopt(connection.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
                    ::setsockopt(connection.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
                    ::connect(connection.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return done ? std::move(connection) : Descriptor();
}

std::string ask(std::uint16_t port, const Deadline& deadline) {
  const Descriptor connection = connected_to(port);
  constexpr std::string_view kQuestion = "GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n";
  if (!connection || ::send(connection.number(), kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL) !=
                         static_cast<ssize_t>(kQuestion.size())) {
    return {};
  }
  std::string answer;
  std::array<char, 16384> piece{};
  while (answer.size() < kAnswerAtMost && !deadline.over()) {
    const ssize_t got = ::recv(connection.number(), piece.data(), piece.size(), 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return {};
    if (got == 0) return answer;
    answer.append(piece.data(), static_cast<std::size_t>(got));
  }
  return {};  // a part of it could end inside a number
}

std::optional<double> number_of(const std::string& answer, const std::string& name) {
  const std::size_t at = answer.find("\n" + name + " ");
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(answer.c_str() + at + name.size() + 2, nullptr);
}

}  // namespace

std::optional<std::uint64_t> applied_of(std::uint16_t client_port, base::MemberId member, base::Duration within) {
  const std::string answer = ask(client_port, Deadline(within));
  if (answer.find("\netcd_server_id{server_id=\"" + base::to_string(member) + "\"} 1") == std::string::npos) {
    return std::nullopt;
  }
  const auto leader = number_of(answer, "etcd_server_has_leader");
  const auto applied = number_of(answer, "etcd_server_proposals_applied_total");
  if (!leader || *leader < 1 || !applied || *applied < 0 || *applied > 1e18) return std::nullopt;
  return static_cast<std::uint64_t>(*applied);
}

}  // namespace quorate::adapters::restorer
