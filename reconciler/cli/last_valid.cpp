// The text with where it came from, because its relative paths start there.
#include "reconciler/cli/last_valid.h"

#include "reconciler/base/path.h"
#include "reconciler/model/json_words.h"

namespace quorate::cli {
namespace {

using base::Json;

constexpr const char* kKind = "last-valid";

// No cluster is called so: their names have no dots.
std::string path_in(const std::string& state_dir) {
  return base::join_path(state_dir, "last-valid.json");
}

}  // namespace

base::Result<void> keep_last_valid(ports::Host& host, const std::string& state_dir, const model::Source& source) {
  const Json root = {{"format_version", "1.0"},
                     {"kind", kKind},
                     {"name", source.name()},
                     {"directory", source.directory()},
                     {"text", source.text()}};
  if (auto kept = host.write_file({path_in(state_dir), model::document_text(root), 0600, ""}); !kept) {
    return tl::unexpected(kept.error());
  }
  return {};
}

base::Result<std::optional<model::Source>> last_valid_of(ports::Host& host, const std::string& state_dir,
                                                         const std::string& file) {
  const std::string path = path_in(state_dir);
  const auto text = host.read_file(path);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return std::nullopt;
  const auto tree = model::open_document(**text, path, kKind);
  if (!tree) return tl::unexpected(tree.error());
  model::JsonReading reading{*tree, {}};
  const model::JsonPlace root(reading);
  model::Source source(root.at("name").text(), root.at("text").text(), root.at("directory").text());
  if (!reading.problem.empty()) return base::invalid(path + " " + reading.problem);
  if (source.name() != file) return std::nullopt;
  return source;
}

}  // namespace quorate::cli
