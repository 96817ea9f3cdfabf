// Our report server, and the client that asks and follows the others.
#include "reconciler/cli/net_link.h"

#include <algorithm>

#include "reconciler/adapters/peer_grpc/agent_peers.h"
#include "reconciler/adapters/peer_grpc/report_server.h"

namespace quorate::cli {
namespace {

class NetLink final : public PeerLink {
 public:
  NetLink(std::string member, std::unique_ptr<peer_grpc::ReportServer> server,
          std::unique_ptr<peer_grpc::AgentPeers> peers)
      : member_(std::move(member)), server_(std::move(server)), peers_(std::move(peers)) {}

  ports::Peers& peers() override { return *peers_; }
  void changed() override { server_->changed(); }
  void follow(const loop::Followed& followed) override {
    std::vector<ports::Peer> others;
    for (const model::Member& each : followed.desired.members) {
      if (each.managed && each.name != member_) others.push_back({each.name, each.address, each.agent_port});
    }
    peers_->follow(others);
  }

 private:
  const std::string member_;
  std::unique_ptr<peer_grpc::ReportServer> server_;
  std::unique_ptr<peer_grpc::AgentPeers> peers_;
};

}  // namespace

base::Result<std::unique_ptr<PeerLink>> make_net_link(const loop::Followed& followed, const std::string& member,
                                                      ports::Reporter& reporter, std::function<void()> changed,
                                                      ports::Clock& clock, ports::Entropy& entropy) {
  const auto& members = followed.desired.members;
  const auto me = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.name == member; });
  if (me == members.end()) {
    return base::invalid("the file does not list " + member, "its agent needs an address of the file to listen at");
  }
  const model::TlsFiles& files = followed.desired.tls.agent;
  const peer_grpc::TlsFiles tls{files.cert, files.key, files.ca};
  auto server = peer_grpc::make_report_server({me->address, me->agent_port, tls}, reporter);
  if (!server) return tl::unexpected(server.error());
  auto peers = peer_grpc::make_peers({tls, [changed = std::move(changed)](const std::string& /*who*/) { changed(); }},
                                     clock, entropy);
  if (!peers) return tl::unexpected(peers.error());
  return std::make_unique<NetLink>(member, *std::move(server), *std::move(peers));
}

}  // namespace quorate::cli
