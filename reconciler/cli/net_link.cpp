// Our report server, and the client that asks and follows the others.
#include "reconciler/cli/net_link.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "reconciler/adapters/peer_grpc/agent_peers.h"
#include "reconciler/adapters/peer_grpc/report_server.h"
#include "reconciler/base/path.h"
#include "reconciler/model/json_words.h"

namespace quorate::cli {
namespace {

constexpr const char* kKind = "listens";

// Where an agent listens, and what it shows there and to others.
struct Place {
  std::string address;
  int port = 0;
  peer_grpc::TlsFiles tls;

  bool is_at(const Place& other) const { return address == other.address && port == other.port; }
  bool has_tls_of(const Place& other) const {
    return tls.cert == other.tls.cert && tls.key == other.tls.key && tls.ca == other.tls.ca;
  }
};

std::string path_in(const std::string& folder) {
  return base::join_path(folder, "listens.json");
}

base::Result<void> keep(ports::Host& host, const std::string& folder, const Place& place) {
  const base::Json root = {
      {"format_version", "1.0"}, {"kind", kKind}, {"address", place.address}, {"port", place.port}};
  if (auto kept = host.write_file({path_in(folder), model::document_text(root), 0600, ""}); !kept) {
    return tl::unexpected(kept.error());
  }
  return {};
}

base::Result<std::optional<Place>> last_place(ports::Host& host, const std::string& folder) {
  const std::string path = path_in(folder);
  const auto text = host.read_file(path);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return std::nullopt;
  const auto tree = model::open_document(**text, path, kKind);
  if (!tree) return tl::unexpected(tree.error());
  model::JsonReading reading{*tree, {}};
  const model::JsonPlace root(reading);
  Place place{root.at("address").text(), root.at("port").count(), {}};
  if (!reading.problem.empty()) return base::invalid(path + " " + reading.problem);
  return place;
}

class NetLink final : public PeerLink, private ports::Peers {
 public:
  NetLink(NetLinkOptions options, ports::Reporter& reporter, const Shared& shared)
      : options_(std::move(options)), reporter_(reporter), shared_(shared) {}

  base::Result<void> open(const loop::Followed& followed) {
    auto wanted = place_in(followed);
    if (!wanted) return tl::unexpected(wanted.error());
    const std::lock_guard lock(mutex_);
    wanted_ = *std::move(wanted);
    return move();
  }

  ports::Peers& peers() override { return *this; }
  void changed() override {
    const std::lock_guard lock(mutex_);
    if (server_) server_->changed();
  }
  void follow(const loop::Followed& followed) override {
    const std::lock_guard lock(mutex_);
    others_.clear();
    for (const model::Member& each : followed.desired.members) {
      if (each.managed && each.name != options_.member) others_.push_back({each.name, each.address, each.agent_port});
    }
    if (auto wanted = place_in(followed)) wanted_ = *std::move(wanted);
    keep_up();
    if (peers_) peers_->follow(others_);
  }
  void tend() override {
    const std::lock_guard lock(mutex_);
    if (!is_in_place()) keep_up();
  }

 private:
  std::vector<ports::PeerAnswer> ask(const std::string& cluster, const std::vector<ports::Peer>& peers,
                                     base::Duration within) override {
    std::shared_ptr<peer_grpc::AgentPeers> now;
    {
      const std::lock_guard lock(mutex_);
      now = peers_;
    }
    return now->ask(cluster, peers, within);
  }

  base::Result<Place> place_in(const loop::Followed& followed) const {
    const model::TlsFiles& files = followed.desired.tls.agent;
    const peer_grpc::TlsFiles tls{files.cert, files.key, files.ca};
    for (const model::Member& each : followed.desired.members) {
      if (each.name == options_.member) return Place{each.address, each.agent_port, tls};
    }
    auto last = last_place(shared_.host, options_.folder);
    if (!last) return tl::unexpected(last.error());
    if (!*last) {
      return base::invalid("the file does not list " + options_.member,
                           "its agent needs an address of the file to listen at");
    }
    return Place{(*last)->address, (*last)->port, tls};
  }

  bool is_in_place() const { return server_ != nullptr && at_.is_at(wanted_) && at_.has_tls_of(wanted_); }

  void keep_up() {
    if (is_in_place()) return;
    const auto moved = move();
    const std::string problem = moved ? "" : moved.error().message;
    if (problem != told_ && !problem.empty()) {
      shared_.events.say(ports::EventLevel::Error, options_.member + ": " + problem + "; it is tried again");
    }
    told_ = problem;
  }

  // The old server goes before the new one comes only where both would have the same address: no two share one.
  base::Result<void> move() {
    if (!peers_ || !at_.has_tls_of(wanted_)) {
      auto peers =
          peer_grpc::make_peers({wanted_.tls, [told = options_.changed](const std::string& /*who*/) { told(); }},
                                shared_.clock, shared_.entropy);
      if (!peers) return tl::unexpected(peers.error());
      peers_ = *std::move(peers);
      peers_->follow(others_);
    }
    if (server_ && at_.is_at(wanted_)) server_.reset();
    auto server = peer_grpc::make_report_server({wanted_.address, wanted_.port, wanted_.tls}, reporter_);
    if (!server) return tl::unexpected(server.error());
    server_ = *std::move(server);
    at_ = wanted_;
    if (auto kept = keep(shared_.host, options_.folder, at_); !kept) {
      shared_.events.say(ports::EventLevel::Warning, options_.member + ": " + kept.error().message);
    }
    return {};
  }

  const NetLinkOptions options_;
  ports::Reporter& reporter_;
  const Shared shared_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<ports::Peer> others_;
  Place wanted_;
  Place at_;
  std::string told_;  // the last problem
  std::unique_ptr<peer_grpc::ReportServer> server_;
  std::shared_ptr<peer_grpc::AgentPeers> peers_;
};

}  // namespace

base::Result<std::unique_ptr<PeerLink>> make_net_link(NetLinkOptions options, const loop::Followed& followed,
                                                      ports::Reporter& reporter, const Shared& shared) {
  auto link = std::make_unique<NetLink>(std::move(options), reporter, shared);
  if (auto opened = link->open(followed); !opened) return tl::unexpected(opened.error());
  return link;
}

}  // namespace quorate::cli
