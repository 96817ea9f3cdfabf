// What tests of backups and restores have in common: a store, its backups by name, and desired files that ask for them.
#pragma once

#include <cstdint>
#include <string>

#include "tests/e2e/agents/fleet.h"

namespace quorate::e2e {

class StoredTest : public AgentsTest {
 protected:
  void SetUp() override;

  std::string store() const { return fleet_.folder() + "/store"; }
  virtual std::string address() const { return "file://" + store(); }
  Wording stored(const std::string& more = "") const;
  Wording ordered(std::int64_t generation, const std::string& backup, const std::string& more = "") const;
  Wording at_start(const std::string& bootstrap, const std::string& more = "") const;

  virtual Names backups() const;               // sorted
  virtual Names access() const { return {}; }  // options that let quorate and etcdctl in to etcd
  std::string back_up();                       // by hand, so that a test knows what is in it
  void form_with_store(const Names& members);

  std::int64_t revision();  // of etcd
};

}  // namespace quorate::e2e
