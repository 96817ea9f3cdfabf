// Each node is a folder and a loopback address; what only agents would know is added to what observe() saw.
#include "tests/truth/lab.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/base/digest.h"
#include "reconciler/model/project.h"
#include "reconciler/observe/node_view.h"
#include "renderers/registry.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::truth {
namespace {

constexpr base::Duration kWithin{1000};  // of a look
constexpr base::Duration kChange{5000};  // of a call that changes something
constexpr base::Duration kInsist{15000};
constexpr base::Duration kSettle{20000};

template <class T>
T must(base::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

const model::Member* in(const model::Desired& desired, const std::string& name) {
  const auto found = std::find_if(desired.members.begin(), desired.members.end(),
                                  [&](const model::Member& each) { return each.name == name; });
  return found == desired.members.end() ? nullptr : &*found;
}

}  // namespace

Lab::Lab()
    : client_port_(integration::free_port(6)),
      peer_port_(integration::free_port(6)),
      etcd_(must(etcd_grpc::connect({}))),
      node_(adapters::system::make_node()),
      parallel_(adapters::system::make_parallel()),
      clock_(adapters::system::make_clock()) {
  int number = 0;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    Seat& seat = seats_[name];
    seat.address = integration::own_address(++number);
    seat.other_peer_port = integration::free_port(6);
  }
}

std::string Lab::client_url(const std::string& member) const {
  return "http://" + seats_.at(member).address + ":" + std::to_string(client_port_);
}

std::string Lab::peer_url(const std::string& member) const {
  return "http://" + seats_.at(member).address + ":" + std::to_string(peer_port_);
}

std::string Lab::other_peer_url(const std::string& member) const {
  return "http://" + seats_.at(member).address + ":" + std::to_string(seats_.at(member).other_peer_port);
}

std::vector<std::string> Lab::running() const {
  std::vector<std::string> urls;
  for (const auto& [name, seat] : seats_) {
    if (seat.process) urls.push_back(client_url(name));
  }
  return urls;
}

File Lab::file(const std::vector<std::string>& members, const Wording& wording) {
  File file;
  file.release = wording.release;
  file.text = "apiVersion: quorate/v1\nname: lab\nmembers:\n";
  for (const std::string& name : members) {
    const auto more = wording.member.find(name);
    file.text += "  " + name + ": {address: " + seat(name).address +
                 (more == wording.member.end() ? "" : ", " + more->second) + "}\n";
  }
  file.text += "network: {ports: {client: " + std::to_string(client_port_) + ", peer: " + std::to_string(peer_port_) +
               "}}\nstorage: {dir: " + folder_ / "data" + "}\ntls: {mode: \"off\"}\netcd: {version: \"" +
               wording.release + "\"" + (wording.etcd.empty() ? "" : ", " + wording.etcd) + "}\n";
  // Nothing waits here: what has to be waited for is judged by other tests.
  file.text += "rollout: {soak: 0s}\nprotect: {maxRemovals: 9, approve: []}\n" + wording.more;
  file.desired = integration::desired_from(file.text);
  file.bundles = must(loop::bundles_of(file.desired, folder_ / "state"));
  return file;
}

void Lab::write_and_start(const std::string& member, const File& file, const renderers::Boot& boot) {
  seat(member).ran = true;
  Seat& at = seat(member);
  const model::Member* wanted = in(file.desired, member);
  if (wanted == nullptr) throw std::runtime_error("no member " + member);
  at.process.reset();
  at.node_lost = false;
  at.silent_since.reset();
  at.files.clear();
  const std::string path = renderers::config_path(folder_ / "state", file.desired, *wanted);
  for (const renderers::File& each : must(renderers::render_member({file.desired, *wanted, boot, path})).files) {
    integration::write_file(each.path, each.content, each.mode);
    at.files.push_back(each.path);
  }
  at.process = std::make_unique<integration::EtcdProcess>(integration::etcd_with_config_file(file.release, path));
}

void Lab::form(const File& file) {
  const renderers::Boot boot = renderers::BootNew{"lab-formed"};
  for (const model::Member& member : file.desired.members) write_and_start(member.name, file, boot);
  for (const model::Member& member : file.desired.members) {
    if (!seat(member.name).process->wait_until_ready()) throw std::runtime_error(log());
  }
  applied_ = file;
  const bool whole = eventually(
      [&] {
        const model::Quorum quorum = model::quorum_of(look(file));
        return quorum.voters == static_cast<int>(file.desired.members.size()) && quorum.up == quorum.voters;
      },
      kSettle);
  if (!whole) throw std::runtime_error("the cluster does not come up\n" + log());
}

base::MemberId Lab::id_of(const std::string& member) {
  const auto status = etcd_->status(client_url(member), kWithin);
  return status ? status->from.member : base::MemberId{};
}

std::string Lab::leader_url() {
  for (const auto& [name, seat] : seats_) {
    if (!seat.process) continue;
    const auto status = etcd_->status(client_url(name), kWithin);
    if (status && status->status.leader.value != 0 && status->from.member == status->status.leader)
      return client_url(name);
  }
  return {};
}

void Lab::lead(const std::string& member) {
  const bool led = eventually(
      [&] {
        const std::string leader = leader_url();
        if (leader == client_url(member)) return true;
        if (!leader.empty()) (void)etcd_->move_leader(leader, id_of(member), kWithin);
        return false;
      },
      kSettle);
  if (!led) throw std::runtime_error(member + " does not lead\n" + log());
}

void Lab::remove(const std::string& member) {
  const base::MemberId id = id_of(member);
  const auto removed = insist([&](const std::string& leader) { return etcd_->remove(leader, id, kChange); });
  if (!removed) throw std::runtime_error(removed.error().message + "\n" + log());
}

void Lab::kill(const std::string& member) {
  seat(member).process.reset();
  seat(member).silent_since = clock_->now();
}

void Lab::lose_node(const std::string& member) {
  kill(member);
  seat(member).node_lost = true;
  std::filesystem::remove_all(folder_ / ("data/" + member));  // a new node in its place comes with empty disks
  for (const std::string& path : seat(member).files) std::filesystem::remove(path);
}

void Lab::wipe_disk(const std::string& member) {
  kill(member);
  const std::string folder = folder_ / ("data/" + member);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove_all(entry.path());
}

bool Lab::eventually(const std::function<bool()>& wanted, base::Duration patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!wanted()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(base::Duration{50});  // between two looks at something that has no event
  }
  return true;
}

model::Observed Lab::look(const File& file) {
  observe::Question question;
  for (const model::Member& member : file.desired.members) {
    question.endpoints.push_back(base::to_string(member.client_urls.front()));
  }
  // Whoever carried the last file out remembers where its members were.
  if (applied_) {
    for (const model::Member& member : applied_->desired.members) {
      if (seat(member.name).ours) question.endpoints.push_back(base::to_string(member.client_urls.front()));
    }
  }
  question.desired = &file.desired;
  question.bundles = file.bundles;
  question.within = kWithin;
  question.by = "a test";
  model::Observed observed = observe::observe({*etcd_, *node_, *parallel_, *clock_}, question);
  add_what_agents_know(observed, file);
  return observed;
}

void Lab::add_what_agents_know(model::Observed& observed, const File& file) {
  using model::Fact;
  if (applied_) {
    model::Applied applied{base::sha256_hex(applied_->text), {}};
    for (const model::Member& member : applied_->desired.members) {
      if (!seat(member.name).ours) continue;
      applied.members.push_back(member.name);
      if (in(file.desired, member.name) != nullptr) continue;
      // The agent of a member that has left the file still looks at its node.
      observed.nodes.push_back(
          observe::look_at_node(*node_, applied_->desired, member, &applied_->bundles.at(member.name), observed.at));
    }
    observed.applied = Fact<model::Applied>::known(std::move(applied), observed.at);
  }
  std::sort(observed.nodes.begin(), observed.nodes.end(),
            [](const auto& a, const auto& b) { return a.member < b.member; });
  for (model::NodeFacts& node : observed.nodes) {
    const Seat& at = seat(node.member);
    if (at.node_lost) {
      const std::string name = node.member;
      node = {};
      node.member = name;
    } else {
      node.promised = Fact<std::string>::known(at.promised, observed.at);
      if (at.ran && node.data && node.data->state == model::DataState::Fresh) {
        node.data.get()->state = model::DataState::Empty;
      }
    }
  }
  if (!observed.membership) return;
  for (model::ObservedMember& member : observed.membership.get()->members) {
    const auto at = seats_.find(member.listed.name);
    if (at == seats_.end() || !at->second.silent_since || model::is_up(member)) continue;
    member.silent_since = Fact<base::Time>::known(*at->second.silent_since, observed.at);
  }
}

base::Result<std::string> Lab::initial_cluster(const model::Member& member) {
  const std::string leader = leader_url();
  auto list = etcd_->member_list(leader, ports::Consistency::Serializable, kWithin);
  if (!list) return tl::unexpected(list.error());
  std::string text;
  for (const model::ListedMember& each : list->members) {
    for (const std::string& url : each.peer_urls) {
      text += (text.empty() ? "" : ",") + (each.name.empty() ? member.name : each.name) + "=" + url;
    }
  }
  return text;
}

base::Result<void> Lab::insist(const std::function<base::Result<void>(const std::string& endpoint)>& call) {
  base::Result<void> result = base::invalid("nobody leads");
  eventually(
      [&] {
        const std::string leader = leader_url();
        if (leader.empty()) return false;
        result = call(leader);
        return result.has_value() ||
               (result.error().kind != base::ErrorKind::Conflict && result.error().kind != base::ErrorKind::Transient);
      },
      kInsist);
  return result;
}

std::string Lab::log() const {
  std::string text;
  for (const auto& [name, seat] : seats_) {
    if (seat.process) text += "---- " + name + "\n" + seat.process->log();
  }
  return text;
}

// ---------------------------------------------------------------------------------------------------------- the hands
struct Lab::Doing {
  Lab& lab;
  const File& file;

  base::Result<void> operator()(const model::Promise& action) const {
    lab.seat(action.member).promised = action.decision;
    return {};
  }
  // What needs a store, or other nodes' promises: there are none here.
  template <class Other>
  base::Result<void> operator()(const Other& /*action*/) const {
    return base::invalid("the lab cannot do that");
  }
  base::Result<void> operator()(const model::AddMember& action) const {
    return lab.insist([&](const std::string& leader) {
      return lab.etcd_->add_learner(leader, action.peer_urls, kChange).map([](const ports::Added&) {});
    });
  }
  base::Result<void> operator()(const model::Promote& action) const {
    return lab.insist([&](const std::string& leader) -> base::Result<void> {
      const auto list = lab.etcd_->member_list(leader, ports::Consistency::Serializable, kWithin);
      if (!list) return tl::unexpected(list.error());
      for (const model::ListedMember& each : list->members) {
        if (each.learner && each.peer_urls == action.peer_urls) return lab.etcd_->promote(leader, each.id, kChange);
      }
      return base::invalid("no learner has these peer URLs");
    });
  }
  base::Result<void> operator()(const model::Remove& action) const {
    return lab.insist([&](const std::string& leader) { return lab.etcd_->remove(leader, action.id, kChange); });
  }
  base::Result<void> operator()(const model::WriteManifest& action) const {
    const auto bundle = file.bundles.find(action.member);
    if (bundle == file.bundles.end() || bundle->second.digest != action.digest) {
      return base::invalid("the step names another bundle than the renderers make");
    }
    renderers::Boot boot = renderers::BootKeep{};
    if (action.boot == model::BootMode::New) boot = renderers::BootNew{"lab-" + lab.seat(action.member).promised};
    if (action.boot == model::BootMode::Join) {
      const auto cluster = lab.initial_cluster(*in(file.desired, action.member));
      if (!cluster) return tl::unexpected(cluster.error());
      boot = renderers::BootJoin{*cluster};
    }
    lab.write_and_start(action.member, file, boot);
    return {};
  }
  base::Result<void> operator()(const model::RemoveManifest& action) const {
    lab.seat(action.member).process.reset();
    for (const std::string& path : lab.seat(action.member).files) std::filesystem::remove(path);
    return {};
  }
  base::Result<void> operator()(const model::MoveLeader& action) const {
    const base::MemberId to = action.to_id.value == 0 ? lab.id_of(action.to) : action.to_id;
    return lab.insist([&](const std::string& leader) { return lab.etcd_->move_leader(leader, to, kChange); });
  }
  base::Result<void> operator()(const model::UpdatePeerUrls& action) const {
    return lab.insist([&](const std::string& leader) {
      return lab.etcd_->update_peer_urls(leader, action.id, action.peer_urls, kChange);
    });
  }
  base::Result<void> operator()(const model::SetDataAside& action) const {
    lab.seat(action.member).process.reset();
    const std::string folder = lab.folder_ / ("data/" + action.member);
    std::filesystem::rename(folder, folder + ".aside-" + std::to_string(++lab.set_aside_));
    return {};
  }
  base::Result<void> operator()(const model::Compact& /*action*/) const {
    return lab.insist([&](const std::string& leader) -> base::Result<void> {
      const auto status = lab.etcd_->status(leader, kWithin);
      if (!status) return tl::unexpected(status.error());
      return lab.etcd_->compact(leader, status->status.revision - model::kCompactionMargin, kChange);
    });
  }
  base::Result<void> operator()(const model::Defragment& action) const {
    return lab.insist(
        [&](const std::string& /*leader*/) { return lab.etcd_->defragment(lab.client_url(action.member), kChange); });
  }
  base::Result<void> operator()(const model::DisarmAlarm& action) const {
    return lab.insist([&](const std::string& leader) { return lab.etcd_->disarm(leader, action.alarm, kChange); });
  }
};

base::Result<void> Lab::carry_out(const model::Step& step, const File& file) {
  return std::visit(Doing{*this, file}, step.action);
}

}  // namespace quorate::truth
