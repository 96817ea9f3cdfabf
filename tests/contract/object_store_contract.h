// One body of tests for every store: what runs them makes the stores.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "reconciler/ports/object_store.h"

namespace quorate::tests {

// A place that is empty at first, and is gone when this is; every store() is another way into the same place.
class StorePlace {
 public:
  virtual ~StorePlace() = default;
  virtual std::unique_ptr<ports::ObjectStore> store() = 0;
  // A neighbour of it, whose name begins like this one's.
  virtual std::unique_ptr<ports::ObjectStore> neighbour() = 0;
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StorePlace>()> make;
};
inline void PrintTo(const StoreKind& kind, std::ostream* out) {
  *out << kind.name;
}
inline std::string name_of_kind(const ::testing::TestParamInfo<StoreKind>& info) {
  return info.param.name;
}

class ObjectStoreContract : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    place_ = GetParam().make();
    ASSERT_NE(place_, nullptr);
    store_ = place_->store();
    ASSERT_TRUE(store_->mark());
  }

  void put(const std::string& name, const std::string& bytes) {
    const auto done = store_->put(name, bytes, ports::Overwrite::Allowed);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::string bytes_of(const std::string& name) {
    const auto got = store_->get(name, std::uint64_t{64} << 20);
    if (!got) return "error: " + got.error().message;
    return *got ? **got : "not there";
  }
  std::vector<std::string> names(const std::string& prefix);

  std::unique_ptr<StorePlace> place_;
  std::unique_ptr<ports::ObjectStore> store_;
};

// Bytes that no two offsets share in order, so that a part in the wrong place shows.
std::string patterned(std::size_t size);

}  // namespace quorate::tests
