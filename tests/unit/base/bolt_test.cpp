// etcd's database: what a small one says, and that no broken one is believed, crashes or hangs the reader.
#include "reconciler/base/bolt.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/base/etcd_db.h"
#include "tests/support/bolt_builder.h"

namespace quorate::base {
namespace {

using namespace tests;

Result<EtcdDb> read(const std::string& db) {
  const TextBytes bytes(db);
  return read_etcd_db(bytes);
}

std::string problem(const std::string& db) {
  const auto content = read(db);
  return content ? "" : content.error().message;
}

// Everything on one page behind the two meta pages.
std::string db_of(const std::string& page, std::uint64_t pages = 3) {
  std::string db = bolt_meta(0, 2, pages, 1) + bolt_meta(1, 2, pages, 2) + page;
  db.resize(pages * kBoltPage);
  return db;
}

}  // namespace

TEST(Bolt, FindsWhatEtcdKeepsInItsBuckets) {
  const auto db = read(small_etcd_db());
  ASSERT_TRUE(db) << db.error().message;
  EXPECT_EQ(db->transaction, 41U);
  EXPECT_EQ(db->consistent_index, 77U);
  EXPECT_EQ(db->term, 5U);
  EXPECT_EQ(db->revision, 12);
  ASSERT_EQ(db->members.size(), 2U);
  EXPECT_EQ(db->members[0].id, MemberId{0xA});
  EXPECT_EQ(db->members[0].name, "one");
  EXPECT_EQ(db->members[0].peer_urls, std::vector<std::string>{"http://h:2380"});
  EXPECT_FALSE(db->members[0].learner);
  EXPECT_TRUE(db->members[1].learner);
  EXPECT_EQ(db->removed, std::vector{MemberId{0xC}});
  EXPECT_EQ(db->cluster_version, "3.5.0");
  EXPECT_EQ(db->storage_version, "");
  EXPECT_TRUE(db->auth);
}

TEST(Bolt, FindsKeysThroughBranchesAndInValuesLongerThanAPage) {
  const std::string text = small_etcd_db();
  const TextBytes bytes(text);
  auto bolt = Bolt::open(bytes);
  ASSERT_TRUE(bolt);
  const auto bucket = bolt->bucket("key");
  ASSERT_TRUE(bucket && *bucket);
  EXPECT_EQ(bolt->get(**bucket, revision_key(2))->value(), "v");
  EXPECT_EQ(bolt->get(**bucket, revision_key(8))->value(), "w");
  EXPECT_EQ(bolt->get(**bucket, revision_key(9))->value(), std::string(1200, 'x'));
  for (const std::uint64_t absent : {0U, 3U, 10U, 99U}) EXPECT_FALSE(*bolt->get(**bucket, revision_key(absent)));
  EXPECT_FALSE(*bolt->bucket("nothing"));
  std::size_t keys = 0;
  EXPECT_TRUE(bolt->each(**bucket, [&](std::string_view, std::string_view) { return ++keys < 3; }));
  EXPECT_EQ(keys, 3U);
}

TEST(Bolt, TakesTheOtherMetaPageWhenTheNewerOneIsBroken) {
  for (const std::size_t page : {0U, 1U}) {
    std::string db = small_etcd_db();
    db[page * kBoltPage + 16 + 40] ^= 1;
    const auto content = read(db);
    ASSERT_TRUE(content) << content.error().message;
    EXPECT_EQ(content->transaction, page == 0 ? 41U : 40U);
    EXPECT_EQ(content->revision, 12);
  }
  std::string db = small_etcd_db();
  db[16] ^= 1;
  db[kBoltPage + 16] ^= 1;
  EXPECT_EQ(problem(db), "neither of the two meta pages is whole");
}

TEST(Bolt, SaysWhenTheFileIsShorterThanItsPages) {
  const std::string db = small_etcd_db();
  EXPECT_EQ(problem(db.substr(0, 5 * kBoltPage)), "the file ends after 5 pages of 8");
  EXPECT_EQ(problem(""), "neither of the two meta pages is whole");
  for (std::size_t size = 0; size < db.size(); size += 64) EXPECT_NE(problem(db.substr(0, size)), "") << size;
}

TEST(Bolt, ReadsAnEmptyStore) {
  const auto db = read(db_of(bolt_leaf(2, {{"key", bolt_bucket(0, bolt_leaf(0, {})), true}})));
  ASSERT_TRUE(db) << db.error().message;
  EXPECT_EQ(db->revision, 1);
  EXPECT_EQ(db->consistent_index, 0U);
  EXPECT_TRUE(db->members.empty());
}

TEST(Bolt, SaysWhatIsWrongWithAPage) {
  EXPECT_EQ(problem(db_of(bolt_leaf(9, {}))), "page 2 bears another number");
  EXPECT_EQ(problem(db_of(bolt_branch(2, {}))), "page 2 is a branch that leads nowhere");
  EXPECT_EQ(problem(db_of(bolt_branch(2, {{"a", 3}}))), "page 3 does not exist");
  EXPECT_EQ(problem(db_of(bolt_branch(2, {{"a", 0}}))), "page 0 does not exist");
  std::string flags = bolt_leaf(2, {});
  flags[8] = 16;
  EXPECT_EQ(problem(db_of(flags)), "page 2 is neither a branch nor a leaf");
  std::string count = bolt_leaf(2, {});
  count[11] = 1;
  EXPECT_EQ(problem(db_of(count)), "page 2 has too many elements");
  std::string overflow = bolt_leaf(2, {});
  overflow[12] = 1;
  EXPECT_EQ(problem(db_of(overflow)), "page 2 claims more pages than there are");
  std::string outside = bolt_leaf(2, {{"key", "value"}});
  outside[16 + 4 + 3] = 1;
  EXPECT_EQ(problem(db_of(outside)), "page 2: element 0 lies outside");
}

TEST(Bolt, SaysWhatEtcdWouldNeverWrite) {
  const auto with = [](const std::string& bucket, const BoltItem& item) {
    return problem(db_of(bolt_leaf(2, {{bucket, bolt_bucket(0, bolt_leaf(0, {item})), true}})));
  };
  EXPECT_EQ(problem(db_of(bolt_leaf(2, {{"meta", "x"}}))), "the bucket \"meta\" is not one");
  EXPECT_EQ(with("meta", {"consistent_index", "7"}), "the bucket \"meta\" has a consistent_index that is no number");
  EXPECT_EQ(with("key", {"key", "value"}), "the last key of the bucket \"key\" is no revision");
  EXPECT_EQ(with("members", {"zz", "{}"}), "the bucket \"members\" holds what is no member");
  EXPECT_EQ(with("members", {"aa", "{"}), "the bucket \"members\" holds what is no member");
}

TEST(Bolt, DoesNotWalkInCircles) {
  const std::string circle = bolt_branch(2, {{"a", 2}, {"b", 2}, {"c", 2}});
  EXPECT_EQ(problem(db_of(circle)), "the tree is deeper than 32 levels");

  std::string pages = bolt_leaf(2, {{"members", bolt_bucket(3), true}});
  std::vector<std::pair<std::string, std::uint64_t>> children(50, {"a", 4});
  for (std::uint64_t number = 3; number < 20; ++number) {
    for (auto& child : children) child.second = number + 1;
    pages += bolt_branch(number, children);
  }
  pages += bolt_leaf(20, {});
  const std::string wide = problem(db_of(pages, 21));
  EXPECT_NE(wide.find("is reached by a tree that does not end"), std::string::npos) << wide;
}

TEST(Bolt, SurvivesEveryFlippedByte) {
  const std::string whole = small_etcd_db();
  const std::size_t used = 6 * kBoltPage;
  for (std::size_t at = 0; at < used; ++at) {
    for (const char mask : {'\x01', '\x80', '\xFF'}) {
      std::string copy = whole;
      copy[at] = static_cast<char>(copy[at] ^ mask);
      const auto content = read(copy);
      if (!content) {
        EXPECT_FALSE(content.error().message.empty());
      }
    }
  }
}

TEST(Bolt, NoticesThatItWasWrittenToWhileItWasRead) {
  // The meta page of the next transaction appears after the buckets were read.
  class Written final : public ByteSource {
   public:
    std::uint64_t size() const override { return before_.size(); }
    Result<std::size_t> read(std::uint64_t offset, char* to, std::size_t count) const override {
      const std::string& now = offset == 0 && ++looks_ > 1 ? after_ : before_;
      return TextBytes(now).read(offset, to, count);
    }

   private:
    std::string before_ = small_etcd_db();
    std::string after_ = bolt_meta(0, 2, 8, 42) + before_.substr(kBoltPage);
    mutable int looks_ = 0;
  };
  const auto content = read_etcd_db(Written());
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().kind, ErrorKind::Conflict);
}

}  // namespace quorate::base
