// A read-only look into a bbolt database, the file that etcd keeps its keys in. It writes nothing and takes no lock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reconciler/base/byte_source.h"
#include "reconciler/base/result.h"

namespace quorate::base {

// Where a bucket's tree begins: a page, or a page without a number that lies inside its parent's value.
struct BoltBucket {
  std::uint64_t root = 0;
  std::string inline_page;  // only where root is 0
};

// The tree of one transaction. Pages that a running etcd has reused since may lie in between: when still_current()
// says no, what was read is worth nothing.
//
// Errors of kind Invalid say what is broken in the file; every other kind: the file could not be read.
class Bolt {
 public:
  // The newer of the two meta pages whose checksum holds.
  static Result<Bolt> open(const ByteSource& bytes);

  std::uint64_t transaction() const { return meta_.transaction; }
  std::uint32_t page_size() const { return meta_.page_size; }
  // Pages are reused only by the second transaction after the one that let them go.
  Result<bool> still_current() const;

  Result<std::optional<BoltBucket>> bucket(std::string_view name);
  Result<std::optional<std::string>> get(const BoltBucket& bucket, std::string_view key);
  // The greatest key; nothing in an empty bucket.
  Result<std::optional<std::string>> last_key(const BoltBucket& bucket);
  // In the order of the keys; a visitor that returns false ends the walk.
  using Visitor = std::function<bool(std::string_view key, std::string_view value)>;
  Result<void> each(const BoltBucket& bucket, const Visitor& visit);

 private:
  struct Meta {
    std::uint32_t page_size = 0;
    std::uint64_t root = 0;
    std::uint64_t pages = 0;  // the number of the first page that was never used
    std::uint64_t transaction = 0;
  };
  struct Page {
    std::string bytes;
    std::string place;  // for messages
    bool leaf = false;
    std::uint32_t count = 0;
  };
  struct Element {
    std::string_view key;
    std::string_view value;  // of a leaf
    std::uint64_t child = 0;
    bool is_bucket = false;
  };
  struct Walk;

  explicit Bolt(const ByteSource& bytes, const Meta& meta) : bytes_(&bytes), meta_(meta) {}

  static Result<std::optional<Meta>> read_meta(const ByteSource& bytes, std::uint64_t offset);
  static Result<std::optional<Meta>> newest_meta(const ByteSource& bytes);

  Result<Page> page(std::uint64_t number);
  Result<Page> root_page(const BoltBucket& bucket);
  static Result<Page> checked(std::string bytes, std::string place);
  static Result<Element> element(const Page& page, std::uint32_t number);
  // The first element of a leaf that is not below the key; of a branch the child that leads to the key.
  static Result<std::uint32_t> position(const Page& page, std::string_view key);
  Result<std::optional<std::pair<std::string, bool>>> find(const BoltBucket& bucket, std::string_view key);
  Result<void> walk(Page from, int depth, Walk& state);

  const ByteSource* bytes_;
  Meta meta_;
  std::uint64_t budget_ = std::uint64_t{512} * 1024 * 1024;  // bytes of pages: what etcd asks for is a few of them
};

}  // namespace quorate::base
