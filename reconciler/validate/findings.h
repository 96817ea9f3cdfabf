// Where rules put what they find: the place becomes an excerpt, the number stays bounded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/model/finding.h"
#include "reconciler/model/secrets.h"
#include "reconciler/model/spec.h"

namespace quorate::validate {

// The way from the root to a field; it lives on the stack of the walk and becomes text only for a finding.
struct Path {
  const Path* parent = nullptr;
  std::string_view key;
  int index = -1;  // of a list item

  std::string text() const;
};

class Findings {
 public:
  explicit Findings(const model::Spec& spec) : spec_(spec) {}
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;

  // The reference holds until the next call; related places and help are added to it.
  model::Finding& add(model::Code code, const model::Node& at, std::string message, std::string expected,
                      std::string path);
  void relate(model::Finding& finding, const model::Node& at, std::string note);

  // Full of errors: the file is wrong whatever follows. Warnings beyond their limit are dropped, errors never silently.
  bool full() const { return errors_ >= kMost; }
  std::vector<model::Finding> take();

 private:
  static constexpr std::size_t kMost = 100;  // of errors, and of warnings; more would only hide the first

  const model::SecretPlaces& secrets();

  const model::Spec& spec_;
  std::optional<model::SecretPlaces> secrets_;  // looked for when the first finding is made
  std::vector<model::Finding> findings_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  bool cut_ = false;
  model::Finding dropped_;
};

// "the number 3.5", "the text \"abc\"", "nothing": a value in a message; cut when long, never a secret.
std::string describe(const model::Node& node, std::string_view key = {});

}  // namespace quorate::validate
