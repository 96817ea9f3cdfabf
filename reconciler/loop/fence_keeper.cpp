// A pass is asked for as long as somebody keeps a fence, signed once for each key, and thrown away with the rest.
#include "reconciler/loop/fence_keeper.h"

#include <algorithm>
#include <utility>

#include "reconciler/base/path.h"
#include "reconciler/model/fence.h"
#include "reconciler/model/state_paths.h"
#include "renderers/etcd_config/etcd_config.h"

namespace quorate::loop {
namespace {

// The fence that somebody else keeps, or nothing.
const model::Fencing* kept_by_others(const AgentView& view) {
  for (const model::NodeFacts& node : view.observed.nodes) {
    if (node.member == view.me.name || !node.standing || !node.standing->fencing) continue;
    const auto& pledge = node.standing->pledge;
    // Whoever signs is the seed of the decision: nobody else is asked.
    if (!pledge || pledge->decision.seed != node.member) continue;
    if (pledge->decision.id == node.standing->fencing->decision) return &*node.standing->fencing;
  }
  return nullptr;
}

bool is_seed(const AgentView& view, const model::Memory& memory) {
  const auto& pledge = memory.standing.pledge;
  const bool keeps = view.desired.recovery.open_when == model::OpenWhen::Majority ||
                     model::is_fenced(model::node_of(view.observed, view.me.name));
  return pledge && pledge->given && pledge->decision.seed == view.me.name && keeps;
}

const model::Pass* pass_of(const model::Fencing& fencing, const std::string& member) {
  const auto found = std::find_if(fencing.passes.begin(), fencing.passes.end(),
                                  [&](const model::Pass& each) { return each.member == member; });
  return found == fencing.passes.end() ? nullptr : &*found;
}

std::string authority_path(const std::string& folder, const std::string& decision) {
  return base::join_path(folder, "authority-" + decision + ".pem");
}

}  // namespace

FenceKeeper::FenceKeeper(ports::Host& host, ports::Notary* notary, std::string state_dir)
    : host_(host), notary_(notary), state_dir_(std::move(state_dir)) {}

void FenceKeeper::add_to(model::Standing& standing) const {
  const std::lock_guard lock(mutex_);
  standing.pass_key = said_.pass_key;
  standing.fencing = said_.fencing;
}

bool FenceKeeper::say(Said said) {
  const std::lock_guard lock(mutex_);
  if (said_ == said) return false;
  said_ = std::move(said);
  return true;
}

base::Result<void> FenceKeeper::write(const AgentView& view, const std::string& path, const std::string& content) {
  // Etcd itself reads them.
  const auto written = host_.write_file({path, content, 0600, renderers::file_owner(view.desired)});
  if (!written) return tl::unexpected(written.error());
  return {};
}

base::Result<bool> FenceKeeper::clear_away(const std::string& folder) {
  if (!is_clear_) {
    if (auto gone = host_.remove_tree(folder); !gone) return tl::unexpected(gone.error());
    is_clear_ = true;
  }
  return say({});
}

base::Result<std::string> FenceKeeper::own_key(const AgentView& view, const std::string& folder) {
  const std::string path = model::fence_key(folder);
  const auto there = host_.read_file(path);
  if (!there) return tl::unexpected(there.error());
  if (*there) {
    if (auto known = notary_->public_key(**there)) return known;
  }
  const auto key = notary_->new_key();
  if (!key) return key;
  if (auto written = write(view, path, *key); !written) return tl::unexpected(written.error());
  return notary_->public_key(*key);
}

base::Result<std::string> FenceKeeper::authority_of(const std::string& folder, const std::string& decision) {
  const std::string path = authority_path(folder, decision);
  const auto there = host_.read_file(path);
  if (!there) return tl::unexpected(there.error());
  if (*there) return **there;
  auto made = notary_->new_authority("fence of decision " + decision);
  if (!made) return made;
  if (auto written = host_.write_file({path, *made, 0600, ""}); !written) return tl::unexpected(written.error());
  return made;
}

// For whoever asks: that a report is the agent's of that member is as sure as all that is decided on reports.
base::Result<model::Fencing> FenceKeeper::keep_fence(const AgentView& view, const model::Memory& memory,
                                                     const Said& said, const std::string& folder) {
  const std::string& decision = memory.standing.pledge->decision.id;
  const auto authority = authority_of(folder, decision);
  if (!authority) return tl::unexpected(authority.error());
  const auto certificate = notary_->certificate_of(*authority);
  if (!certificate) return tl::unexpected(certificate.error());
  model::Fencing fencing{decision, *certificate, {}};
  const auto give = [&](const std::string& member, const std::string& key) -> base::Result<void> {
    const model::Pass* before = said_.fencing ? pass_of(*said_.fencing, member) : nullptr;
    if (before != nullptr && before->key == key && said_.fencing->authority == *certificate) {
      fencing.passes.push_back(*before);
      return {};
    }
    auto pass = notary_->sign(*authority, key, ports::kFenceUser);
    if (!pass) return tl::unexpected(pass.error());
    fencing.passes.push_back({member, key, *std::move(pass)});
    return {};
  };
  if (auto given = give(view.me.name, said.pass_key); !given) return tl::unexpected(given.error());
  for (const model::NodeFacts& node : view.observed.nodes) {
    if (node.member == view.me.name || !node.standing || node.standing->pass_key.empty()) continue;
    if (auto given = give(node.member, node.standing->pass_key); !given) continue;  // it asked with something else
  }
  return fencing;
}

base::Result<void> FenceKeeper::take_pass(const AgentView& view, const Said& said, const std::string& folder) {
  const model::Fencing* fencing = said.fencing ? &*said.fencing : kept_by_others(view);
  const model::Pass* pass = fencing == nullptr ? nullptr : pass_of(*fencing, view.me.name);
  if (pass == nullptr || pass->key != said.pass_key) return {};
  if (auto written = write(view, model::fence_ca(folder), fencing->authority); !written) return written;
  return write(view, model::fence_pass(folder), pass->certificate);
}

base::Result<bool> FenceKeeper::tend(const AgentView& view, const model::Memory& memory) {
  if (notary_ == nullptr) return false;
  const std::string folder =
      model::fence_folder(model::member_folder(state_dir_, view.followed->desired.name, view.me.name));
  const bool seed = is_seed(view, memory);
  const bool behind = model::is_fenced(model::node_of(view.observed, view.me.name));
  if (!seed && !behind && kept_by_others(view) == nullptr) return clear_away(folder);
  is_clear_ = false;
  auto key = own_key(view, folder);
  if (!key) return tl::unexpected(key.error());
  Said said{*std::move(key), {}};
  if (seed) {
    auto fencing = keep_fence(view, memory, said, folder);
    if (!fencing) return tl::unexpected(fencing.error());
    said.fencing = *std::move(fencing);
  }
  if (auto taken = take_pass(view, said, folder); !taken) return tl::unexpected(taken.error());
  return say(std::move(said));
}

}  // namespace quorate::loop
