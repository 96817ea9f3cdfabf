// A desired file as text, through load, validate and the renderers, to files that real programs can read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/desired.h"
#include "renderers/registry.h"
#include "tests/integration/process.h"

namespace quorate::integration {

// Loads and validates; a file that has errors fails the test with its findings.
model::Desired desired_from(const std::string& yaml);

// The start of a desired file for members that run here: a, b, c ... on own addresses with ports found free, data in
// the given folder, no TLS. Blocks can be appended.
std::string local_cluster(const std::string& release, int members, const TempDir& folder);

class RenderedCluster {
 public:
  // A test that writes files gives a state directory, and in the text a storage.dir, inside a folder of its own.
  RenderedCluster(const std::string& yaml, std::string state_dir);

  const model::Desired& desired() const { return desired_; }
  const std::vector<model::Member>& members() const { return desired_.members; }
  const model::Member& member(std::string_view name) const;

  // What one renderer gives for a member, with its configuration file below the state directory.
  std::vector<renderers::File> render(std::string_view renderer, const model::Member& member,
                                      const renderers::Boot& boot) const;
  // Renders, writes with the wanted mode, and returns the path of the one file.
  std::string write(std::string_view renderer, const model::Member& member, const renderers::Boot& boot) const;

 private:
  std::string state_dir_;
  model::Desired desired_;
};

}  // namespace quorate::integration
