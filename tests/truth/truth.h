// Carries a plan out, step by step in its order, and holds it to its word: what etcd takes, what every step ensures,
// what the next plan says, and that writes go on.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/truth/lab.h"
#include "tests/truth/writer.h"

namespace quorate::truth {

constexpr std::chrono::milliseconds kLongestGap{2000};
constexpr base::Duration kSettled{20000};  // for a step to show its effect

model::Gated preview(const File& file, const model::Observed& observed);

// "add-member d", "write-manifest d join", one for each step. IDs are left out: those of members that do not exist yet
// are not known.
using Outline = std::vector<std::string>;
Outline outline(const model::Plan& plan, std::size_t from = 0);

// The whole of it: `expected` is what the plan has to say at the start, Converged what it says in the end.
void expect_to_come_true(Lab& lab, const File& file, const Outline& expected);

// The parameter of every suite is a release of etcd, or the newest 3.5.
class PlanTruth : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;

  const std::string& release() const { return release_; }
  Wording wording() const {
    Wording wording;
    wording.release = release_;
    return wording;
  }

  Lab lab_;

 private:
  std::string release_;
};

// For test names: Etcd3_4_23, EtcdNewest.
std::string name_of_release(const testing::TestParamInfo<std::string>& info);
// The newest 3.5 from 3.5.30 on that ci/setup could get; empty when there is none.
std::string newest_release();
inline const char* kNoNewest = "ci/setup could get no 3.5 from 3.5.30 on";
inline const char* kNewest = "newest";
inline auto both_releases() {
  return testing::Values(std::string("3.4.23"), std::string("3.5.16"));
}
inline auto all_releases() {
  return testing::Values(std::string("3.4.23"), std::string("3.5.16"), std::string(kNewest));
}

}  // namespace quorate::truth
