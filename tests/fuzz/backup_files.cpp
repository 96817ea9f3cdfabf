// Any bytes as a compressed or encrypted object, as a passing database, as the small files and as names in a store:
// read to an end, in pieces as in whole, and never more than the limit.
#include "tests/fuzz/backup_files.h"

#include <algorithm>
#include <string>
#include <vector>

#include "reconciler/base/check.h"
#include "reconciler/codec/db_skim.h"
#include "reconciler/codec/decompress.h"
#include "reconciler/codec/seal.h"
#include "reconciler/codec/snapshot_check.h"
#include "reconciler/model/backup.h"
#include "reconciler/model/backup_keep.h"

namespace quorate::fuzz {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{4} << 20;

class Counting final : public codec::Sink {
 public:
  base::Result<void> write(std::string_view bytes) override {
    size += bytes.size();
    sha256.update(bytes);
    return {};
  }
  base::Result<void> finish() override {
    finished = true;
    return {};
  }
  std::uint64_t size = 0;
  bool finished = false;
  codec::Sha256 sha256;
};

bool pushed(codec::Sink& sink, std::string_view bytes, std::size_t piece) {
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!sink.write(bytes.substr(at, piece))) return false;
  }
  return sink.finish().has_value();
}

void check_packed(codec::Compression compression, std::string_view bytes) {
  std::string first;
  for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{7}}) {
    Counting out;
    const auto sink = codec::make_decompressor(compression, out, kMost);
    const bool whole = pushed(*sink, bytes, piece);
    QUORATE_CHECK(whole == out.finished && out.size <= kMost);
    const std::string end = whole ? out.sha256.digest() : std::string("not whole");
    if (first.empty()) first = end;
    QUORATE_CHECK(first == end);
  }
}

void check_sealed(std::string_view bytes) {
  Counting out;
  const auto sink = codec::make_opener(codec::SealKey{std::string(codec::kSealKeyBytes, 'k')}, out);
  QUORATE_CHECK(pushed(*sink, bytes, 1000) == out.finished && out.size <= bytes.size());
}

void check_snapshot(std::string_view bytes) {
  codec::DbSkim skim;
  codec::DbSkim in_pieces;
  skim.take(bytes);
  for (std::size_t at = 0; at < bytes.size(); at += 100) in_pieces.take(bytes.substr(at, 100));
  const auto facts = skim.facts();
  const auto again = in_pieces.facts();
  QUORATE_CHECK(facts.has_value() == again.has_value());
  QUORATE_CHECK(!facts || (facts->revision == again->revision && facts->term == again->term));
  Counting out;
  codec::SnapshotCheck check(codec::TrailingHash::Optional, out);
  QUORATE_CHECK(pushed(check, bytes, 33) == out.finished);
}

void check_documents(std::string_view bytes) {
  if (const auto meta = model::read_meta(bytes, "meta")) {
    QUORATE_CHECK(model::read_meta(meta_text(*meta), "meta").has_value());
  }
  if (const auto facts = model::read_backup_facts(bytes, "facts")) {
    QUORATE_CHECK(model::read_backup_facts(to_json(*facts), "facts").has_value());
  }
  (void)model::read_backup_verified(bytes, "verified");
  (void)model::read_backup_pin(bytes, "pin");
}

// Lines as names.
void check_names(std::string_view bytes) {
  std::vector<model::StoredFile> files;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    files.push_back({std::string(bytes.substr(0, end)), end});
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  const model::StoreContents contents = model::sort_out(files);
  QUORATE_CHECK(contents.backups.size() + contents.unfinished.size() + contents.others.size() <= files.size());
  model::KeepPolicy policy;
  policy.last = 1;
  for (const model::Fate& fate : model::fates(contents.backups, policy, {})) QUORATE_CHECK(!fate.removed);
}

}  // namespace

void check_backup(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view rest = bytes.substr(1);
  switch (bytes.front() % 6) {
    case 0:
      return check_packed(codec::Compression::Gzip, rest);
    case 1:
      return check_packed(codec::Compression::Zstd, rest);
    case 2:
      return check_sealed(rest);
    case 3:
      return check_snapshot(rest);
    case 4:
      return check_documents(rest);
    default:
      return check_names(rest);
  }
}

}  // namespace quorate::fuzz
