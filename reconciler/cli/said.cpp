// One document beside the folders of the members, written whole or not at all.
#include "reconciler/cli/said.h"

#include <algorithm>

#include "reconciler/base/path.h"

namespace quorate::cli {
namespace {

using base::Json;

constexpr const char* kKind = "said";

base::Result<Said> read(const std::string& text, const std::string& path) {
  const auto tree = model::open_document(text, path, kKind);
  if (!tree) return tl::unexpected(tree.error());
  model::JsonReading reading{*tree, {}};
  const model::JsonPlace root(reading);
  Said said;
  root.at("allowed").each([&](const model::JsonPlace& each) {
    model::Allowed allowed = read_allowed(each);
    allowed.cluster.value = each.at("cluster").id_or_null();
    said.allowed.push_back(std::move(allowed));
  });
  if (root.has("paused")) said.paused = read_paused(root.at("paused"));
  if (!reading.problem.empty()) return base::invalid(path + " " + reading.problem);
  return said;
}

}  // namespace

Json allowed_json(const model::Allowed& allowed) {
  return {{"what", allowed.what},
          {"steps", allowed.steps},
          {"by", allowed.by},
          {"until", base::to_string(allowed.until)},
          {"reason", allowed.reason},
          {"denied", allowed.denied},
          {"desired_digest", allowed.desired_digest}};
}

model::Allowed read_allowed(const model::JsonPlace& place) {
  model::Allowed allowed;
  allowed.what = place.at("what").text();
  allowed.steps = place.at("steps").texts();
  allowed.by = place.at("by").text();
  allowed.until = place.at("until").time();
  allowed.reason = place.at("reason").text();
  allowed.denied = place.at("denied").truth();
  allowed.desired_digest = place.at("desired_digest").text();
  return allowed;
}

Json paused_json(const model::Paused& paused) {
  return {{"reason", paused.reason}, {"until", base::to_string(paused.until)}, {"members", paused.members}};
}

model::Paused read_paused(const model::JsonPlace& place) {
  model::Paused paused;
  paused.reason = place.at("reason").text();
  paused.until = place.at("until").time();
  paused.members = place.at("members").texts();
  return paused;
}

void forget(Said& said, const model::Allowed& allowed) {
  std::erase_if(said.allowed,
                [&](const model::Allowed& each) { return each.what == allowed.what && each.denied == allowed.denied; });
}

std::string said_path(const std::string& state_dir, const std::string& cluster) {
  return base::join_path(base::join_path(state_dir, cluster), "said.json");
}

base::Result<void> keep_said(ports::Host& host, const std::string& path, const Said& said, base::Time now) {
  Json root = {{"format_version", "1.0"}, {"kind", kKind}};
  root["allowed"] = Json::array();
  for (const model::Allowed& each : said.allowed) {
    const bool taken_back = each.until == base::Time{};  // counts until the same is said anew
    if (each.until <= now && !taken_back) continue;
    Json entry = allowed_json(each);
    entry["cluster"] = model::id_or_null(each.cluster.value);
    root["allowed"].push_back(std::move(entry));
  }
  const bool pauses = said.paused && said.paused->until > now;
  root["paused"] = pauses ? paused_json(*said.paused) : Json(nullptr);
  if (auto kept = host.write_file({path, model::document_text(root), 0600, ""}); !kept) {
    return tl::unexpected(kept.error());
  }
  return {};
}

base::Result<Said> said_in(ports::Host& host, const std::string& path) {
  const auto text = host.read_file(path);
  if (!text) return tl::unexpected(text.error());
  return *text ? read(**text, path) : Said{};
}

}  // namespace quorate::cli
