// Laws of backups: what retention may never do, and that any bytes survive any chain of stages.
#include <algorithm>

#include <gtest/gtest.h>
// Its header wants gtest's in front of it.
#include <rapidcheck/gtest.h>

#include "reconciler/codec/compress.h"
#include "reconciler/codec/decompress.h"
#include "reconciler/codec/seal.h"
#include "reconciler/model/backup_keep.h"
#include "tests/support/gen.h"
#include "tests/unit/codec/collect.h"

namespace quorate::model {
namespace {

constexpr std::int64_t kStart = 1'790'000'000;

StoredBackup any_backup(std::size_t position) {
  StoredBackup backup;
  const base::Time at{std::chrono::seconds{kStart + *rc::gen::inRange(0, 100) * *rc::gen::inRange(1, 90000)}};
  backup.name = backup_name(at, static_cast<std::int64_t>(position), "m", "0f");
  backup.folder = backup.name;
  if (!support::once_in(10)) backup.parsed = parse_backup_name(backup.name);
  if (!support::once_in(10)) {
    backup.facts = BackupFacts{};
    backup.facts->cluster.value = support::once_in(4) ? 2 : 1;
  }
  if (support::once_in(10)) backup.problem = "broken";
  if (support::once_in(8)) backup.pin = BackupPin{};
  if (support::once_in(4)) backup.verified = BackupVerified{at, VerifiedHow::Checksum, support::coin(), ""};
  return backup;
}

std::vector<StoredBackup> any_store() {
  std::vector<StoredBackup> backups;
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(0, 40));
  while (backups.size() < count) backups.push_back(any_backup(backups.size()));
  return backups;
}

KeepPolicy any_policy() {
  const auto number = [] { return support::coin() ? 0 : *rc::gen::inRange(0, 6); };
  KeepPolicy policy{number(), number(), number(), number(), number(), base::Duration{}};
  if (support::once_in(4)) policy.within = std::chrono::hours{*rc::gen::inRange(1, 1000)};
  return policy;
}

bool is_ours(const StoredBackup& backup) {
  return backup.parsed && backup.facts && backup.problem.empty() && backup.facts->cluster.value == 1;
}

bool is_verified(const StoredBackup& backup) {
  return backup.verified && backup.verified->fine;
}

// Some are dated in the future.
const BackupOwner kOwn{base::ClusterId{1}, base::Time{std::chrono::seconds{kStart + 2'000'000}}, {}};

}  // namespace

RC_GTEST_PROP(Retention, NeverRemovesWhatIsNotOursOrPinned, ()) {
  const auto backups = any_store();
  const auto all = fates(backups, any_policy(), kOwn);
  RC_ASSERT(all.size() == backups.size());
  for (std::size_t at = 0; at < backups.size(); ++at) {
    RC_ASSERT(all[at].ours == is_ours(backups[at]));
    RC_ASSERT(!all[at].removed || (is_ours(backups[at]) && !backups[at].pin && all[at].why.empty()));
  }
}

RC_GTEST_PROP(Retention, LeavesTheNewestAndTheNewestThatIsVerified, ()) {
  const auto backups = any_store();
  const auto all = fates(backups, any_policy(), kOwn);
  for (std::size_t at = 0; at < backups.size(); ++at) {
    if (!all[at].removed) continue;
    const auto newer_stays = [&](bool verified_only) {
      for (std::size_t other = 0; other < backups.size(); ++other) {
        const bool counts = is_ours(backups[other]) && (!verified_only || is_verified(backups[other]));
        if (counts && !all[other].removed && backups[other].parsed->at >= backups[at].parsed->at) return true;
      }
      return false;
    };
    RC_ASSERT(newer_stays(false));
    RC_ASSERT(!is_verified(backups[at]) || newer_stays(true));
  }
}

RC_GTEST_PROP(Retention, KeepsAsManyAsItSaysAndMoreWithMoreGenerousWords, ()) {
  const auto backups = any_store();
  KeepPolicy policy = any_policy();
  RC_PRE(!policy.empty());
  const auto before = fates(backups, policy, kOwn);
  const auto ours = std::count_if(backups.begin(), backups.end(), is_ours);
  const auto removed = std::count_if(before.begin(), before.end(), [](const Fate& fate) { return fate.removed; });
  RC_ASSERT(ours - removed >= std::min<std::ptrdiff_t>(ours, policy.last));
  policy.last += 1;
  policy.daily += 2;
  const auto after = fates(backups, policy, kOwn);
  for (std::size_t at = 0; at < backups.size(); ++at) RC_ASSERT(!after[at].removed || before[at].removed);
}

RC_GTEST_PROP(Retention, HasNothingMoreToRemoveTheSecondTime, ()) {
  const auto backups = any_store();
  const KeepPolicy policy = any_policy();
  const auto first = fates(backups, policy, kOwn);
  std::vector<StoredBackup> left;
  for (std::size_t at = 0; at < backups.size(); ++at) {
    if (!first[at].removed) left.push_back(backups[at]);
  }
  for (const Fate& fate : fates(left, policy, kOwn)) RC_ASSERT(!fate.removed);
}

RC_GTEST_PROP(BackupNames, AreReadAsTheyWereWritten, (std::string member)) {
  const base::Time at{std::chrono::seconds{kStart + *rc::gen::inRange(0, 1000000)}};
  const std::int64_t revision = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  const std::string text = backup_name(at, revision, member, "7f3a");
  const auto name = parse_backup_name(text);
  RC_ASSERT(name && name->at == at && name->revision == revision);
  RC_ASSERT(text.find('/') == std::string::npos);
}

RC_GTEST_PROP(Stages, GiveBackAnyBytesInPiecesOfAnySize, (std::string bytes)) {
  const auto compression =
      *rc::gen::element(codec::Compression::None, codec::Compression::Gzip, codec::Compression::Zstd);
  const auto piece = [] { return static_cast<std::size_t>(*rc::gen::inRange(1, 200)); };
  const codec::SealKey key{std::string(codec::kSealKeyBytes, 'k')};
  codec::NoWorkers workers;
  tests::Collect stored;
  const auto seal = codec::make_sealer(key, std::string(codec::kSealSaltBytes, 's'), stored);
  const auto pack = codec::make_compressor(compression, workers, *seal);
  RC_ASSERT(tests::push(*pack, bytes, piece()).has_value());
  tests::Collect back;
  const auto unpack = codec::make_decompressor(compression, back);
  const auto open = codec::make_opener(key, *unpack);
  RC_ASSERT(tests::push(*open, stored.text, piece()).has_value());
  RC_ASSERT(back.finished && back.text == bytes);
}

}  // namespace quorate::model
