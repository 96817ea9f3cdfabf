// Behind the fence: the files that keep clients out, and, when all is over, the comparison of what the members hold.
#include "renderers/etcd_config/fence.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "reconciler/apply/own_node.h"
#include "reconciler/apply/steps.h"
#include "reconciler/model/records.h"
#include "reconciler/model/state_paths.h"
#include "renderers/registry.h"

namespace quorate::apply {
namespace {

// As long as a database is large.
constexpr base::Duration kOneHash = std::chrono::minutes{2};

struct Compared {
  bool same = true;
  std::string text;
};

std::string digits(std::uint32_t hash) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", hash);
  return text.data();
}

// That all have: etcd hashes no revision that is still to come.
base::Result<std::int64_t> common_revision(const Ports& ports, const Scene& scene) {
  std::int64_t revision = 0;
  for (const model::ObservedMember& each : scene.observed.membership->members) {
    if (each.listed.client_urls.empty()) return moved(each.listed.name + " has not started");
    const auto status = ports.etcd.status(each.listed.client_urls.front(), scene.within);
    if (!status) return tl::unexpected(status.error());
    const std::int64_t its = status->from.revision;
    revision = revision == 0 ? its : std::min(revision, its);
  }
  return revision;
}

base::Result<Compared> compare_at(const Ports& ports, const Scene& scene, std::int64_t revision) {
  Compared compared;
  std::optional<ports::Hash> first;
  for (const model::ObservedMember& each : scene.observed.membership->members) {
    const auto hash = ports.etcd.hash_kv(each.listed.client_urls.front(), revision, kOneHash);
    if (!hash) return tl::unexpected(hash.error());
    if (!first) first = *hash;
    // What was compacted is left out of the hash.
    if (hash->compact_revision != first->compact_revision) return moved("a compaction is under way");
    compared.same = compared.same && hash->hash == first->hash;
    compared.text += (compared.text.empty() ? "" : ", ") + each.listed.name + " has " + digits(hash->hash);
  }
  return compared;
}

}  // namespace

base::Result<void> fence_off(const Ports& ports, const Scene& scene, renderers::Bundle& bundle) {
  const std::string folder =
      model::fence_folder(model::member_folder(scene.state_dir, scene.desired.name, scene.me.name));
  const renderers::FenceFiles files{model::fence_ca(folder), model::fence_pass(folder), model::fence_key(folder)};
  for (const std::string& path : {files.ca, files.pass, files.key}) {
    const auto there = ports.host.read_file(path);
    if (!there) return tl::unexpected(there.error());
    if (!*there) return moved(scene.me.name + " has no pass through the fence yet: " + path);
  }
  const std::string config = renderers::config_path(scene.state_dir, scene.desired, scene.me);
  for (renderers::File& file : bundle.files) {
    if (file.path == config) file.content = renderers::with_fence(file.content, files);
  }
  return {};
}

base::Result<void> verify_data(const Ports& ports, const Scene& scene) {
  if (!scene.fence) return refused("nothing is recorded without a quorum");
  std::int64_t revision = 0;
  Compared compared;
  // Once more before it is said that data differ: nobody takes that word back.
  for (int tries = 0; tries < 2; ++tries) {
    const auto common = common_revision(ports, scene);
    if (!common) return tl::unexpected(common.error());
    revision = *common;
    auto found = compare_at(ports, scene, revision);
    if (!found) return tl::unexpected(found.error());
    compared = *std::move(found);
    if (compared.same) break;
  }
  const model::DataCheck check{revision, compared.same, compared.text};
  const base::ClusterId cluster = scene.observed.membership->cluster;
  return write_fenced(ports.etcd, *scene.fence,
                      {{std::string(model::kDataCheckKey), model::data_check_value(cluster, check), 0}}, scene.within);
}

}  // namespace quorate::apply
