// File by file, piece by piece.
#include "reconciler/backup/carry.h"

#include <string>
#include <utility>

#include "reconciler/codec/sha256.h"

namespace quorate::backup {
namespace {

using base::ErrorKind;

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint64_t kMostOfSmall = std::uint64_t{64} << 10;

using MayGoOn = std::function<base::Result<void>()>;

tl::unexpected<Failure> bad(const std::string& name, const std::string& why) {
  return failed(Trouble::BadBackup, {ErrorKind::Invalid, name + " " + why, "look at it; it is left where it is"});
}

class Carry {
 public:
  Carry(ports::ObjectStore& from, ports::ObjectStore& into, const MayGoOn& may_go_on)
      : from_(from), into_(into), may_go_on_(may_go_on) {}

  // What a carrier that was killed has left half done is written again: nobody sees it before its meta. Its SHA-256.
  Outcome<std::string> file(const std::string& name) {
    auto reader = from_.open(name);
    if (!reader) return failed(Trouble::Local, std::move(reader.error()));
    if (*reader == nullptr) return bad(name, "is not there any more");
    auto writer = into_.create(name, ports::Overwrite::Allowed);
    if (!writer) return failed(Trouble::Store, std::move(writer.error()));
    codec::Sha256 hash;
    std::string piece(kPiece, '\0');
    for (;;) {
      const auto got = (*reader)->read(piece.data(), piece.size());
      if (!got) return failed(Trouble::Local, got.error());
      if (*got == 0) break;
      hash.update({piece.data(), *got});
      if (auto ours = may_go_on_(); !ours) return failed(Trouble::Refused, std::move(ours.error()));
      if (auto put = (*writer)->write({piece.data(), *got}); !put)
        return failed(Trouble::Store, std::move(put.error()));
    }
    if (auto done = (*writer)->finish(); !done) return failed(Trouble::Store, std::move(done.error()));
    return codec::hex_of(hash.digest_with({}));
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
  ports::ObjectStore& from_;
  ports::ObjectStore& into_;
  const MayGoOn& may_go_on_;
};

}  // namespace

Outcome<void> carry(ports::ObjectStore& from, const model::StoredBackup& backup, ports::ObjectStore& into,
                    const MayGoOn& may_go_on) {
  if (!backup.facts || !backup.problem.empty()) {
    return bad(backup.name, backup.problem.empty() ? "has no facts" : "makes no sense: " + backup.problem);
  }
  const std::string meta = backup.path_of(model::kBackupMeta);
  Carry carrier(from, into, may_go_on);
  const auto there = into.get(meta, kMostOfSmall);
  if (!there) return failed(Trouble::Store, there.error());
  if (*there) return carrier.same(backup.path_of(model::kBackupFacts));
  const auto object = carrier.file(backup.object_path());
  if (!object) return tl::unexpected(object.error());
  if (*object != backup.facts->object_sha256) return bad(backup.object_path(), "is not what was written there");
  if (auto facts = carrier.file(backup.path_of(model::kBackupFacts)); !facts) return tl::unexpected(facts.error());
  if (auto ours = may_go_on(); !ours) return failed(Trouble::Refused, std::move(ours.error()));
  return carrier.meta(meta);
}

}  // namespace quorate::backup
