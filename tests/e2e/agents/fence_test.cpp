// A cluster that comes back keeps its clients out until a majority is back, and then holds the same on every member.
#include <algorithm>
#include <filesystem>

#include <signal.h>

#include "tests/e2e/agents/stored.h"

namespace quorate::e2e {
namespace {

class Fence : public StoredTest {
 protected:
  static Wording from_a(const std::string& more = "", Wording wording = {}) {
    wording.more += "generation: 2\nrecovery: {survivor: a" + more + "}\n";
    return wording;
  }

  void lose_two_of_three() {
    fleet_.form({"a", "b", "c"});
    fleet_.lose_disks({"b", "c"});
    ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "quorum is lost for good"));
  }

  // The seed runs, and nobody else comes back for now.
  void stop_after_the_seed(const Wording& wording) {
    fleet_.want({"a", "b", "c"}, wording);
    ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("restore/").size() == 1; }, kRecovered));
    ASSERT_TRUE(Fleet::eventually([&] { return fleet_.etcd_pid("a") != 0; }));
    fleet_.kill(Names{"b", "c"});
    for (const char* member : {"b", "c"}) fleet_.kill_etcd(member);
  }

  bool lets_in(const std::string& member, const std::string& value) {
    return fleet_.etcd().put(fleet_.client_url(member), "k", value, kAnswer).has_value();
  }

  // Its place among all steps that were done.
  std::ptrdiff_t last_start_in_the_open(const std::string& member) const {
    const Names done = fleet_.steps_done();
    const auto is_one = [&](const std::string& step) {
      const bool fenced = step.find("-fenced") != std::string::npos;
      return !fenced && step.compare(0, 17, "write-manifest/" + member + "@") == 0;
    };
    return std::find_if(done.rbegin(), done.rend(), is_one).base() - done.begin();
  }

  bool is_fenced(const std::string& member) const {
    return integration::read_file(fleet_.config(member)).find("# fence:") != std::string::npos;
  }
  bool has_keys(const std::string& member) const {
    return std::filesystem::exists(fleet_.state_dir(member) + "/fleet/" + member + "/fence");
  }

  void expect_compared_and_the_same(const Names& members) {
    ASSERT_TRUE(
        Fleet::eventually([&] { return fleet_.get("/quorate/data-check").find("\"same\"") != std::string::npos; }));
    EXPECT_NE(fleet_.get("/quorate/data-check").find("\"same\":true"), std::string::npos);
    expect_one_content(fleet_, members);
  }
};

TEST_P(Fence, D04_ClientsAreKeptOutUntilAMajorityIsBackAndNothingIsLost) {
  fleet_.form({"a", "b", "c"}, stored());
  ASSERT_TRUE(Fleet::eventually([&] { return backups().size() == 1; }));
  truth::Writer writer(fleet_.client_urls({"a"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 20; }));
  fleet_.lose_disks({"b", "c"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "quorum is lost for good"));
  const std::size_t before = writer.acknowledged().size();
  stop_after_the_seed(from_a("", stored()));
  EXPECT_TRUE(is_fenced("a"));
  EXPECT_TRUE(fleet_.plans("a", "Actionable", "clients are kept out of a"));
  EXPECT_TRUE(stays([&] { return !lets_in("a", "too early"); }));
  EXPECT_EQ(writer.acknowledged().size(), before);

  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_TRUE(fleet_.settle("a"));
  ASSERT_TRUE(lets_in("a", "in time"));
  expect_compared_and_the_same({"a", "b", "c"});
  expect_nothing_lost(fleet_, writer);
  EXPECT_TRUE(Fleet::eventually([&] { return backups().size() == 2; }))
      << "of the cluster that came back there was none";

  EXPECT_LT(last_start_in_the_open("b"), last_start_in_the_open("a")) << "the seed is opened last";
  for (const char* member : {"a", "b", "c"}) {
    EXPECT_FALSE(is_fenced(member)) << member;
    EXPECT_TRUE(Fleet::eventually([&] { return !has_keys(member); })) << member;
  }
}

// A machine that is replaced after the decision has no part in it, and has to get in all the same.
TEST_P(Fence, D04_NodesThatWereLostComeBackNewAndAskForAPass) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "v"));
  Wording wording = from_a();
  for (const char* member : {"b", "c"}) {
    wording.member[member] = "lost: \"" + base::to_string(fleet_.id_of(member)) + "\"";
  }
  for (const char* member : {"b", "c"}) fleet_.lose_node(member);
  fleet_.want({"a", "b", "c"}, wording);
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("write-manifest/a@").size() > 1; }, kRecovered));
  EXPECT_TRUE(is_fenced("a"));
  EXPECT_FALSE(lets_in("a", "too early"));
  fleet_.want({"a", "b", "c"}, from_a());
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "v");
  EXPECT_TRUE(fleet_.settle("a"));
  expect_compared_and_the_same({"a", "b", "c"});
}

TEST_P(Fence, WithFirstTheyAreLetInWithTheSeed) {
  lose_two_of_three();
  stop_after_the_seed(from_a(", openWhen: first"));
  EXPECT_FALSE(is_fenced("a"));
  EXPECT_TRUE(Fleet::eventually([&] { return lets_in("a", "early"); }));
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "early");
  expect_compared_and_the_same({"a", "b", "c"});
}

TEST_P(Fence, PeopleMayOpenItBeforeAMajorityIsBack) {
  lose_two_of_three();
  stop_after_the_seed(from_a());
  EXPECT_FALSE(lets_in("a", "too early"));
  fleet_.want({"a", "b", "c"}, from_a(", openWhen: first"));
  ASSERT_TRUE(Fleet::eventually([&] { return lets_in("a", "early"); }));
  fleet_.start(Names{"b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  EXPECT_EQ(fleet_.get("k"), "early");
}

INSTANTIATE_TEST_SUITE_P(Etcd, Fence, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
