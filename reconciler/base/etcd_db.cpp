// Buckets of etcd's schema: meta, key, members, members_removed, cluster, auth.
#include "reconciler/base/etcd_db.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "reconciler/base/bolt.h"

namespace quorate::base {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMembersAtMost = 10'000;
constexpr std::size_t kMemberBytes = 64 * 1024;
constexpr std::size_t kRevision = 17;  // main revision, '_', sub revision; one more byte where the key was deleted

std::optional<DbMember> parse_member(MemberId id, std::string_view text) {
  if (text.size() > kMemberBytes) return std::nullopt;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  DbMember member{id, {}, {}, false};
  if (const auto name = json.find("name"); name != json.end() && name->is_string()) member.name = *name;
  if (const auto urls = json.find("peerURLs"); urls != json.end() && urls->is_array()) {
    for (const Json& url : *urls) {
      if (url.is_string()) member.peer_urls.push_back(url);
    }
  }
  if (const auto learner = json.find("isLearner"); learner != json.end()) member.learner = *learner == true;
  return member;
}

class Reader {
 public:
  explicit Reader(Bolt& bolt) : bolt_(bolt) {}

  Result<void> all(EtcdDb& db) {
    for (const auto read :
         {&Reader::progress, &Reader::revision, &Reader::members, &Reader::removed, &Reader::versions, &Reader::auth}) {
      if (auto done = (this->*read)(db); !done) return done;
    }
    return {};
  }

 private:
  Result<std::optional<std::string>> value(const char* bucket_name, std::string_view key) {
    auto bucket = bolt_.bucket(bucket_name);
    if (!bucket) return tl::unexpected(std::move(bucket.error()));
    if (!*bucket) return std::nullopt;
    return bolt_.get(**bucket, key);
  }

  Result<void> number(std::string_view key, std::uint64_t& into) {
    const auto text = value("meta", key);
    if (!text) return tl::unexpected(text.error());
    if (!*text) return {};
    if ((*text)->size() != 8) return invalid("the bucket \"meta\" has a " + std::string(key) + " that is no number");
    into = big_endian<std::uint64_t>((*text)->data());
    return {};
  }

  Result<void> progress(EtcdDb& db) {
    if (auto read = number("consistent_index", db.consistent_index); !read) return read;
    return number("term", db.term);
  }

  Result<void> revision(EtcdDb& db) {
    const auto bucket = bolt_.bucket("key");
    if (!bucket) return tl::unexpected(bucket.error());
    db.revision = 1;
    if (!*bucket) return {};
    const auto last = bolt_.last_key(**bucket);
    if (!last) return tl::unexpected(last.error());
    if (!*last) return {};
    if ((*last)->size() < kRevision || (**last)[8] != '_')
      return invalid("the last key of the bucket \"key\" is no revision");
    db.revision = static_cast<std::int64_t>(big_endian<std::uint64_t>((*last)->data()));
    if (db.revision < 0) return invalid("the last revision is negative");
    return {};
  }

  Result<void> members(EtcdDb& db) {
    return each_member("members", [&db](MemberId id, std::string_view text) {
      auto member = parse_member(id, text);
      if (member) db.members.push_back(std::move(*member));
      return member.has_value();
    });
  }

  Result<void> removed(EtcdDb& db) {
    return each_member("members_removed", [&db](MemberId id, std::string_view) {
      db.removed.push_back(id);
      return true;
    });
  }

  template <class Take>
  Result<void> each_member(const char* bucket_name, const Take& take) {
    const auto bucket = bolt_.bucket(bucket_name);
    if (!bucket) return tl::unexpected(bucket.error());
    if (!*bucket) return {};
    bool fine = true;
    std::size_t seen = 0;
    const auto walked = bolt_.each(**bucket, [&](std::string_view key, std::string_view text) {
      const auto id = parse_id(key);
      fine = id && ++seen <= kMembersAtMost && take(MemberId{*id}, text);
      return fine;
    });
    if (!walked) return walked;
    if (!fine) return invalid("the bucket \"" + std::string(bucket_name) + "\" holds what is no member");
    return {};
  }

  Result<void> versions(EtcdDb& db) {
    const auto cluster = value("cluster", "clusterVersion");
    if (!cluster) return tl::unexpected(cluster.error());
    const auto storage = value("meta", "storageVersion");
    if (!storage) return tl::unexpected(storage.error());
    db.cluster_version = cluster->value_or("").substr(0, 32);
    db.storage_version = storage->value_or("").substr(0, 32);
    return {};
  }

  Result<void> auth(EtcdDb& db) {
    const auto enabled = value("auth", "authEnabled");
    if (!enabled) return tl::unexpected(enabled.error());
    db.auth = *enabled == std::string(1, '\1');
    return {};
  }

  Bolt& bolt_;
};

}  // namespace

Result<EtcdDb> read_etcd_db(const ByteSource& bytes) {
  auto bolt = Bolt::open(bytes);
  if (!bolt) return tl::unexpected(bolt.error());
  EtcdDb db;
  db.transaction = bolt->transaction();
  const auto read = Reader(*bolt).all(db);
  if (!read && read.error().kind != ErrorKind::Invalid) return tl::unexpected(read.error());
  const auto current = bolt->still_current();
  if (!current) return tl::unexpected(current.error());
  if (!*current) return tl::unexpected(Error{ErrorKind::Conflict, "the database was written to while it was read", ""});
  if (!read) return tl::unexpected(read.error());
  return db;
}

}  // namespace quorate::base
