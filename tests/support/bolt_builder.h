// Writes small bbolt databases page by page, so that tests can break them at any place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/wal_builder.h"

namespace quorate::tests {

inline constexpr std::size_t kBoltPage = 1024;

struct BoltItem {
  std::string key;
  std::string value;
  bool bucket = false;
};

// One page, filled up to a whole number of pages; number 0 without filling makes the inline page of a bucket.
inline std::string bolt_leaf(std::uint64_t number, const std::vector<BoltItem>& items) {
  std::string head;
  std::string content;
  for (std::size_t at = 0; at < items.size(); ++at) {
    put_fixed(head, items[at].bucket ? 1 : 0, 4);
    put_fixed(head, (items.size() - at) * 16 + content.size(), 4);
    put_fixed(head, items[at].key.size(), 4);
    put_fixed(head, items[at].value.size(), 4);
    content += items[at].key + items[at].value;
  }
  const std::size_t size = 16 + head.size() + content.size();
  const std::size_t pages = number == 0 ? 1 : (size + kBoltPage - 1) / kBoltPage;
  std::string page;
  put_fixed(page, number, 8);
  put_fixed(page, 2, 2);
  put_fixed(page, items.size(), 2);
  put_fixed(page, pages - 1, 4);
  page += head + content;
  if (number != 0) page.resize(pages * kBoltPage);
  return page;
}

inline std::string bolt_branch(std::uint64_t number,
                               const std::vector<std::pair<std::string, std::uint64_t>>& children) {
  std::string page;
  std::string content;
  put_fixed(page, number, 8);
  put_fixed(page, 1, 2);
  put_fixed(page, children.size(), 2);
  put_fixed(page, 0, 4);
  for (std::size_t at = 0; at < children.size(); ++at) {
    put_fixed(page, (children.size() - at) * 16 + content.size(), 4);
    put_fixed(page, children[at].first.size(), 4);
    put_fixed(page, children[at].second, 8);
    content += children[at].first;
  }
  page += content;
  page.resize(kBoltPage);
  return page;
}

inline std::string bolt_meta(std::uint64_t number, std::uint64_t root, std::uint64_t pages, std::uint64_t transaction) {
  std::string meta;
  put_fixed(meta, 0xED0CDAED, 4);
  put_fixed(meta, 2, 4);
  put_fixed(meta, kBoltPage, 4);
  put_fixed(meta, 0, 4);
  put_fixed(meta, root, 8);
  put_fixed(meta, 0, 8);
  put_fixed(meta, 0xFFFFFFFFFFFFFFFF, 8);
  put_fixed(meta, pages, 8);
  put_fixed(meta, transaction, 8);
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : meta) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  put_fixed(meta, hash, 8);
  std::string page;
  put_fixed(page, number, 8);
  put_fixed(page, 4, 2);
  put_fixed(page, 0, 6);
  page += meta;
  page.resize(kBoltPage);
  return page;
}

inline std::string bolt_bucket(std::uint64_t root, const std::string& inline_page = {}) {
  std::string value;
  put_fixed(value, root, 8);
  put_fixed(value, 0, 8);
  return value + inline_page;
}

inline std::string big_endian_number(std::uint64_t value) {
  std::string text;
  put_fixed(text, value, 8, true);
  return text;
}

inline std::string revision_key(std::uint64_t main, std::uint64_t sub = 0) {
  return big_endian_number(main) + "_" + big_endian_number(sub);
}

// Pages: 0, 1 meta; 2 the buckets; 3 the branch of "key"; 4, 5 its leaves, the second with an overflow page; 7 unused.
inline std::string small_etcd_db() {
  const std::string meta = bolt_leaf(0, {{"consistent_index", big_endian_number(77)}, {"term", big_endian_number(5)}});
  const std::string cluster = bolt_leaf(0, {{"clusterVersion", "3.5.0"}});
  const std::string auth = bolt_leaf(0, {{"authEnabled", std::string(1, '\1')}});
  const std::string members = bolt_leaf(0, {{"a", R"({"id":10,"peerURLs":["http://h:2380"],"name":"one"})"},
                                            {"b", R"({"id":11,"peerURLs":["http://i:2380"],"isLearner":true})"}});
  const std::string removed = bolt_leaf(0, {{"c", "removed"}});
  std::string db = bolt_meta(0, 2, 8, 40) + bolt_meta(1, 2, 8, 41);
  db += bolt_leaf(2, {{"auth", bolt_bucket(0, auth), true},
                      {"cluster", bolt_bucket(0, cluster), true},
                      {"key", bolt_bucket(3), true},
                      {"members", bolt_bucket(0, members), true},
                      {"members_removed", bolt_bucket(0, removed), true},
                      {"meta", bolt_bucket(0, meta), true}});
  db += bolt_branch(3, {{revision_key(2), 4}, {revision_key(9), 5}});
  db += bolt_leaf(4, {{revision_key(2), "v"}, {revision_key(8), "w"}});
  db += bolt_leaf(5, {{revision_key(9), std::string(1200, 'x')}, {revision_key(12, 3) + "t", "gone"}});
  db.resize(8 * kBoltPage);
  return db;
}

}  // namespace quorate::tests
