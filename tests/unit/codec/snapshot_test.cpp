// A snapshot that passes: the hash behind it, and what the database says of itself.
#include <gtest/gtest.h>

#include "reconciler/adapters/system/workers.h"
#include "reconciler/codec/db_skim.h"
#include "reconciler/codec/snapshot_check.h"
#include "tests/support/bolt_builder.h"
#include "tests/unit/codec/collect.h"

namespace quorate::codec {
namespace {

using tests::Collect;
using tests::push;

std::string with_hash(const std::string& db) {
  Sha256 sha256;
  sha256.update(db);
  return db + sha256.digest();
}

base::Result<base::EtcdDb> skimmed(const std::string& bytes, std::size_t piece) {
  DbSkim skim;
  for (std::size_t at = 0; at < bytes.size(); at += piece) skim.take(std::string_view(bytes).substr(at, piece));
  return skim.facts();
}

// As a tree that has seen years: so many leaves of keys, in branches of 30, with old copies of pages in between.
std::string large_db(std::uint64_t leaves) {
  using namespace tests;
  std::vector<std::pair<std::string, std::uint64_t>> children;
  std::string pages;
  std::uint64_t number = 4;
  std::uint64_t revision = 2;
  std::vector<std::pair<std::string, std::uint64_t>> branches;
  std::string tail;
  for (std::uint64_t leaf = 0; leaf < leaves; ++leaf) {
    const std::string first = revision_key(revision);
    children.emplace_back(first, number);
    pages += bolt_leaf(number++, {{first, "v"}, {revision_key(revision + 5), "w"}});
    pages += bolt_leaf(number++, {{first, "v"}, {revision_key(revision + 4), "of an older transaction"}});
    revision += 6;
    if (children.size() == 30 || leaf + 1 == leaves) {
      branches.emplace_back(children.front().first, number);
      pages += bolt_branch(number++, children);
      children.clear();
    }
  }
  const std::string meta = bolt_leaf(0, {{"consistent_index", big_endian_number(7)}, {"term", big_endian_number(3)}});
  std::string db = bolt_meta(0, 2, number, 40) + bolt_meta(1, 2, number, 41);
  db += bolt_leaf(2, {{"key", bolt_bucket(3), true}, {"meta", bolt_bucket(0, meta), true}});
  db += bolt_branch(3, branches);
  return db + pages;
}

}  // namespace

TEST(SnapshotCheck, KnowsTheHashOfAllBytesWithoutHashingThemTwice) {
  const std::string whole = with_hash(std::string(5000, 'x'));
  Sha256 all;
  all.update(whole);
  for (const std::size_t piece : {7U, 32U, 512U, 6000U}) {
    Collect out;
    SnapshotCheck check(TrailingHash::Required, out);
    ASSERT_TRUE(push(check, whole, piece));
    EXPECT_EQ(check.sha256_hex(), hex_of(all.digest()));
  }
}

TEST(SnapshotCheck, HashesOnTheSideToTheSameEnd) {
  const std::string whole = with_hash(tests::mixed_bytes((std::size_t{5} << 20) + 512));
  Sha256 all;
  all.update(whole);
  const auto workers = adapters::system::make_workers(2);
  for (const std::size_t piece : {std::size_t{70000}, std::size_t{1} << 20, std::size_t{3} << 20}) {
    Collect out;
    SnapshotCheck check(TrailingHash::Required, out, workers.get());
    Hashing hashing(check, workers.get());
    EXPECT_TRUE(push(hashing, whole, piece));
    EXPECT_TRUE(check.has_hash());
    EXPECT_TRUE(out.text == whole);
    EXPECT_EQ(check.sha256_hex(), hex_of(all.digest()));
    EXPECT_EQ(hashing.sha256_hex(), hex_of(all.digest()));
  }
  Collect out;
  SnapshotCheck check(TrailingHash::Required, out, workers.get());
  EXPECT_FALSE(push(check, whole.substr(1), 70000));
  EXPECT_FALSE(out.finished);
}

TEST(SnapshotCheck, HandsOnWhatIsLookedAtLater) {
  std::string whole = with_hash(tests::small_etcd_db());
  whole.back() = static_cast<char>(whole.back() ^ 1);
  Collect out;
  SnapshotCheck check(TrailingHash::Later, out);
  EXPECT_TRUE(push(check, whole));
  EXPECT_TRUE(check.has_hash());
  EXPECT_TRUE(out.text == whole);
  SnapshotCheck nothing(TrailingHash::Later, out);
  EXPECT_FALSE(push(nothing, std::string(32, 'x')));
}

TEST(SnapshotCheck, TakesWhatAgreesInPiecesOfAnySize) {
  const std::string bytes = with_hash(tests::mixed_bytes(10000));
  for (const std::size_t piece : {1U, 31U, 32U, 33U, 4096U, 100000U}) {
    Collect out;
    SnapshotCheck check(TrailingHash::Required, out);
    EXPECT_TRUE(push(check, bytes, piece)) << piece;
    EXPECT_TRUE(out.finished);
    EXPECT_TRUE(check.has_hash());
    EXPECT_TRUE(out.text == bytes);
  }
}

TEST(SnapshotCheck, FinishesNothingThatDoesNotAgree) {
  const std::string whole = with_hash(tests::mixed_bytes(10000));
  std::string changed = whole;
  changed[5000] = static_cast<char>(changed[5000] ^ 1);
  for (const std::string& bytes : {changed, whole.substr(0, 9999), whole + "x", std::string(), std::string(31, 'x')}) {
    for (const TrailingHash wanted : {TrailingHash::Required, TrailingHash::Optional}) {
      Collect out;
      SnapshotCheck check(wanted, out);
      const auto done = push(check, bytes);
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().kind, base::ErrorKind::Invalid);
      EXPECT_FALSE(out.finished);
    }
  }
}

TEST(SnapshotCheck, TakesACopyOfADatabaseWhereThatMayBe) {
  Collect out;
  SnapshotCheck check(TrailingHash::Optional, out);
  EXPECT_TRUE(push(check, tests::small_etcd_db()));
  EXPECT_FALSE(check.has_hash());
  SnapshotCheck strict(TrailingHash::Required, out);
  EXPECT_FALSE(push(strict, tests::small_etcd_db()));
}

TEST(DbSkim, SaysWhatTheWholeFileSays) {
  const std::string db = tests::small_etcd_db();
  for (const std::size_t piece : {1U, 100U, 1024U, 5000U, 100000U}) {
    for (const std::string& bytes : {db, with_hash(db)}) {
      const auto facts = skimmed(bytes, piece);
      ASSERT_TRUE(facts) << facts.error().message;
      EXPECT_EQ(facts->revision, 12);  // whose key lies behind a long value
      EXPECT_EQ(facts->consistent_index, 77U);
      EXPECT_EQ(facts->term, 5U);
      EXPECT_EQ(facts->members.size(), 2U);
      EXPECT_EQ(facts->cluster_version, "3.5.0");
      EXPECT_TRUE(facts->auth);
    }
  }
}

TEST(DbSkim, FindsTheNewestKeyAmongManyLeaves) {
  const std::string db = large_db(900);
  const base::TextBytes bytes(db);
  const auto whole = base::read_etcd_db(bytes);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->revision, 2 + 6 * 900 - 1);
  const auto facts = skimmed(db, 3000);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->revision, whole->revision);
  EXPECT_EQ(facts->consistent_index, 7U);
}

TEST(DbSkim, SaysWhenItIsNoDatabase) {
  EXPECT_FALSE(skimmed("", 10));
  EXPECT_FALSE(skimmed(tests::mixed_bytes(50000), 1000));
  EXPECT_FALSE(skimmed(std::string(50000, '\0'), 1000));
  EXPECT_FALSE(skimmed(tests::small_etcd_db().substr(0, 4000), 1000));
}

}  // namespace quorate::codec
