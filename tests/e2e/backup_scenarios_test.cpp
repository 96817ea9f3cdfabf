// quorate backup by the list of scenarios, each test with its code: real etcd, a folder, and Swift.
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <sys/mount.h>

#include "reconciler/base/time.h"
#include "tests/contract/local_etcd.h"
#include "tests/e2e/backup_place.h"
#include "tests/fakes/fault_proxy.h"
#include "tests/integration/etcd_process.h"
#include "tests/integration/swift_world.h"
#include "tests/support/skip.h"

namespace quorate::e2e {
namespace {

namespace fs = std::filesystem;
using contract::LocalEtcd;
using fakes::FaultProxy;
using integration::Ended;
using integration::Etcdctl;
using integration::Json;
using integration::run;
using integration::TempDir;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using How = fakes::WireFault::How;
using Names = std::vector<std::string>;

constexpr const char* kRelease = "3.5.16";

// One cluster for all tests of the program: no test minds what another has written.
class ClusterRuns : public testing::Environment {
 public:
  void SetUp() override {
    etcd = std::make_unique<LocalEtcd>(kRelease);
    for (int seat = 0; seat < 3; ++seat) etcd->add_seat();
    etcd->found(3);
    for (int seat = 0; seat < 3; ++seat) ASSERT_TRUE(etcd->wait_until_ready(seat)) << etcd->log(seat);
  }
  void TearDown() override { etcd.reset(); }
  static std::unique_ptr<LocalEtcd> etcd;
};
std::unique_ptr<LocalEtcd> ClusterRuns::etcd;
const auto* const kCluster = testing::AddGlobalTestEnvironment(new ClusterRuns());

LocalEtcd& etcd() {
  return *ClusterRuns::etcd;
}

std::string endpoints() {
  return etcd().client_url(0) + "," + etcd().client_url(1) + "," + etcd().client_url(2);
}

// Etcd may be electing a leader.
void put(const std::string& endpoint, const std::string& key, const std::string& value) {
  const Etcdctl etcdctl{kRelease, endpoint, {}};
  Ended done;
  for (int tries = 0; tries < 5; ++tries) {
    done = etcdctl({"put", key, value});
    if (done.exit_code == 0) return;
  }
  FAIL() << done.errors;
}
void put(const std::string& value) {
  put(etcd().client_url(0), "key", value);
}

// What etcd's own tool saves, hash and all.
std::string saved_by_etcdctl() {
  const TempDir folder;
  const std::string path = folder / "snapshot.db";
  const Etcdctl etcdctl{kRelease, etcd().client_url(0), {}};
  EXPECT_EQ(etcdctl({"snapshot", "save", path}).exit_code, 0);
  return integration::read_file(path);
}

std::string gzipped(const std::string& bytes) {
  const TempDir folder;
  integration::write_file(folder / "bytes", bytes);
  return run({{"gzip", "-c", folder / "bytes"}, {}}).output;
}

class BackupScenarios : public testing::TestWithParam<std::string> {
 protected:
  bool in_swift() const { return GetParam() == "Swift"; }
  Json json_of(Names words, int code = 0) const {
    words.insert(words.end(), {"-o", "json"});
    const Ended ended = place_.backup(std::move(words));
    EXPECT_EQ(ended.exit_code, code) << ended.errors;
    return Json::parse(ended.output, nullptr, false);
  }
  Json create(const std::string& value) const {
    put(value);
    return json_of({"create", "--endpoints", endpoints()});
  }
  std::string object_of(const std::string& name) const { return name + "/etcd.backup.gz"; }

  BackupPlace place_{in_swift()};
  TempDir folder_;
};

}  // namespace

// ------------------------------------------------------------------------------------------------------ making them
TEST_P(BackupScenarios, E02_E03_OnDemandAndOnlyWhenSomethingWasWritten) {
  const Json created = create("on demand");
  ASSERT_TRUE(created.is_object());
  EXPECT_EQ(created["skipped"], false);
  EXPECT_EQ(created["facts"]["why"], "manual");
  EXPECT_EQ(json_of({"create", "--endpoints", endpoints()})["name"], created["name"]);
  EXPECT_THAT(place_.visible(), ElementsAre(created["name"].get<std::string>()));
  EXPECT_NE(create("something else")["name"], created["name"]);
}

TEST_P(BackupScenarios, E04_OneDeadEndpointDoesNotStopIt) {
  etcd().kill(2);
  const Json created = create("two are left");
  etcd().start_again(2);
  ASSERT_TRUE(etcd().wait_until_ready(2)) << etcd().log(2);
  ASSERT_TRUE(created.is_object());
  EXPECT_THAT(place_.visible(), SizeIs(1));
}

// Whoever comes second in one second is refused or has another name: nothing is written over.
TEST_P(BackupScenarios, E06_E16_NamesOfOneSecondDoNotCollide) {
  put("many at once");
  const std::string theirs =
      base::to_string(std::chrono::floor<std::chrono::seconds>(base::Time(
          std::chrono::duration_cast<base::Duration>(std::chrono::system_clock::now().time_since_epoch())))) +
      "-000001";
  place_.set(object_of(theirs), "theirs");
  place_.set(theirs + "/_etcd_backup.meta", "{\"etcdVersion\": \"3.5.16\"}");
  std::vector<std::unique_ptr<integration::Process>> writers;
  for (int each = 0; each < 4; ++each) {
    writers.push_back(std::make_unique<integration::Process>(integration::Command{
        place_.command({"create", "--always", "-q", "--endpoints", endpoints()}), place_.variables()}));
  }
  for (const auto& writer : writers) {
    const auto code = writer->wait_for_exit(integration::Seconds(60));
    ASSERT_TRUE(code);
    EXPECT_EQ(*code, 0) << writer->log();
  }
  const Names names = place_.visible();
  EXPECT_THAT(names, SizeIs(writers.size() + 1));
  const std::regex ours("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z-r[0-9]+-[abc]-[0-9a-f]{4}");
  for (const std::string& name : names) {
    if (name == theirs) continue;
    EXPECT_TRUE(std::regex_match(name, ours)) << name;
    const Ended verified = place_.backup({"verify", name});
    EXPECT_EQ(verified.exit_code, 0) << name << verified.output << verified.errors;
  }
  EXPECT_EQ(place_.get(object_of(theirs)), "theirs");
}

// ---------------------------------------------------------------------------------------------------------- retention
TEST_P(BackupScenarios, E07_OnlyOursAreRemovedAndNeverTheNewest) {
  const std::string first = create("first")["name"];
  const std::string second = create("second")["name"];
  const std::string theirs = "2020-01-01T00:00:00Z-000001";
  const Names left_alone = {theirs + "/_etcd_backup.meta",
                            object_of(theirs),
                            "a-note",
                            "no-backup/etcd.backup.gz",
                            "no-backup/_etcd_backup.meta",
                            "v1/ns/prod/3.1.8_000000000000002a_etcd.backup"};
  for (const std::string& name : left_alone) place_.set(name, "{}");
  const Ended pruned = place_.backup({"prune", "--keep-last", "1", "--endpoints", endpoints()});
  EXPECT_EQ(pruned.exit_code, 0) << pruned.errors;
  const Names names = place_.names();
  for (const std::string& name : left_alone) EXPECT_THAT(names, Contains(name));
  EXPECT_THAT(names, AllOf(Contains(object_of(second)), Not(Contains(object_of(first)))));
}

TEST_P(BackupScenarios, E08_RetentionGoesOnWhenTheRevisionGainsADigit) {
  LocalEtcd fresh(kRelease);
  fresh.add_seat();
  fresh.found(1);
  ASSERT_TRUE(fresh.wait_until_ready(0)) << fresh.log(0);
  const Etcdctl etcdctl{kRelease, fresh.client_url(0), {}};
  const auto backed_up = [&] {
    return json_of({"create", "--endpoints", fresh.client_url(0)})["name"].get<std::string>();
  };
  for (int revision = 2; revision <= 9; ++revision) ASSERT_EQ(etcdctl({"put", "key", "x"}).exit_code, 0);
  const std::string nine = backed_up();
  ASSERT_EQ(etcdctl({"put", "key", "x"}).exit_code, 0);
  const std::string ten = backed_up();
  ASSERT_THAT(nine, HasSubstr("Z-r9-"));
  ASSERT_THAT(ten, HasSubstr("Z-r10-"));
  EXPECT_EQ(json_of({"show", "latest"})["backup"]["name"], ten);
  EXPECT_EQ(place_.backup({"prune", "--keep-last", "1"}).exit_code, 0);
  EXPECT_THAT(place_.visible(), ElementsAre(ten));
}

// A cluster that was formed anew, and empty, takes nothing away from what the one before had.
TEST_P(BackupScenarios, E16_AnEmptyClusterLeavesTheLastGoodBackup) {
  const std::string good = create("worth keeping")["name"];
  const std::string bytes = place_.get(object_of(good));
  LocalEtcd fresh(kRelease);
  fresh.add_seat();
  fresh.found(1);
  ASSERT_TRUE(fresh.wait_until_ready(0)) << fresh.log(0);
  ASSERT_EQ(place_.backup({"create", "--always", "--endpoints", fresh.client_url(0)}).exit_code, 0);
  EXPECT_THAT(place_.visible(), AllOf(SizeIs(2), Contains(good)));
  EXPECT_EQ(place_.backup({"prune", "--keep-last", "1"}).exit_code, 4) << "whose backups are meant?";
  EXPECT_EQ(place_.backup({"prune", "--keep-last", "1", "--endpoints", fresh.client_url(0)}).exit_code, 0);
  EXPECT_THAT(place_.visible(), SizeIs(2));
  EXPECT_EQ(place_.get(object_of(good)), bytes);
}

// ---------------------------------------------------------------------------------------------- what goes wrong there
TEST_P(BackupScenarios, E10_AFlippedByteAndACutObjectAreFound) {
  const std::string name = create("to be broken")["name"];
  const std::string whole = place_.get(object_of(name));
  std::string flipped = whole;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  for (const std::string& bytes :
       {flipped, whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1), std::string()}) {
    place_.set(object_of(name), bytes);
    EXPECT_EQ(json_of({"verify", name}, 12)["fine"], false);
    EXPECT_EQ(place_.backup({"download", name, "--out", folder_ / "bad.db"}).exit_code, 12);
    EXPECT_FALSE(fs::exists(folder_ / "bad.db"));
  }
  EXPECT_THAT(place_.backup({"list"}).output, HasSubstr("checksum FAILED"));
  place_.set(object_of(name), whole);
  EXPECT_EQ(json_of({"verify", name})["fine"], true);
}

TEST_P(BackupScenarios, E12_AnEmptyStoreAndNamesThatAreNotThere) {
  EXPECT_THAT(place_.backup({"list"}).output, HasSubstr("0 backups in "));
  EXPECT_EQ(place_.backup({"show", "latest"}).exit_code, 11);
  const std::string name = create("one")["name"];
  const Ended missing = place_.backup({"download", "2001-01-01T00:00:00Z-r1-a", "--out", folder_ / "none.db"});
  EXPECT_EQ(missing.exit_code, 11);
  EXPECT_THAT(missing.errors, HasSubstr("there is no backup 2001-01-01T00:00:00Z-r1-a"));
  EXPECT_EQ(place_.backup({"pin", name, "--reason", "kept"}).exit_code, 0);
  EXPECT_EQ(place_.backup({"unpin", name}).exit_code, 0);
}

TEST_P(BackupScenarios, E12_ADiskThatIsFullLeavesNothingBehind) {
  for (int each = 0; each < 3; ++each) put(std::string(100000, static_cast<char>('x' + each)));
  const std::string name = json_of({"create", "--endpoints", endpoints()})["name"];
  const std::string disk = folder_ / "disk";
  fs::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    return tests::skip_unless_ci_is_root("no right to mount a tmpfs");
  }
  const Ended downloaded = place_.backup({"download", name, "--out", disk + "/snapshot.db"});
  const bool empty = fs::is_empty(disk);
  ::umount(disk.c_str());
  EXPECT_EQ(downloaded.exit_code, 1) << downloaded.errors;
  EXPECT_THAT(downloaded.errors, HasSubstr("No space left on device"));
  EXPECT_TRUE(empty);
}

// ------------------------------------------------------------------------------------------------- other people's
// The bytes of the metadata, the names of the files, and what comes out of them, as etcd-manager's readers want them.
TEST_P(BackupScenarios, F15_EtcdManagerReadsOurs) {
  const Json created = create("for others");
  const std::string name = created["name"];
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(base::parse_time(name.substr(0, 20))->time_since_epoch());
  EXPECT_EQ(place_.get(name + "/_etcd_backup.meta"),
            "{\n  \"etcdVersion\": \"3.5.16\",\n  \"timestamp\": \"" + std::to_string(seconds.count()) +
                "\",\n  \"clusterSpec\": {\n    \"memberCount\": 3,\n    \"etcdVersion\": \"3.5.16\"\n  }\n}");
  EXPECT_THAT(place_.names(), Contains(object_of(name)));
  integration::write_file(folder_ / "object.gz", place_.get(object_of(name)));
  const Ended unpacked = run({{"gzip", "-dc", folder_ / "object.gz"}, {}});
  ASSERT_EQ(unpacked.exit_code, 0) << unpacked.errors;
  integration::write_file(folder_ / "state.db", unpacked.output);
  const Ended restored = run({{integration::tool_path("etcd-3.5.16/usr/bin/etcdutl"), "snapshot", "restore",
                               folder_ / "state.db", "--data-dir", folder_ / "data"},
                              {}});
  EXPECT_EQ(restored.exit_code, 0) << restored.errors;
}

TEST_P(BackupScenarios, F15_WeReadEtcdManagersOfBothWriters) {
  const std::string snapshot = saved_by_etcdctl();
  const std::string old = "2026-11-18T08:20:30Z-000001";
  const std::string today = "2026-11-18T08:22:41Z-000002";
  for (const std::string& name : {old, today}) place_.set(object_of(name), gzipped(snapshot));
  place_.set(old + "/_etcd_backup.meta",
             "{\n  \"etcdVersion\": \"3.5.16\",\n  \"timestamp\": \"1794988784\",\n  \"clusterSpec\": {\n    "
             "\"memberCount\": 3,\n    \"etcdVersion\": \"3.5.16\"\n  }\n}");
  place_.set(today + "/_etcd_backup.meta",
             "{\"etcdVersion\":  \"3.5.16\", \"timestamp\":  \"1794988961\",  \"cluster_spec\":{\"member_count\":3}}");
  place_.set("control/etcd-cluster-created", "{\"timestamp\":1794988782944068007}");
  const Json listed = json_of({"list"});
  ASSERT_EQ(listed["backups"].size(), 2U);
  EXPECT_EQ(listed["backups"][1]["name"], today);
  EXPECT_EQ(listed["others"].size(), 0U);
  for (const std::string& name : {old, today}) {
    EXPECT_EQ(json_of({"verify", name})["fine"], true);
    const std::string path = folder_ / (name + ".db");
    EXPECT_EQ(place_.backup({"download", name, "--out", path}).exit_code, 0);
    EXPECT_EQ(integration::read_file(path), snapshot);
  }
  EXPECT_EQ(place_.backup({"prune", "--keep-last", "1"}).exit_code, 0);
  EXPECT_THAT(place_.visible(), ElementsAre(old, today));
}

// One object each, nothing beside it, and names of their own.
TEST_P(BackupScenarios, F15_RawSnapshotsOfOtherToolsAreSeenAndRead) {
  const std::string snapshot = saved_by_etcdctl();
  const Names known = {"home/backup/000000000000002a.backup", "v1/default/example/3.1.8_000000000000002a_etcd.backup",
                       "etcd/nightly_v42_2018-03-01-04:05:06", "test-backup/etcd-20260924-133000"};
  const std::string unknown = "cozy/etcd-snapshot-of-monday";
  for (const std::string& name : known) place_.set(name, snapshot);
  place_.set(unknown, snapshot);
  const Json listed = json_of({"list"});
  ASSERT_EQ(listed["backups"].size(), known.size());
  for (const Json& each : listed["backups"]) EXPECT_TRUE(each["raw"].is_string()) << each;
  EXPECT_THAT(place_.backup({"list"}).output,
              AllOf(HasSubstr("raw, of kube-etcd-controller"), HasSubstr("raw, of etcd-wrapper")));
  Names all = known;
  all.push_back(unknown);
  for (const std::string& name : all) {
    EXPECT_EQ(json_of({"show", name})["backup"]["size"], snapshot.size());
    EXPECT_EQ(json_of({"verify", name})["fine"], true) << name;
    const std::string path = folder_ / "raw.db";
    fs::remove(path);
    EXPECT_EQ(place_.backup({"download", name, "--out", path}).exit_code, 0) << name;
    EXPECT_EQ(integration::read_file(path), snapshot);
    place_.set(name, snapshot.substr(0, snapshot.size() - 32));
    EXPECT_EQ(json_of({"verify", name}, 12)["fine"], false) << name << ": its hash is missing";
  }
  EXPECT_EQ(place_.backup({"show", "latest"}).exit_code, 11);
  EXPECT_EQ(place_.backup({"prune", "--keep-last", "1"}).exit_code, 0);
  EXPECT_THAT(place_.names(), SizeIs(testing::Ge(all.size())));
}

INSTANTIATE_TEST_SUITE_P(In, BackupScenarios, testing::Values(std::string("Folder"), std::string("Swift")),
                         [](const auto& kind) { return kind.param; });

// -------------------------------------------------------------------------------------------------------- in a bucket
TEST(BackupsInABucket, E11_E12_SayWhoseFaultItIs) {
  const BackupPlace place(true);
  const Ended secret = place.backup({"list"}, {"AWS_SECRET_ACCESS_KEY=not-what-it-is"});
  EXPECT_EQ(secret.exit_code, 10);
  EXPECT_THAT(secret.errors, AllOf(HasSubstr("check the secret key"), Not(HasSubstr("not-what-it-is"))));
  const Ended region = place.backup({"list"}, {"AWS_REGION=eu-central-1"});
  EXPECT_EQ(region.exit_code, 10);
  EXPECT_THAT(region.errors, HasSubstr("set the region to us-east-1"));
  const Ended bucket = run({{QUORATE_BINARY, "backup", "list", "--store", "s3://missing/prod"}, place.variables()});
  EXPECT_EQ(bucket.exit_code, 10);
  EXPECT_THAT(bucket.errors, HasSubstr("there is no bucket missing"));
  const Ended nobody = place.backup({"show", "latest"}, {"AWS_ENDPOINT_URL_S3=http://127.0.0.1:1"});
  EXPECT_EQ(nobody.exit_code, 10) << "not reachable is not the same as not there, which is 11";
}

TEST(BackupsInABucket, E09_GoThroughErrorsAndResetsOrLeaveNothing) {
  const BackupPlace place(true);
  FaultProxy proxy(tests::swift().server.port());
  const Names through = {"AWS_ENDPOINT_URL_S3=" + proxy.endpoint()};
  put("over a bad line");
  const Names words = {"create", "--endpoints", endpoints()};
  proxy.fail({"PUT /backups/" + place.base(), How::Says500, 0, 2});
  proxy.fail({"PUT /backups/" + place.base(), How::CutsRequest, 100});
  proxy.fail({"PUT /backups/" + place.base(), How::CutsAnswer, 0});
  const Ended made = place.backup(words, through);
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_GE(proxy.met(), 3);
  EXPECT_THAT(place.visible(), SizeIs(1));
  EXPECT_EQ(place.backup({"verify", "latest"}).exit_code, 0);

  put("over a line that is cut");
  proxy.fail({"etcd.backup.gz", How::CutsRequest, 100, -1});
  const Ended failed = place.backup(words, through);
  EXPECT_EQ(failed.exit_code, 10) << failed.errors;
  EXPECT_THAT(place.visible(), SizeIs(1));
  proxy.heal();
  EXPECT_EQ(place.backup(words, through).exit_code, 0);
  EXPECT_THAT(place.visible(), SizeIs(2));
}

TEST(BackupsInABucket, E09_AreNotVisibleWhenTheirWriterIsKilled) {
  const BackupPlace place(true);
  FaultProxy proxy(tests::swift().server.port());
  put("killed on its way");
  proxy.fail({"etcd.backup.gz", How::SlowsRequest, 200, -1});
  Names variables = place.variables();
  variables.insert(variables.begin(), "AWS_ENDPOINT_URL_S3=" + proxy.endpoint());
  {
    integration::Process writer({place.command({"create", "--endpoints", endpoints()}), variables});
    ASSERT_TRUE(proxy.wait_for_request("etcd.backup.gz", std::chrono::seconds(30))) << writer.log();
    writer.kill();
  }
  EXPECT_THAT(place.visible(), IsEmpty());
  EXPECT_EQ(place.backup({"create", "--endpoints", endpoints()}).exit_code, 0);
  EXPECT_EQ(place.backup({"verify", "latest"}).exit_code, 0);
}

// ----------------------------------------------------------------------------------------------------------- releases
TEST(BackupsOfEveryRelease, E10_AreProvedByAChecksumAndByARestore) {
  std::set<std::string> releases(integration::kEtcdReleases.begin(), integration::kEtcdReleases.end());
  for (const auto& each : fs::directory_iterator(QUORATE_DEPS_DIR)) {
    const std::string name = each.path().filename().string();
    if (name.compare(0, 5, "etcd-") == 0 && fs::exists(each.path() / "usr/bin/etcd")) releases.insert(name.substr(5));
  }
  const BackupPlace place(false);
  const TempDir scratch;
  for (const std::string& release : releases) {
    LocalEtcd cluster(release);
    cluster.add_seat();
    cluster.found(1);
    ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
    for (const char* key : {"one", "two"}) put(cluster.client_url(0), key, release);
    const Ended made = place.backup({"create", "--endpoints", cluster.client_url(0), "-o", "json"});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    const std::string name = Json::parse(made.output)["name"];
    const Ended verified = place.backup({"verify", name});
    EXPECT_EQ(verified.exit_code, 0) << release << verified.output << verified.errors;
    const Ended proved = place.backup({"verify", name, "--how", "restore", "--scratch", scratch.path(), "--etcd",
                                       integration::etcd_program(release), "--etcdutl",
                                       integration::tool_path("etcd-3.5.16/usr/bin/etcdutl")});
    EXPECT_EQ(proved.exit_code, 0) << release << proved.output << proved.errors;
  }
}

}  // namespace quorate::e2e
