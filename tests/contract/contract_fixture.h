// What the suites of the contract share: on which worlds they run, and how a refusal is judged.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "reconciler/base/result.h"
#include "tests/contract/world.h"

namespace quorate::contract {

using base::ErrorKind;
using ports::Consistency;

constexpr Duration kPatience{5000};  // of one call that is meant to succeed
constexpr Duration kSettle{20000};   // of a cluster that is meant to get somewhere

inline const char* kNewest = "newest";

inline auto all_worlds() {
  return testing::Values(std::string("fake-3.4.23"), std::string("fake-3.5.16"), std::string("fake-3.5.30"),
                         std::string("3.4.23"), std::string("3.5.16"), std::string(kNewest));
}
inline auto real_worlds() {
  return testing::Values(std::string("3.4.23"), std::string("3.5.16"), std::string(kNewest));
}

// For test names: On_3_4_23, On_fake_3_5_16, On_newest.
inline std::string name_of_world(const testing::TestParamInfo<std::string>& info) {
  std::string name = "On_" + info.param;
  for (char& c : name) {
    if (c == '.' || c == '-') c = '_';
  }
  return name;
}

template <class T>
void expect_refused(const base::Result<T>& result, ErrorKind kind, const std::string& words) {
  ASSERT_FALSE(result) << "was accepted; expected: " << words;
  EXPECT_EQ(static_cast<int>(result.error().kind), static_cast<int>(kind)) << result.error().message;
  EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
  EXPECT_FALSE(result.error().help.empty()) << result.error().message;
}

template <class T>
std::string why(const base::Result<T>& result) {
  return result ? "accepted" : result.error().message;
}

// One cluster of `kFounders` for all tests of a suite; each leaves it as it found it.
template <int kFounders>
class OnWorld : public testing::TestWithParam<std::string> {
 protected:
  static void TearDownTestSuite() { worlds().clear(); }

  void SetUp() override {
    kind_ = GetParam();
    if (kind_ == kNewest) {
      kind_ = newest_release();
      if (kind_.empty()) GTEST_SKIP() << "NOT TESTED: " << why_no_newest();
    }
    auto& place = worlds()[kind_];
    if (!place) place = make_world(kind_, kFounders);
  }

  World& world() { return *worlds().at(kind_); }
  ports::EtcdAdmin& etcd() { return world().etcd(); }
  std::string at(int seat) { return world().endpoint(seat); }
  base::MemberId id_of(int seat) {
    const auto status = etcd().status(at(seat), kPatience);
    return status ? status->from.member : base::MemberId{};
  }
  // Seats of the leader and of one who is not; polls until there is one.
  int leader() {
    int found = -1;
    world().eventually(
        [&] {
          for (int seat = 0; seat < kFounders; ++seat) {
            const auto status = etcd().status(at(seat), Duration(1000));
            if (status && status->from.member == status->status.leader) found = seat;
          }
          return found >= 0;
        },
        kSettle);
    return found;
  }
  int follower() { return (leader() + 1) % kFounders; }
  bool is_fake() const { return kind_.rfind("fake-", 0) == 0; }

 private:
  static std::map<std::string, std::unique_ptr<World>>& worlds() {
    static std::map<std::string, std::unique_ptr<World>> all;
    return all;
  }
  std::string kind_;
};

}  // namespace quorate::contract
