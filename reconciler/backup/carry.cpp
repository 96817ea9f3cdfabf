// File by file, piece by piece.
#include "reconciler/backup/carry.h"

#include <string>
#include <string_view>
#include <utility>

#include "reconciler/codec/sha256.h"

namespace quorate::backup {
namespace {

using base::ErrorKind;

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint64_t kMostOfSmall = std::uint64_t{64} << 10;

tl::unexpected<Failure> bad(const std::string& name, const std::string& why) {
  return failed(Trouble::BadBackup, {ErrorKind::Invalid, name + " " + why, "look at it; it is left where it is"});
}

class Carry {
 public:
  Carry(ports::ObjectStore& from, ports::ObjectStore& into, const MayGoOn& may_go_on)
      : from_(from), into_(into), may_go_on_(may_go_on) {}

  // Its SHA-256 as it lies there now.
  Outcome<std::string> hash(const std::string& name) {
    codec::Sha256 hash;
    auto read = pieces(name, [&](std::string_view piece) -> Outcome<void> {
      hash.update(piece);
      return {};
    });
    if (!read) return tl::unexpected(std::move(read.error()));
    return codec::hex_of(hash.digest());
  }

  // What a carrier that was killed has left half done is written again: nobody sees it before its meta.
  Outcome<void> file(const std::string& name) {
    auto writer = into_.create(name, ports::Overwrite::Allowed);
    if (!writer) return failed(Trouble::Store, std::move(writer.error()));
    auto read = pieces(name, [&](std::string_view piece) -> Outcome<void> {
      auto put = (*writer)->write(piece);
      if (!put) return failed(Trouble::Store, std::move(put.error()));
      return {};
    });
    if (!read) return read;
    if (auto done = (*writer)->finish(); !done) return failed(Trouble::Store, std::move(done.error()));
    return {};
  }

  Outcome<void> same(const std::string& name) {
    const auto ours = from_.get(name, kMostOfSmall);
    if (!ours) return failed(Trouble::Local, ours.error());
    const auto theirs = into_.get(name, kMostOfSmall);
    if (!theirs) return failed(Trouble::Store, theirs.error());
    if (*ours && *ours == *theirs) return {};
    return failed(Trouble::Refused, {ErrorKind::Refused, "the store has another " + name, "look at both"});
  }

  Outcome<void> meta(const std::string& name) {
    const auto text = from_.get(name, kMostOfSmall);
    if (!text) return failed(Trouble::Local, text.error());
    if (!*text) return bad(name, "is not there any more");
    auto put = into_.put(name, **text, ports::Overwrite::Never);
    if (!put) return failed(Trouble::Store, std::move(put.error()));
    return {};
  }

 private:
  Outcome<void> pieces(const std::string& name, const std::function<Outcome<void>(std::string_view)>& take) {
    auto reader = from_.open(name);
    if (!reader) return failed(Trouble::Local, std::move(reader.error()));
    if (*reader == nullptr) return bad(name, "is not there any more");
    std::string piece(kPiece, '\0');
    for (;;) {
      const auto got = (*reader)->read(piece.data(), piece.size());
      if (!got) return failed(Trouble::Local, got.error());
      if (*got == 0) return {};
      if (auto ours = may_go_on_(); !ours) return failed(Trouble::Refused, std::move(ours.error()));
      if (auto taken = take({piece.data(), *got}); !taken) return taken;
    }
  }

  ports::ObjectStore& from_;
  ports::ObjectStore& into_;
  const MayGoOn& may_go_on_;
};

}  // namespace

Outcome<bool> carry(ports::ObjectStore& from, const model::StoredBackup& backup, ports::ObjectStore& into,
                    const MayGoOn& may_go_on) {
  if (!backup.facts || !backup.problem.empty()) {
    return bad(backup.name, backup.problem.empty() ? "has no facts" : "makes no sense: " + backup.problem);
  }
  const std::string meta = backup.path_of(model::kBackupMeta);
  Carry carrier(from, into, may_go_on);
  const auto there = into.get(meta, kMostOfSmall);
  if (!there) return failed(Trouble::Store, there.error());
  if (*there) {
    if (auto same = carrier.same(backup.path_of(model::kBackupFacts)); !same) return tl::unexpected(same.error());
    return false;
  }
  const auto hash = carrier.hash(backup.object_path());
  if (!hash) return tl::unexpected(hash.error());
  if (*hash != backup.facts->object_sha256) return bad(backup.object_path(), "is not what was written there");
  auto done = carrier.file(backup.object_path());
  if (done) done = carrier.file(backup.path_of(model::kBackupFacts));
  if (auto ours = may_go_on(); done && !ours) done = failed(Trouble::Refused, std::move(ours.error()));
  if (done) done = carrier.meta(meta);
  if (!done) return tl::unexpected(std::move(done.error()));
  return true;
}

}  // namespace quorate::backup
