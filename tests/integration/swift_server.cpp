// Four programs and a cache; rings of one device.
#include "tests/integration/swift_server.h"

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quorate::integration {
namespace {

bool answers(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return connected;
}

}  // namespace

SwiftServer::SwiftServer() {
  for (const std::string program : {"swift-proxy-server", "swift-object-server", "memcached"}) {
    if (::access(("/usr/bin/" + program).c_str(), X_OK) != 0) throw std::runtime_error(program + ": run ci/setup");
  }
  const int cache = free_port();
  const std::vector<std::string> kinds = {"account", "container", "object"};
  std::vector<int> ports = {cache};
  std::filesystem::create_directories(folder_ / "devices/d1");
  processes_.push_back(std::make_unique<Process>(
      Command{{"memcached", "-u", "root", "-l", "127.0.0.1", "-p", std::to_string(cache), "-U", "0"}, {}}));
  for (const std::string& kind : kinds) {
    const int port = free_port();
    ports.push_back(port);
    make_ring(kind, port);
    start(kind, port,
          "[pipeline:main]\npipeline = " + kind + "-server\n[app:" + kind + "-server]\nuse = egg:swift#" + kind + "\n");
  }
  proxy_port_ = free_port();
  ports.push_back(proxy_port_);
  start(
      "proxy", proxy_port_,
      "[pipeline:main]\n"
      "pipeline = catch_errors gatekeeper healthcheck proxy-logging cache listing_formats s3api tempauth bulk copy "
      "slo dlo versioned_writes symlink proxy-logging proxy-server\n"
      "[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n"
      "[filter:tempauth]\nuse = egg:swift#tempauth\nuser_test_tester = testing .admin\n"
      "[filter:s3api]\nuse = egg:swift#s3api\nlocation = us-east-1\ns3_acl = false\n"
      "[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:" +
          std::to_string(cache) +
          "\n[filter:catch_errors]\nuse = egg:swift#catch_errors\n[filter:gatekeeper]\nuse = egg:swift#gatekeeper\n"
          "[filter:healthcheck]\nuse = egg:swift#healthcheck\n[filter:proxy-logging]\nuse = egg:swift#proxy_logging\n"
          "[filter:listing_formats]\nuse = egg:swift#listing_formats\n[filter:bulk]\nuse = egg:swift#bulk\n"
          "[filter:copy]\nuse = egg:swift#copy\n[filter:slo]\nuse = egg:swift#slo\n[filter:dlo]\nuse = egg:swift#dlo\n"
          "[filter:versioned_writes]\nuse = egg:swift#versioned_writes\nallow_object_versioning = true\n"
          "[filter:symlink]\nuse = egg:swift#symlink\n");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (const int port : ports) {
    while (!answers(port)) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("Swift does not start: " + log());
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

void SwiftServer::make_ring(const std::string& kind, int port) {
  const std::string builder = folder_ / (kind + ".builder");
  const std::string device = "r1z1-127.0.0.1:" + std::to_string(port) + "/d1";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"create", "4", "1", "0"}, {"add", device, "1"}, {"rebalance"}}) {
    Command command{{"swift-ring-builder", builder}, {}};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    const Ended ended = run(command);
    if (ended.exit_code > 1) throw std::runtime_error("swift-ring-builder: " + ended.output + ended.errors);
  }
}

void SwiftServer::start(const std::string& kind, int port, const std::string& more) {
  const std::string file = folder_ / (kind + ".conf");
  write_file(file, "[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = " + std::to_string(port) +
                       "\nworkers = 0\nuser = root\nlog_address = /dev/null\nmount_check = false\n"
                       "fallocate_reserve = 0\ndevices = " +
                       (folder_ / "devices") + "\nswift_dir = " + folder_.path() + "\n" + more);
  processes_.push_back(
      std::make_unique<Process>(Command{{"/usr/bin/swift-" + kind + "-server", file, "--verbose"}, {}}));
}

// By Swift's own code, because as many puts take minutes on a busy machine.
Ended SwiftServer::add_entries(const std::string& bucket, const std::string& prefix, int first, int count) const {
  constexpr const char* kScript = R"(
import glob, sys
from swift.common.utils import Timestamp
from swift.container.backend import ContainerBroker
folder, bucket, prefix, first, count = sys.argv[1:]
now = Timestamp.now().internal
for path in glob.glob(folder + '/devices/d1/containers/*/*/*/*.db'):
    broker = ContainerBroker(path)
    if broker.get_info()['container'] == bucket:
        broker.merge_items([dict(
            name=prefix + str(number), created_at=now, size=5, content_type='application/octet-stream', etag='0' * 32,
            deleted=0, storage_policy_index=0, ctype_timestamp=now, meta_timestamp=now)
            for number in range(int(first), int(first) + int(count))])
)";
  return run({{"/usr/bin/python3", "-c", kScript, folder_.path(), bucket, prefix, std::to_string(first),
               std::to_string(count)},
              {}});
}

std::string SwiftServer::log() const {
  std::string text;
  for (const auto& process : processes_) text += process->log();
  return text;
}

}  // namespace quorate::integration
