// Where backups of a test go: a folder, or a base of its own in Swift, which the test can also look into and break.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reconciler/ports/object_store.h"
#include "tests/integration/process.h"

namespace quorate::e2e {

class BackupPlace {
 public:
  explicit BackupPlace(bool in_swift);

  const std::string& address() const { return address_; }
  const std::vector<std::string>& variables() const { return variables_; }
  std::string base() const { return base_; }  // in the bucket

  // quorate backup with these words, on this place.
  integration::Ended backup(std::vector<std::string> words, std::vector<std::string> variables = {}) const;
  std::vector<std::string> command(std::vector<std::string> words) const;

  // Names of visible backups, sorted, out of the store's own listing.
  std::vector<std::string> visible() const;
  std::vector<std::string> names() const;  // of all objects
  std::string get(const std::string& name) const;
  void set(const std::string& name, const std::string& bytes) const;

 private:
  integration::TempDir folder_;
  std::string base_;
  std::string address_;
  std::vector<std::string> variables_;
  std::unique_ptr<ports::ObjectStore> store_;
};

}  // namespace quorate::e2e
