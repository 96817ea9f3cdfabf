// By names alone: whatever is not known to be worth nothing is kept.
#include "reconciler/apply/place.h"

#include <algorithm>
#include <vector>

#include "reconciler/base/path.h"
#include "reconciler/base/words.h"
#include "reconciler/model/state_paths.h"

namespace quorate::apply {
namespace {

using Names = std::vector<std::string>;

// The marker, the note of a decision, and what a write of either has left.
bool is_ours(const std::string& data_dir, const std::string& name) {
  const std::string path = base::join_path(data_dir, name);
  return path == model::marker_path(data_dir) || path == model::decision_path(data_dir) ||
         name.starts_with(".quorate") || name == ".touch";  // etcd's, from when it tried whether it may write
}

bool is_worth_nothing_in(const std::string& folder, const std::string& name) {
  if (folder == "snap") return name == "db" || name.starts_with("db.tmp") || name.starts_with("tmp");
  return name.ends_with(".tmp");
}

base::Result<bool> holds_leftovers_only(ports::Host& host, const std::string& member) {
  const auto folders = host.list(member);
  if (!folders) return tl::unexpected(folders.error());
  for (const std::string& folder : folders->value_or(Names{})) {
    if (folder == "wal.tmp") continue;  // a log that was never begun
    if (folder != "snap" && folder != "wal") return false;
    const auto names = host.list(base::join_path(member, folder));
    if (!names) return tl::unexpected(names.error());
    const Names inside = names->value_or(Names{});
    const bool nothing = std::all_of(inside.begin(), inside.end(),
                                     [&](const std::string& name) { return is_worth_nothing_in(folder, name); });
    if (!nothing) return false;
  }
  return true;
}

}  // namespace

base::Result<Place> look_at_place(ports::Host& host, const std::string& data_dir) {
  const auto names = host.list(data_dir);
  if (!names) return tl::unexpected(names.error());
  if (!*names || (*names)->empty()) return Place::Empty;
  const bool others = std::any_of((*names)->begin(), (*names)->end(), [&](const std::string& name) {
    return name != "member" && !is_ours(data_dir, name);
  });
  if (others) return Place::More;
  const auto nothing = holds_leftovers_only(host, base::join_path(data_dir, "member"));
  if (!nothing) return tl::unexpected(nothing.error());
  return *nothing ? Place::Leftovers : Place::More;
}

// What is no folder cannot be listed, and is no etcd's.
std::optional<std::string> other_etcd_below(ports::Host& host, const std::string& data_dir) {
  const auto names = host.list(data_dir);
  if (!names || !*names) return std::nullopt;
  for (const std::string& name : **names) {
    if (name == "member" || is_ours(data_dir, name)) continue;
    const std::string folder = base::join_path(data_dir, name);
    const auto inside = host.list(base::join_path(folder, "member"));
    if (!inside || !*inside) continue;
    if (base::contains(**inside, "wal") || base::contains(**inside, "snap")) return folder;
  }
  return std::nullopt;
}

}  // namespace quorate::apply
