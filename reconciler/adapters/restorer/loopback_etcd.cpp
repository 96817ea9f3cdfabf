// Ports that are asked for anew when somebody else was quicker, and an end that is asked for before it is forced.
#include "reconciler/adapters/restorer/loopback_etcd.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "reconciler/adapters/restorer/applied.h"
#include "reconciler/adapters/restorer/files.h"

namespace quorate::adapters::restorer {
namespace {

constexpr int kTries = 5;
constexpr base::Duration kBetweenLooks{50};
constexpr base::Duration kAnswer{2000};
constexpr std::size_t kWordsAtMost = 400;

struct Ports {
  std::uint16_t client = 0;
  std::uint16_t peer = 0;
};

// Both are held at once, so that they differ.
base::Result<Ports> free_ports() {
  std::array<Descriptor, 2> sockets;
  std::array<std::uint16_t, 2> numbers{};
  for (std::size_t at = 0; at < sockets.size(); ++at) {
    sockets[at] = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (!sockets[at] || ::bind(sockets[at].number(), any, size) != 0 ||
        ::getsockname(sockets[at].number(), any, &size) != 0) {
      return tl::unexpected<base::Error>(system_error("find a free port on", "127.0.0.1", errno));
    }
    numbers[at] = ntohs(address.sin_port);
  }
  return Ports{numbers[0], numbers[1]};
}

std::string url_of(std::uint16_t port) {
  return "http://127.0.0.1:" + std::to_string(port);
}

bool port_was_taken(const Child& child) {
  return child.output().find("address already in use") != std::string::npos;
}

// A panic is followed by pages of stacks: its own line says more than the last one.
std::string why_it_ended(const Child& child) {
  const std::string text = child.output();
  std::string line = child.last_words(1);
  for (const std::string_view mark : {"\npanic: ", "\"level\":\"panic\"", "\"level\":\"fatal\""}) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = mark.front() == '\n' ? at + 1 : text.rfind('\n', at) + 1;
    line = text.substr(begin, text.find('\n', begin) - begin);
    break;
  }
  return line.substr(0, kWordsAtMost);
}

tl::unexpected<base::Error> ended(const Copy& copy, const Child& child, int status) {
  if (auto killed = was_killed(child, status, copy.program + " on " + copy.data_dir)) {
    return tl::unexpected(*std::move(killed));
  }
  const std::string why = why_it_ended(child);
  if (why.find("no space left on device") != std::string::npos) {
    return tl::unexpected(base::Error{base::ErrorKind::Transient,
                                      "disk full: " + copy.program + " ended on " + copy.data_dir,
                                      "free space on its file system"});
  }
  return base::invalid(copy.program + " does not run on " + copy.data_dir + ": it ended with status " +
                       std::to_string(status) + ": " + why);
}

}  // namespace

base::Result<LoopbackEtcd> LoopbackEtcd::start(ports::EtcdAdmin& etcd, const Copy& copy, std::uint64_t applied,
                                               const Deadline& deadline) {
  for (int tried = 1;; ++tried) {
    const auto ports = free_ports();
    if (!ports) return tl::unexpected(ports.error());
    const std::string client = url_of(ports->client);
    const std::string peer = url_of(ports->peer);
    std::vector<std::string> argv{copy.program,
                                  "--name=quorate-copy",
                                  "--data-dir=" + copy.data_dir,
                                  "--listen-client-urls=" + client,
                                  "--advertise-client-urls=" + client,
                                  "--listen-peer-urls=" + peer,
                                  "--initial-advertise-peer-urls=" + peer,
                                  "--initial-cluster=quorate-copy=" + peer,
                                  "--quota-backend-bytes=-1"};  // whatever it was: nothing is written to it
    argv.insert(argv.end(), copy.options.begin(), copy.options.end());
    auto child = Child::start(argv, copy.log);
    if (!child) return tl::unexpected(child.error());
    LoopbackEtcd running(std::move(*child), client);
    while (true) {
      const auto status = running.child_.wait(deadline.left(kBetweenLooks));
      if (status && port_was_taken(running.child_) && tried < kTries) break;
      if (status) return ended(copy, running.child_, *status);
      if (deadline.over()) return deadline.missed("the wait for " + copy.program + " on " + copy.data_dir);
      auto answer = etcd.status(client, deadline.left(kAnswer));
      if (!answer && answer.error().kind != base::ErrorKind::Transient) {
        const auto so_far = applied_of(ports->client, copy.member, deadline.left(kAnswer));
        if (so_far && *so_far >= applied) return running;
      }
      if (!answer || answer->from.member != copy.member) continue;
      if (answer->status.leader.value == 0 || answer->status.raft_applied < applied) continue;
      running.status_ = std::move(*answer);
      return running;
    }
  }
}

base::Result<void> LoopbackEtcd::stop(const Deadline& deadline) {
  child_.ask_to_end();
  const auto status = child_.wait(deadline);
  if (!status) return deadline.missed("the end of the etcd on a copy");
  // Having closed everything, etcd ends by the signal that it was sent.
  if (*status == 0 || *status == 128 + SIGTERM) return {};
  return tl::unexpected(
      base::Error{base::ErrorKind::Transient,
                  "the etcd on a copy ended with status " + std::to_string(*status) + ": " + why_it_ended(child_), ""});
}

}  // namespace quorate::adapters::restorer
