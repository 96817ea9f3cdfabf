// Founders that are missing, that end between their word and their start, or that find somebody else's data in place;
// a file that changes its mind while a cluster is being formed.
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/held.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;

class Founding : public AgentsTest {};

TEST_P(Founding, A03_WithTheThirdDeclaredLostTwoFormAndItJoinsLaterAsALearner) {
  fleet_.want({"a", "b", "c"});
  fleet_.start(Names{"a", "b"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsObservation", "nobody can say what is on the nodes of c"));
  EXPECT_THAT(fleet_.steps_begun(""), IsEmpty());
  Wording wording;
  wording.member["c"] = "lost: never";
  fleet_.want({"a", "b", "c"}, wording);
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}, kFormed));
  const base::ClusterId cluster = fleet_.cluster_of("a");
  ASSERT_TRUE(fleet_.put("k", "v"));
  fleet_.want({"a", "b", "c"});
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.cluster_of("c"), cluster);
  EXPECT_THAT(fleet_.steps_begun("promise/c"), IsEmpty()) << "it is no founder";
  EXPECT_THAT(fleet_.steps_done("add-member/c"), SizeIs(1));
  EXPECT_THAT(fleet_.steps_done("promote/c"), SizeIs(1));
  EXPECT_EQ(fleet_.get("k"), "v");
}

TEST_P(Founding, A03_AThirdThatHasPromisedAndEndsBeforeItsStartComesBackAsTheFounderItIs) {
  fleet_.want({"a", "b", "c"});
  start_held(fleet_, "c", "HOLD_AT=write-manifest/c");
  fleet_.start(Names{"a", "b"});
  ASSERT_TRUE(is_held(fleet_, "c"));
  fleet_.kill("c");
  ASSERT_TRUE(fleet_.put("k", "v")) << "the other two are a quorum";
  const base::ClusterId cluster = fleet_.cluster_of("a");
  EXPECT_EQ(fleet_.etcd_pid("c"), 0);
  fleet_.start("c");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.cluster_of("c"), cluster);
  EXPECT_THAT(fleet_.steps_begun("remove/"), IsEmpty());
  EXPECT_THAT(fleet_.steps_begun("add-member/"), IsEmpty());
  EXPECT_EQ(fleet_.get("k"), "v");
}

// Every file with its size and when it was written.
std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& each : fs::recursive_directory_iterator(folder)) {
    if (!each.is_regular_file()) continue;
    all[each.path()] =
        std::to_string(each.file_size()) + " " + std::to_string(each.last_write_time().time_since_epoch().count());
  }
  return all;
}

// c's directory holds the data of a cluster of the same name that nobody here knows.
class OthersData : public Founding {
 protected:
  void put_others_data(const std::string& theirs, const std::string& member) {
    Fleet other(GetParam());
    other.form({theirs});
    ASSERT_TRUE(other.put("k", "theirs"));
    other.kill(theirs);
    other.kill_etcd(theirs);
    fs::create_directories(fleet_.folder() + "/data");
    fs::copy(other.data_dir(theirs), fleet_.data_dir(member), fs::copy_options::recursive);
  }
  void expect_untouched(const std::string& member, const std::map<std::string, std::string>& before) {
    EXPECT_EQ(contents(fleet_.data_dir(member)), before);
    EXPECT_THAT(fleet_.set_aside(member), IsEmpty());
    EXPECT_EQ(fleet_.etcd_pid(member), 0);
  }
};

TEST_P(OthersData, A07_AreNeverTouchedAndNothingIsFormedBesideThem) {
  ASSERT_NO_FATAL_FAILURE(put_others_data("a", "c"));
  const auto before = contents(fleet_.data_dir("c"));
  fleet_.want({"a", "b", "c"});
  fleet_.start(Names{"a", "b", "c"});
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "the data of c cannot be used as they are"));
  EXPECT_TRUE(fleet_.plans("c", "NeedsHuman", "the marker in it says that it belongs to a"));
  EXPECT_TRUE(stays([&] { return fleet_.steps_begun("").empty(); }));
  expect_untouched("c", before);
  fs::rename(fleet_.data_dir("c"), fleet_.folder() + "/moved away");
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
}

// Even of a member of that name.
TEST_P(OthersData, A07_AreNeverTouchedByAClusterThatWantsToGrowThere) {
  fleet_.form({"a", "b"});
  ASSERT_NO_FATAL_FAILURE(put_others_data("c", "c"));
  const auto before = contents(fleet_.data_dir("c"));
  const auto steps = fleet_.steps_done();
  for (const char* member : {"a", "b"}) fleet_.pause(member);
  fleet_.want({"a", "b", "c"});
  fleet_.start("c");
  const auto is_known_to = [&](const char* member) {
    return fleet_.plan(member).dump().find("the node of c holds data of cluster") != std::string::npos;
  };
  ASSERT_TRUE(Fleet::eventually([&] { return is_known_to("c"); }));
  for (const char* member : {"a", "b"}) fleet_.resume(member);
  ASSERT_TRUE(Fleet::eventually([&] { return is_known_to("a"); }));
  EXPECT_TRUE(stays([&] { return fleet_.are_voters({"a", "b"}) && fleet_.steps_begun("add-member/").empty(); }));
  EXPECT_EQ(fleet_.steps_done(), steps);
  expect_untouched("c", before);
}

// A file that drops one founder and lists another.
class EditedFounding : public Founding {
 protected:
  void edit_while_held(const std::string& moment) {
    fleet_.want({"a", "b", "c"});
    start_held(fleet_, "c", moment);
    fleet_.start(Names{"a", "b"});
    ASSERT_TRUE(is_held(fleet_, "c"));
    fleet_.want({"a", "b", "d"});
    fleet_.start("d");
  }
  void become_one_cluster() {
    ASSERT_TRUE(Fleet::eventually([&] {
      if (fleet_.are_voters({"a", "b", "d"})) return true;
      const Json plan = fleet_.plan("a");
      for (const Json& step : plan.is_object() ? plan.value("steps", Json::array()) : Json::array()) {
        const std::string id = step.value("id", "");
        if (id.rfind("remove/c", 0) == 0 && plan.value("exit_code", 0) == 5) fleet_.approve("a", id);
      }
      return false;
    }));
    EXPECT_TRUE(Fleet::eventually([&] { return fleet_.etcd_pid("c") == 0; }));
    expect_one_content(fleet_, {"a", "b", "d"});
  }
};

// Two have begun and are a quorum; what they have acknowledged stays.
TEST_P(EditedFounding, Attack16_AfterTwoHaveStartedTheClusterIsTheOneThatWasBegun) {
  ASSERT_NO_FATAL_FAILURE(edit_while_held("HOLD_AT=write-manifest/c"));
  ASSERT_TRUE(fleet_.put("k", "v"));
  const base::ClusterId cluster = fleet_.cluster_of("a");
  fleet_.resume("c");
  ASSERT_NO_FATAL_FAILURE(become_one_cluster());
  EXPECT_EQ(fleet_.cluster_of("d"), cluster);
  EXPECT_EQ(fleet_.get("k"), "v");
  EXPECT_THAT(fleet_.steps_begun("promise/d"), IsEmpty());
}

// All have promised, and c might have started in spite of the edit: people say that it has not.
TEST_P(EditedFounding, Attack16_BeforeAnybodyHasStartedPeopleAreAskedAndNothingIsFormedTwice) {
  ASSERT_NO_FATAL_FAILURE(edit_while_held("HOLD_AT=promise/c"));
  fleet_.resume("c");
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "a formation was begun together with c"));
  EXPECT_TRUE(fleet_.plans("d", "NeedsHuman", "a formation was begun together with c"));
  EXPECT_THAT(fleet_.steps_begun("write-manifest/"), IsEmpty());
  fleet_.kill("c");
  Wording anew;
  anew.more = "generation: 2\n";
  fleet_.want({"a", "b", "d"}, anew);
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "d"}));
  ASSERT_TRUE(fleet_.put("k", "v"));
  fleet_.start("c");  // with its promise of then
  EXPECT_TRUE(stays([&] { return fleet_.etcd_pid("c") == 0 && fleet_.are_voters({"a", "b", "d"}); }));
  expect_one_content(fleet_, {"a", "b", "d"});
}

INSTANTIATE_TEST_SUITE_P(Etcd, Founding, testing::Values("3.5.16"), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(Etcd, OthersData, testing::Values("3.5.16"), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(Etcd, EditedFounding, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
