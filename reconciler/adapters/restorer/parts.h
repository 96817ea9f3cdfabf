// What the jobs of this room work with.
#pragma once

#include <cstdint>
#include <string>

#include "reconciler/adapters/restorer/deadline.h"
#include "reconciler/adapters/restorer/restorer.h"
#include "reconciler/base/ids.h"
#include "reconciler/base/result.h"
#include "reconciler/ports/restorer.h"

namespace quorate::adapters::restorer {

// The path of an etcdutl of 3.5.10 or later. Refused: there is none, and what was looked at.
base::Result<std::string> find_etcdutl(const Parts& parts);
// A path, for a name that is looked up in PATH.
base::Result<std::string> path_of_program(const std::string& name);

// Transient: there is less.
base::Result<void> check_space(const Parts& parts, const std::string& path, std::uint64_t needed);

// Whose data they are, as their log says.
base::Result<base::MemberId> member_in(const Parts& parts, const std::string& data_dir);

// A folder for one job: what an earlier job left in it is removed first, and at the end it is removed itself.
class Scratch {
 public:
  static base::Result<Scratch> make(ports::Host& host, const std::string& path);
  // For a program that makes the folder itself.
  static base::Result<Scratch> clear(ports::Host& host, const std::string& path);
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  Scratch(ports::Host& host, std::string path) : host_(&host), path_(std::move(path)) {}

  ports::Host* host_;  // null: moved away
  std::string path_;
};

base::Result<void> seed(const Parts& parts, const ports::Seeding& seeding, const Deadline& deadline);
base::Result<ports::Extracted> extract(const Parts& parts, const ports::Survivor& survivor, const Deadline& deadline);
base::Result<ports::Tried> try_out(const Parts& parts, const ports::Trial& trial, const Deadline& deadline);

}  // namespace quorate::adapters::restorer
