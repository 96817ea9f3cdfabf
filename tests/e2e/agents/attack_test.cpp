// Histories that broke earlier designs, on real etcd: none loses an acknowledged write, forms two clusters that take
// writes, or leaves members with different data. The numbers are those of the list of attacks.
#include <filesystem>
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>

#include "reconciler/adapters/system/data_dir.h"
#include "reconciler/model/memory.h"
#include "reconciler/model/records.h"
#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/small_disk.h"
#include "tests/e2e/agents/squatter.h"
#include "tests/integration/wal_file.h"
#include "tests/support/skip.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Attacks : public AgentsTest {
 protected:
  static Wording patient(const std::string& more = "") {  // nobody is taken for dead
    Wording wording;
    wording.reconcile = "deadAfter: 1h, every: 1s";
    wording.more = more;
    return wording;
  }
  static std::string recover(std::int64_t generation, const std::string& survivor) {
    return "generation: " + std::to_string(generation) + "\nrecovery: {survivor: " + survivor + "}\n";
  }
  // An agent remembers a cluster before it writes down in etcd that there is one.
  bool is_known_as_formed(const std::string& member) {
    const auto kept = fleet_.etcd().get_all(fleet_.client_url(member), std::string(model::kFormedKey),
                                            ports::Consistency::Serializable, kAnswer);
    return kept && !kept->empty();
  }
  void lose_for_now(const std::string& member) {  // agent and etcd; the data stay
    fleet_.kill(member);
    fleet_.kill_etcd(member);
  }
};

// The third could never bind its port, so it has promised and never run. A second founder that starts from nothing
// beside it would be a quorum that knows nothing of what the first two have acknowledged.
TEST_P(Attacks, Attack7_AFormationOfTwoThenOneStandsStillAndOneLosesItsDisk) {
  fleet_.want({"a", "b", "c"}, patient());
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  {
    const Squatter squatter(fleet_.address("c"), fleet_.client_port());
    ASSERT_TRUE(squatter.good());
    fleet_.start(Names{"a", "b", "c"});
    ASSERT_TRUE(Fleet::eventually([&] {
      return is_known_as_formed("a") && writer.acknowledged().size() > 5 &&
             !fleet_.steps_done("write-manifest/c@").empty();
    }));
    lose_for_now("c");
    fleet_.pause("a");
    fleet_.signal_etcd("a", SIGSTOP);
    fleet_.lose_disks({"b"});
  }
  fleet_.start("c");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.plan("c").value("status", "").compare(0, 5, "Needs") == 0; }));
  EXPECT_TRUE(stays([&] { return fleet_.serving().empty(); })) << "two that know nothing are no quorum";
  fleet_.signal_etcd("a", SIGCONT);
  fleet_.resume("a");
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.plan("a").dump().find("lost for good") != std::string::npos; }));
  fleet_.want({"a", "b", "c"}, patient(recover(2, "a")));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}, kRecovered));
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, {"a", "b", "c"});
}

class Disks : public Attacks {
 protected:
  // A disk of its own for each, which can be taken away and brought back.
  bool mount(const Names& members) {
    for (const std::string& member : members) {
      disks_.push_back(std::make_unique<SmallDisk>(disk(member), "300m"));
      fs::create_directories(place(member));
      if (!disks_.back()->mounted() || !bring(member)) return false;
    }
    return true;
  }
  bool bring(const std::string& member) {
    if (::mount(disk(member).c_str(), place(member).c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
    brought_.push_back(place(member));
    return true;
  }
  void TearDown() override {  // where there is none any more it fails
    for (const std::string& each : brought_) ::umount2(each.c_str(), MNT_DETACH);
  }
  bool take(const std::string& member) const { return ::umount(place(member).c_str()) == 0; }
  Wording on_disks(const Names& members, Wording wording) const {
    for (const std::string& member : members) wording.member[member] = "storage: {dir: " + place(member) + "/etcd}";
    return wording;
  }
  Wording with_log_on_disk(const std::string& member, Wording wording) const {
    wording.member[member] = "storage: {wal: " + place(member) + "/logs}";
    return wording;
  }

 private:
  std::string disk(const std::string& member) const { return fleet_.folder() + "/disk-" + member; }
  std::string place(const std::string& member) const { return fleet_.folder() + "/place-" + member; }

  std::vector<std::unique_ptr<SmallDisk>> disks_;
  Names brought_;
};

// Two of three machines boot without a disk, one without that of its data, one without that of its log: they are
// neither lost nor new.
TEST_P(Disks, Attack9_DisksThatAreNotMountedAreWaitedForWhateverTheFileOrders) {
  const Names theirs{"b", "c"};
  if (!mount(theirs)) return tests::skip_unless_ci_is_root("no disks can be mounted here");
  fleet_.form({"a", "b", "c"}, with_log_on_disk("c", on_disks({"b"}, {})));
  const auto steps = fleet_.steps_done();
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 10; }));
  for (const std::string& member : theirs) {
    lose_for_now(member);
    ASSERT_TRUE(Fleet::eventually([&] { return take(member); })) << "its files are still open";
  }
  writer.stop();
  fleet_.start(theirs);
  for (const std::string& member : theirs) ASSERT_TRUE(fleet_.plans(member, "NeedsHuman", "is its disk mounted?"));
  Wording words;
  words.more = recover(2, "a");
  fleet_.want({"a", "b", "c"}, with_log_on_disk("c", on_disks({"b"}, words)));
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "is its disk mounted?"));
  EXPECT_TRUE(stays([&] { return fleet_.etcd_pid("b") == 0 && fleet_.etcd_pid("c") == 0; }));
  EXPECT_EQ(fleet_.steps_done(), steps);
  for (const std::string& member : theirs) ASSERT_TRUE(bring(member));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_THAT(fleet_.steps_done("restore/"), IsEmpty());
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, {"a", "b", "c"});
}

// A file that names another place moves no data, and nobody is taken for emptied because that place is.
TEST_P(Attacks, Attack9_AnotherStorageDirInTheFileIsNoLossOfData) {
  fleet_.form({"a", "b", "c"});
  const auto steps = fleet_.steps_done();
  const base::ClusterId cluster = fleet_.cluster_of("a");
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 10; }));
  std::string text = fleet_.text({"a", "b", "c"});
  const std::string place = "storage: {dir: " + fleet_.folder() + "/data";
  ASSERT_NE(text.find(place), std::string::npos);
  text.insert(text.find(place) + place.size(), "-elsewhere");
  fleet_.replace_file(text);
  ASSERT_TRUE(Fleet::eventually(
      [&] { return fleet_.plan("a").dump().find("data do not move because a file says so") != std::string::npos; }));
  EXPECT_TRUE(stays([&] { return fleet_.are_voters({"a", "b", "c"}) && fleet_.steps_done() == steps; }));
  for (const char* member : {"a", "b", "c"}) lose_for_now(member);  // and all machines boot
  fleet_.start(Names{"a", "b", "c"});
  ASSERT_TRUE(Fleet::eventually(
      [&] { return fleet_.plan("b").dump().find("data do not move because a file says so") != std::string::npos; }));
  EXPECT_EQ(fleet_.steps_done(), steps);
  fleet_.want({"a", "b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.cluster_of("b"), cluster);
  EXPECT_EQ(fleet_.steps_done("remove/"), Names{});
  expect_nothing_lost(fleet_, writer);
}

// The ports of another cluster of the same name, out of its file.
TEST_P(Attacks, Attack10_APastedAddressListOfAnotherClusterTouchesNeither) {
  fleet_.form({"a", "b", "c"});
  ASSERT_TRUE(fleet_.put("k", "ours"));
  Fleet theirs(GetParam());
  theirs.form({"a", "b", "c"});
  ASSERT_TRUE(theirs.put("k", "theirs"));
  const auto steps = fleet_.steps_done();
  const auto their_steps = theirs.steps_done();
  const base::ClusterId cluster = fleet_.cluster_of("a");
  const auto ports_in = [](const std::string& text) {  // of clients and peers: agents keep their own
    const std::size_t from = text.find("client: ");
    return text.substr(from, text.find(", agent:") - from);
  };
  const std::string before = fleet_.text({"a", "b", "c"});
  std::string pasted = before;
  pasted.replace(pasted.find(ports_in(before)), ports_in(before).size(), ports_in(theirs.text({"a", "b", "c"})));
  ASSERT_NE(pasted, before);
  fleet_.replace_file(pasted);
  ASSERT_TRUE(fleet_.plans("a", "NeedsHuman", "OtherCluster"));
  EXPECT_TRUE(stays([&] { return fleet_.get("k", kAtOnce) == "ours" && theirs.get("k") == "theirs"; }));
  EXPECT_EQ(fleet_.steps_done(), steps);
  EXPECT_EQ(theirs.steps_done(), their_steps);
  fleet_.replace_file(before);
  ASSERT_TRUE(fleet_.settle("a"));
  EXPECT_TRUE(fleet_.are_voters({"a", "b", "c"}));
  EXPECT_TRUE(theirs.are_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.cluster_of("c"), cluster);
  EXPECT_NE(theirs.cluster_of("c"), cluster);
  EXPECT_EQ(theirs.steps_done(), their_steps);
}

class LongAttacks : public Attacks {};

// Whoever has announced a removal and asked for it gives up; etcd hears of it when it runs again.
TEST_P(LongAttacks, Attack11_ARemovalThatArrivesLateTakesNobodyElse) {
  fleet_.form({"a", "b", "c"}, patient());
  fleet_.lead("b");
  truth::Writer writer(fleet_.client_urls({"a", "b", "c"}));
  const base::MemberId before = fleet_.id_of("c");
  const auto ids = std::pair(fleet_.id_of("a"), fleet_.id_of("b"));
  const base::ClusterId cluster = fleet_.cluster_of("b");
  fleet_.signal_etcd("a", SIGSTOP);
  ASSERT_TRUE(fleet_.etcd().put(fleet_.client_url("b"), model::condemned_key(before),
                                model::condemned_value(cluster, before), kAnswer));
  EXPECT_FALSE(fleet_.etcd().remove(fleet_.client_url("a"), before, kAnswer));
  // A removal beside a member that hangs would leave one of two.
  EXPECT_TRUE(stays([&] { return fleet_.id_of("c") == before && fleet_.steps_begun("remove/").empty(); }, Seconds{8}));
  fleet_.signal_etcd("a", SIGCONT);
  ASSERT_TRUE(Fleet::eventually([&] {
    const base::MemberId now = fleet_.id_of("c");
    return now != before && now.value != 0 && fleet_.are_voters({"a", "b", "c"});
  }));
  EXPECT_EQ(std::pair(fleet_.id_of("a"), fleet_.id_of("b")), ids);
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, {"a", "b", "c"});
}

// The lock is a put, and a full etcd takes none.
TEST_P(Attacks, Attack13_AFullDatabaseIsFreedAlthoughNobodyCanTakeTheLock) {
  Wording wording;
  wording.etcd = "quota: 16Mi";
  fleet_.form({"a", "b", "c"}, wording);
  const auto ids = std::set{fleet_.id_of("a"), fleet_.id_of("b"), fleet_.id_of("c")};
  // The latest thousand revisions are kept, and fit.
  const std::string value(10'000, 'v');
  ASSERT_TRUE(fleet_.fill_up([](int /*number*/) { return "one key"; }, value));
  fleet_.lose_disks({"c"});  // and the lock is wanted, too
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.put("k", "v"); }));
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("remove/").size() == 1; }));
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(ids.count(fleet_.id_of("a")) + ids.count(fleet_.id_of("b")), 2U);
  EXPECT_EQ(fleet_.get("one key"), value);
  EXPECT_FALSE(fleet_.steps_done("compact/").empty());
  expect_one_content(fleet_, {"a", "b", "c"});
}

// Every key is needed, so only a larger quota makes room; the file that brings it cannot be put into force before.
TEST_P(Attacks, D10_ARaisedQuotaReachesAFullCluster) {
  Wording wording;
  wording.etcd = "quota: 16Mi";
  fleet_.form({"a", "b", "c"}, wording);
  const auto ids = std::set{fleet_.id_of("a"), fleet_.id_of("b"), fleet_.id_of("c")};
  const std::string value(100'000, 'v');
  ASSERT_TRUE(fleet_.fill_up([](int number) { return "key/" + std::to_string(number); }, value));
  wording.etcd = "quota: 64Mi";
  fleet_.want({"a", "b", "c"}, wording);
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.put("k", value); }));
  for (const char* member : {"a", "b", "c"}) EXPECT_TRUE(fleet_.settle(member));
  EXPECT_EQ((std::set{fleet_.id_of("a"), fleet_.id_of("b"), fleet_.id_of("c")}), ids);
  EXPECT_EQ(fleet_.get("key/7"), value);
  EXPECT_TRUE(fleet_.steps_begun("remove/").empty());
  expect_one_content(fleet_, {"a", "b", "c"});
}

// What a power cut leaves of a log: its beginning.
class PowerCuts : public Attacks {
 protected:
  // Ends with that entry, and the room behind it is empty.
  static void cut_log(const std::string& data_dir, std::uint64_t last) {
    const std::string path = integration::last_segment(data_dir + "/member/wal");
    std::string log = integration::read_file(path);
    const std::vector<std::size_t> offsets = integration::record_offsets(log);
    // The most of it that ends there.
    std::size_t kept = 0;
    for (std::size_t most = offsets.size(); kept + 1 < most;) {
      const std::size_t half = (kept + most) / 2;
      std::string cut = log;
      std::fill(cut.begin() + static_cast<std::ptrdiff_t>(offsets[half]), cut.end(), '\0');
      integration::write_file(path, cut, 0600);
      const auto dir = adapters::system::read_data_dir(data_dir, "");
      ASSERT_TRUE(dir) << dir.error().message;
      (dir->last_index <= last ? kept : most) = half;
    }
    ASSERT_NE(kept, 0U) << "the log begins behind entry " << last;
    std::fill(log.begin() + static_cast<std::ptrdiff_t>(offsets[kept]), log.end(), '\0');
    integration::write_file(path, log, 0600);
  }
  model::Memory memory_of(const std::string& member) const {
    return model::read_memory(integration::read_file(fleet_.memory(member)), member).value();
  }
  // All agents have heard of some entries when the lights go out; what they remember is on disk. A leader that lived on
  // would know that c has acknowledged what c then has not, and etcd ends itself there.
  model::Memory cut_power() {
    for (int number = 0; number < 3; ++number) {
      const std::uint64_t before = memory_of("c").latest_index;
      EXPECT_TRUE(Fleet::eventually([&] {
        EXPECT_TRUE(fleet_.put("before", std::to_string(number)));
        return memory_of("c").latest_index > before + 2;
      }));
    }
    for (const char* member : {"a", "b", "c"}) fleet_.pause(member);
    for (const char* member : {"c", "a", "b"}) lose_for_now(member);
    return memory_of("c");
  }
};

TEST_P(PowerCuts, Attack18_AFollowerWhoseStatusWasAheadOfItsDiskComesBackAsItself) {
  fleet_.form({"a", "b", "c"});
  fleet_.lead("a");
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  const base::MemberId before = fleet_.id_of("c");
  const model::Memory memory = cut_power();
  ASSERT_GT(memory.latest_index, memory.lagged_index + 1);
  cut_log(fleet_.data_dir("c"), memory.latest_index - 1);
  fleet_.start(Names{"a", "b", "c"});
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.id_of("c"), before) << "nothing says that the rest was on its disk";
  EXPECT_THAT(fleet_.steps_begun("remove/"), IsEmpty());
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, {"a", "b", "c"});
}

// To etcd it looks like room that was never written, and it would vote without what it has acknowledged.
TEST_P(PowerCuts, Attack18_ZeroesOverWhatWasOnTheDiskAreNoEndOfTheLog) {
  fleet_.form({"a", "b", "c"});
  fleet_.lead("a");
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  const base::MemberId before = fleet_.id_of("c");
  const model::Memory memory = cut_power();
  cut_log(fleet_.data_dir("c"), memory.lagged_index - 1);
  fleet_.start(Names{"a", "b", "c"});
  ASSERT_TRUE(Fleet::eventually([&] {
    return fleet_.steps_done("promote/c").size() == 1 && fleet_.are_voters({"a", "b", "c"});
  }));
  EXPECT_NE(fleet_.id_of("c"), before);
  EXPECT_THAT(fleet_.set_aside("c"), SizeIs(1)) << "nothing is deleted";
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, {"a", "b", "c"});
}

TEST_P(Attacks, Attack19_ACondemnedVoterIsStillNeededWhenItsCondemnerAndAThirdAreGone) {
  fleet_.form({"a", "b", "c"}, patient());
  fleet_.lead("a");
  truth::Writer writer(fleet_.client_urls({"a", "c"}));
  const base::MemberId before = fleet_.id_of("c");
  const base::ClusterId cluster = fleet_.cluster_of("c");
  for (const char* each : {"a", "b"}) fleet_.kill(each);  // right after the word of the first; etcd stays
  fleet_.pause("c");
  ASSERT_TRUE(fleet_.etcd().put(fleet_.client_url("b"), model::condemned_key(before),
                                model::condemned_value(cluster, before), kAnswer));
  fleet_.kill_etcd("b");
  fleet_.resume("c");
  const std::size_t written = writer.acknowledged().size();
  EXPECT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > written + 10; })) << "a and c serve";
  EXPECT_TRUE(stays([&] { return fleet_.id_of("c") == before && fleet_.steps_begun("remove/").empty(); }));
  fleet_.start(Names{"a", "b"});
  ASSERT_TRUE(Fleet::eventually([&] {
    const base::MemberId now = fleet_.id_of("c");
    return now != before && now.value != 0 && fleet_.are_voters({"a", "b", "c"});
  })) << "what was announced is carried out in the end";
  EXPECT_THAT(fleet_.steps_done("remove/"), SizeIs(1));
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, {"a", "b", "c"});
}

TEST_P(LongAttacks, Attack20_OneOfTwoIsLostAndTheOtherGoesOnAtAWord) {
  fleet_.form({"a", "b"});
  const base::ClusterId before = fleet_.cluster_of("a");
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  ASSERT_TRUE(Fleet::eventually([&] { return writer.acknowledged().size() > 10; }));
  const base::MemberId lost = fleet_.id_of("b");
  fleet_.lose_node("b");
  writer.stop();
  ASSERT_TRUE(fleet_.plans("a", "NeedsObservation", "b"));
  EXPECT_TRUE(stays([&] { return fleet_.cluster_of("a") == before && fleet_.steps_done("restore/").empty(); }));
  Wording words;
  words.more = recover(2, "a");
  words.member["b"] = "lost: \"" + base::to_string(lost) + "\"";
  fleet_.want({"a", "b"}, words);
  ASSERT_TRUE(Fleet::eventually([&] { return fleet_.steps_done("restore/").size() == 1; }, kRecovered));
  fleet_.start("b");  // a new machine of that name; clients are kept out until it is a voter
  ASSERT_TRUE(fleet_.become_voters({"a", "b"}, kRecovered));
  EXPECT_NE(fleet_.cluster_of("b"), before);
  expect_nothing_lost(fleet_, writer);
  expect_one_content(fleet_, {"a", "b"});
}

INSTANTIATE_TEST_SUITE_P(Etcd, Attacks, testing::Values("3.5.16"), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(SlowEtcd, LongAttacks, testing::Values("3.5.16"), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(Etcd, Disks, testing::Values("3.5.16"), integration::name_of_release);
INSTANTIATE_TEST_SUITE_P(Etcd, PowerCuts, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
