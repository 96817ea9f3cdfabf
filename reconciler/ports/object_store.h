// Where backups live: objects under names with slashes, each there as a whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"

namespace quorate::ports {

struct ObjectInfo {
  std::string name;  // below the store's base: "2026-11-18T08:20:30Z-r7-a/etcd.backup.gz"
  std::uint64_t size = 0;
  base::Time modified{};
  friend bool operator==(const ObjectInfo&, const ObjectInfo&) = default;
};

// The bytes of one object, in order. An end that comes too early is an error, never an end.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  virtual std::uint64_t size() const = 0;
  virtual base::Result<std::size_t> read(char* into, std::size_t most) = 0;  // 0: all has been read
};

// An object on its way: nobody sees anything of it before finish() has returned. One that goes unfinished leaves
// nothing.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual base::Result<void> write(std::string_view bytes) = 0;
  virtual base::Result<void> finish() = 0;
};

enum class Overwrite { Never, Allowed };

// Errors: Refused is "not allowed", Transient "not reachable" or "busy"; "not there" is a value.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  virtual std::string address() const = 0;  // for people: "s3://bucket/base", without any secret

  // Says that this is the place, where it cannot be told otherwise: an empty folder, which may be the place of a disk
  // that is not mounted, becomes an empty store. Until then reading it is an error; the first write says so by itself.
  virtual base::Result<void> mark() { return {}; }
  // All below this prefix, sorted by name: complete, or an error.
  virtual base::Result<std::vector<ObjectInfo>> list(const std::string& prefix) = 0;
  // Nothing: the store says that there is none. One that is larger than `most` is Invalid.
  virtual base::Result<std::optional<std::string>> get(const std::string& name, std::uint64_t most) = 0;
  virtual base::Result<std::unique_ptr<ObjectReader>> open(const std::string& name) = 0;  // null: there is none
  // Never: Conflict when there is one, decided by the store where it can, else by looking before and after.
  virtual base::Result<void> put(const std::string& name, std::string_view bytes, Overwrite overwrite) = 0;
  // Of unknown length. Never: Conflict at once when there is one, and by finish() when there is one by then.
  virtual base::Result<std::unique_ptr<ObjectWriter>> create(const std::string& name, Overwrite overwrite) = 0;
  virtual base::Result<void> remove(const std::string& name) = 0;  // one that is gone is removed
  // Ends uploads below the base that began before this time and were never finished; says how many.
  virtual base::Result<int> sweep(base::Time before) = 0;
};

}  // namespace quorate::ports
