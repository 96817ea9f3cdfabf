// What lost clusters of real etcd leave behind, made into snapshots, and snapshots made into data directories.
#include "reconciler/adapters/restorer/restorer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/system/data_dir.h"
#include "reconciler/adapters/system/host.h"
#include "reconciler/adapters/system/node.h"
#include "reconciler/model/succession.h"
#include "tests/contract/local_etcd.h"
#include "tests/fakes/fake_etcd.h"
#include "tests/integration/etcd_process.h"
#include "tests/integration/wal_file.h"

namespace quorate::integration {
namespace {

using base::ErrorKind;
using contract::LocalEtcd;

constexpr base::Duration kLong{60'000};
constexpr base::Duration kShort{1000};

bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class Restoring : public testing::TestWithParam<std::string> {
 protected:
  ports::Restorer& restorer() { return *restorer_; }
  std::string program() const { return etcd_program(GetParam()); }

  ports::Survivor survivor(const std::string& data_dir) const {
    return {data_dir, "", folder_ / "work", program(), folder_ / "extracted.db"};
  }
  ports::Seeding seeding(const std::string& snapshot, const std::string& name) const {
    ports::Seeding seeding;
    seeding.snapshot = snapshot;
    seeding.data_dir = folder_ / name;
    seeding.member = "a";
    seeding.peer_urls = {"http://" + own_address(1) + ":" + std::to_string(free_port())};
    seeding.token = "lineage-2";
    return seeding;
  }

  std::string snapshot_of(const LocalEtcd& cluster) {
    std::string snapshot;
    const auto sent = etcd_->snapshot(
        cluster.client_url(0),
        [&](std::string_view piece) {
          snapshot += piece;
          return true;
        },
        kLong);
    EXPECT_TRUE(sent) << sent.error().message;
    return snapshot;
  }

  // An etcd on a directory that is whole; `more`: its other options.
  struct Running {
    std::string endpoint;
    std::unique_ptr<EtcdProcess> process;
  };
  Running run_on(const std::string& data_dir, const std::vector<std::string>& more = {}) {
    Running running;
    running.endpoint = "http://" + own_address(1) + ":" + std::to_string(free_port());
    const std::string peer = "http://" + own_address(1) + ":" + std::to_string(free_port());
    Command command{{program(), "--name=a", "--data-dir=" + data_dir, "--listen-client-urls=" + running.endpoint,
                     "--advertise-client-urls=" + running.endpoint, "--listen-peer-urls=" + peer,
                     "--initial-advertise-peer-urls=" + peer, "--initial-cluster=a=" + peer, "--logger=zap",
                     "--log-outputs=stderr"},
                    {}};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    running.process = std::make_unique<EtcdProcess>(command);
    EXPECT_TRUE(running.process->wait_until_ready()) << running.process->log();
    return running;
  }
  std::map<std::string, std::string> keys_of(const std::string& endpoint, const std::string& prefix) {
    std::map<std::string, std::string> keys;
    const auto all = etcd_->get_all(endpoint, prefix, ports::Consistency::Linearizable, kLong);
    EXPECT_TRUE(all) << all.error().message;
    if (!all) return keys;
    for (const ports::KeyValue& each : *all) keys[each.key] = each.value;
    return keys;
  }
  std::map<std::string, std::string> keys_in(const std::string& snapshot, const std::string& prefix) {
    const ports::Seeding where = seeding(snapshot, "looked-into");
    std::filesystem::remove_all(where.data_dir);
    const auto seeded = restorer().seed(where, kLong);
    EXPECT_TRUE(seeded) << seeded.error().message;
    if (!seeded) return {};
    return keys_of(run_on(where.data_dir).endpoint, prefix);
  }

  void put(const std::string& endpoint, int number, const std::string& prefix = "key/") {
    for (int at = 0; at < number; ++at) {
      const auto done = etcd_->put(endpoint, prefix + std::to_string(at), "value", kLong);
      ASSERT_TRUE(done) << done.error().message;
    }
  }
  int leader_of(LocalEtcd& cluster, int seats) {
    int leader = -1;
    EXPECT_TRUE(eventually([&] {
      for (int seat = 0; seat < seats && leader < 0; ++seat) {
        const auto status = etcd_->status(cluster.client_url(seat), kShort);
        if (status && status->status.leader.value != 0 && status->status.leader == status->from.member) leader = seat;
      }
      return leader >= 0;
    }));
    return leader;
  }
  model::DataDir dir_of(const std::string& path) {
    const auto dir = node_->data_dir(path, "");
    EXPECT_TRUE(dir) << dir.error().message;
    return dir.value_or(model::DataDir{});
  }
  bool nothing_left() const {
    const std::string work = folder_ / "work";
    return !std::filesystem::exists(work) || std::filesystem::is_empty(work);
  }

  TempDir folder_;
  std::unique_ptr<ports::Host> host_ = adapters::system::make_host();
  std::unique_ptr<ports::Node> node_ = adapters::system::make_node();
  std::unique_ptr<ports::EtcdAdmin> etcd_ = std::move(etcd_grpc::connect({}).value());
  std::string etcdutl_ = tool_path("etcd-3.5.16/usr/bin/etcdutl");
  std::unique_ptr<ports::Restorer> restorer_ =
      adapters::restorer::make_restorer({*host_, *node_, *etcd_, "", etcdutl_});
};

// Puts as fast as it can, and remembers what was acknowledged.
class Writers {
 public:
  Writers(ports::EtcdAdmin& etcd, const std::vector<std::string>& endpoints) {
    for (std::size_t at = 0; at < 2 * endpoints.size(); ++at) {
      threads_.emplace_back([this, &etcd, endpoint = endpoints[at % endpoints.size()], at] {
        for (int number = 0; !enough_; ++number) {
          const std::string key = "load/" + std::to_string(at) + "/" + std::to_string(number);
          const std::string value = "value of " + key;
          if (!etcd.put(endpoint, key, value, kShort)) continue;
          const std::lock_guard lock(mutex_);
          acknowledged_[key] = value;
        }
      });
    }
  }
  ~Writers() { stop(); }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return acknowledged_.size();
  }
  const std::map<std::string, std::string>& stop() {
    enough_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return acknowledged_;
  }

 private:
  std::atomic<bool> enough_ = false;
  std::mutex mutex_;
  std::map<std::string, std::string> acknowledged_;
  std::vector<std::thread> threads_;
};

// How often the tests repeat what depends on the moment of a kill.
int rounds() {
  const char* text = std::getenv("QUORATE_ROUNDS");
  return text != nullptr ? std::max(1, std::atoi(text)) : 3;
}

}  // namespace

TEST_P(Restoring, KeepsEveryAcknowledgedWriteOfThreeMembersThatAreKilledUnderLoad) {
  for (int round = 0; round < rounds(); ++round) {
    LocalEtcd cluster(GetParam());
    for (int seat = 0; seat < 3; ++seat) cluster.add_seat();
    cluster.found(3);
    for (int seat = 0; seat < 3; ++seat) ASSERT_TRUE(cluster.wait_until_ready(seat)) << cluster.log(seat);
    Writers writers(*etcd_, {cluster.client_url(0), cluster.client_url(1), cluster.client_url(2)});
    ASSERT_TRUE(eventually([&] { return writers.count() >= 300; }));
    for (int seat = 0; seat < 3; ++seat) cluster.kill(seat);
    const auto acknowledged = writers.stop();

    // Two disks are lost: the best log is the one that has everything.
    std::string best;
    model::DataDir dir;
    for (int seat = 0; seat < 3; ++seat) {
      const model::DataDir other = dir_of(cluster.data_dir(seat));
      if (!best.empty() && std::pair(other.last_term, other.last_index) <= std::pair(dir.last_term, dir.last_index)) {
        continue;
      }
      best = cluster.data_dir(seat);
      dir = other;
    }
    const auto extracted = restorer().extract(survivor(best), kLong);
    ASSERT_TRUE(extracted) << extracted.error().message;
    EXPECT_EQ(extracted->index, dir.last_index);
    EXPECT_EQ(extracted->term, dir.last_term);
    EXPECT_EQ(extracted->size, std::filesystem::file_size(folder_ / "extracted.db"));
    EXPECT_TRUE(nothing_left());
    EXPECT_EQ(dir_of(best).commit, dir.commit) << "the original was touched";

    const auto keys = keys_in(folder_ / "extracted.db", "load/");
    std::size_t lost = 0;
    for (const auto& [key, value] : acknowledged) {
      const auto found = keys.find(key);
      if (found == keys.end() || found->second != value) ++lost;
    }
    EXPECT_EQ(lost, 0U) << "of " << acknowledged.size() << " in round " << round;
    std::filesystem::remove(folder_ / "extracted.db");
  }
}

TEST_P(Restoring, KeepsWhatForceNewClusterAloneLoses) {
  LocalEtcd cluster(GetParam());
  for (int seat = 0; seat < 3; ++seat) cluster.add_seat();
  cluster.found(3);
  for (int seat = 0; seat < 3; ++seat) ASSERT_TRUE(cluster.wait_until_ready(seat)) << cluster.log(seat);
  const int leader = leader_of(cluster, 3);
  put(cluster.client_url(leader), 20);
  for (int seat = 0; seat < 3; ++seat) {
    if (seat != leader) cluster.pause(seat);
  }
  // It is in the leader's log, and nothing on its disk says that it may be committed elsewhere.
  const std::uint64_t before = dir_of(cluster.data_dir(leader)).last_index;
  EXPECT_FALSE(etcd_->put(cluster.client_url(leader), "tail", "in the log", kShort));
  ASSERT_TRUE(eventually([&] { return dir_of(cluster.data_dir(leader)).last_index > before; }));
  for (int seat = 0; seat < 3; ++seat) cluster.kill(seat);
  const std::string original = cluster.data_dir(leader);

  const std::string copy = folder_ / "plain";
  std::filesystem::copy(original, copy, std::filesystem::copy_options::recursive);
  const Running plain = run_on(copy, {"--force-new-cluster"});
  EXPECT_EQ(keys_of(plain.endpoint, "key/").size(), 20U);
  EXPECT_EQ(keys_of(plain.endpoint, "tail").size(), 0U);

  const auto extracted = restorer().extract(survivor(original), kLong);
  ASSERT_TRUE(extracted) << extracted.error().message;
  EXPECT_EQ(keys_in(folder_ / "extracted.db", "tail").size(), 1U);
  EXPECT_EQ(keys_in(folder_ / "extracted.db", "key/").size(), 20U);
}

TEST_P(Restoring, Attack12_DoesNotCarryOutTheSurvivorsOwnRemovalThatNobodyCommitted) {
  LocalEtcd cluster(GetParam(), {"--strict-reconfig-check=false"});
  for (int seat = 0; seat < 3; ++seat) cluster.add_seat();
  cluster.found(3);
  for (int seat = 0; seat < 3; ++seat) ASSERT_TRUE(cluster.wait_until_ready(seat)) << cluster.log(seat);
  const int leader = leader_of(cluster, 3);
  put(cluster.client_url(leader), 20);
  const auto status = etcd_->status(cluster.client_url(leader), kShort);
  ASSERT_TRUE(status) << status.error().message;
  for (int seat = 0; seat < 3; ++seat) {
    if (seat != leader) cluster.pause(seat);
  }
  const std::uint64_t before = dir_of(cluster.data_dir(leader)).last_index;
  EXPECT_FALSE(etcd_->remove(cluster.client_url(leader), status->from.member, kShort));
  ASSERT_TRUE(eventually([&] { return dir_of(cluster.data_dir(leader)).last_index > before; }));
  for (int seat = 0; seat < 3; ++seat) cluster.kill(seat);

  const auto extracted = restorer().extract(survivor(cluster.data_dir(leader)), kLong);
  ASSERT_TRUE(extracted) << extracted.error().message;
  EXPECT_EQ(keys_in(folder_ / "extracted.db", "key/").size(), 20U);
}

TEST_P(Restoring, Attack12_BringsBackWhatALearnerHas) {
  LocalEtcd cluster(GetParam());
  for (int seat = 0; seat < 2; ++seat) cluster.add_seat();
  cluster.found(1);
  ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
  put(cluster.client_url(0), 20, "before/");
  const auto added = etcd_->add_learner(cluster.client_url(0), {cluster.peer_url(1)}, kLong);
  ASSERT_TRUE(added) << added.error().message;
  cluster.join(1, added->members);
  ASSERT_TRUE(cluster.wait_until_ready(1)) << cluster.log(1);
  put(cluster.client_url(0), 20, "after/");
  const auto status = etcd_->status(cluster.client_url(0), kShort);
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_TRUE(eventually([&] { return dir_of(cluster.data_dir(1)).last_index >= status->status.raft_index; }));
  for (int seat = 0; seat < 2; ++seat) cluster.kill(seat);

  const auto extracted = restorer().extract(survivor(cluster.data_dir(1)), kLong);
  ASSERT_TRUE(extracted) << extracted.error().message;
  EXPECT_EQ(keys_in(folder_ / "extracted.db", "before/").size(), 20U);
  EXPECT_EQ(keys_in(folder_ / "extracted.db", "after/").size(), 20U);
}

TEST_P(Restoring, Attack12_BringsBackAMemberWhoseLogBeginsRightAfterAReceivedSnapshot) {
  LocalEtcd cluster(GetParam());
  cluster.add_seat();
  cluster.found(1);
  ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
  put(cluster.client_url(0), 20, "before/");
  cluster.kill(0);
  ASSERT_TRUE(restorer().extract(survivor(cluster.data_dir(0)), kLong));
  // A cluster that began with a snapshot has no entries from before it: who joins gets a snapshot first.
  const ports::Seeding first = seeding(folder_ / "extracted.db", "first");
  ASSERT_TRUE(restorer().seed(first, kLong));
  Running running = run_on(first.data_dir, {"--listen-peer-urls=" + first.peer_urls[0]});
  const std::string peer = "http://" + own_address(1) + ":" + std::to_string(free_port());
  ASSERT_TRUE(etcd_->add_learner(running.endpoint, {peer}, kLong));
  const std::string client = "http://" + own_address(1) + ":" + std::to_string(free_port());
  EtcdProcess joined(
      Command{{program(), "--name=b", "--data-dir=" + folder_ / "second", "--listen-client-urls=" + client,
               "--advertise-client-urls=" + client, "--listen-peer-urls=" + peer,
               "--initial-advertise-peer-urls=" + peer, "--initial-cluster=a=" + first.peer_urls[0] + ",b=" + peer,
               "--initial-cluster-state=existing", "--logger=zap", "--log-outputs=stderr"},
              {}});
  ASSERT_TRUE(joined.wait_until_ready()) << joined.log();
  put(running.endpoint, 5, "after/");
  const auto status = etcd_->status(running.endpoint, kShort);
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_TRUE(eventually([&] { return dir_of(folder_ / "second").last_index >= status->status.raft_index; }));
  EXPECT_GT(dir_of(folder_ / "second").snapshot_index, 0U);
  joined.kill();
  running.process->kill();

  std::filesystem::remove(folder_ / "extracted.db");
  const auto extracted = restorer().extract(survivor(folder_ / "second"), kLong);
  ASSERT_TRUE(extracted) << extracted.error().message;
  EXPECT_EQ(keys_in(folder_ / "extracted.db", "before/").size(), 20U);
  EXPECT_EQ(keys_in(folder_ / "extracted.db", "after/").size(), 5U);
}

TEST_P(Restoring, Attack12_RefusesALogWithAHoleInItsMiddle) {
  LocalEtcd cluster(GetParam());
  cluster.add_seat();
  cluster.found(1);
  ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
  put(cluster.client_url(0), 60);
  cluster.kill(0);
  const std::string path = last_segment(cluster.data_dir(0) + "/member/wal");
  const std::string log = read_file(path);
  const std::vector<std::size_t> offsets = record_offsets(log);
  for (const std::size_t kept : {std::size_t{8}, std::size_t{0}}) {
    std::string broken = log;
    const std::size_t number = offsets.size() / 2;
    std::fill(broken.begin() + static_cast<std::ptrdiff_t>(offsets[number] + kept),
              broken.begin() + static_cast<std::ptrdiff_t>(offsets[number + 1]), '\0');
    write_file(path, broken);
    const auto extracted = restorer().extract(survivor(cluster.data_dir(0)), kLong);
    ASSERT_FALSE(extracted);
    EXPECT_EQ(extracted.error().kind, ErrorKind::Invalid);
    EXPECT_EQ(extracted.error().message.rfind("the log is damaged", 0), 0U) << extracted.error().message;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "extracted.db"));
    EXPECT_TRUE(nothing_left());
  }
}

TEST_P(Restoring, MakesTheSameOutOfTheSameSnapshotEachTime) {
  LocalEtcd cluster(GetParam());
  cluster.add_seat();
  cluster.found(1);
  ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
  put(cluster.client_url(0), 50);
  cluster.kill(0);
  const auto extracted = restorer().extract(survivor(cluster.data_dir(0)), kLong);
  ASSERT_TRUE(extracted) << extracted.error().message;

  std::set<std::uint32_t> hashes;
  for (const std::string name : {"one", "two"}) {
    ports::Seeding where = seeding(folder_ / "extracted.db", name);
    where.bump_revision = 1'000'000'000;
    if (name == "two") where.wal_dir = folder_ / "two-wal";
    const auto seeded = restorer().seed(where, kLong);
    ASSERT_TRUE(seeded) << seeded.error().message;
    EXPECT_EQ(restorer().seed(where, kLong).error().kind, ErrorKind::Refused);
    EXPECT_FALSE(std::filesystem::exists(where.data_dir + ".seeding"));
    const auto begun = [&] { return model::has_begun({}, node_->data_dir(where.data_dir, where.wal_dir).value()); };
    EXPECT_FALSE(begun());
    std::vector<std::string> more;
    if (!where.wal_dir.empty()) more.push_back("--wal-dir=" + where.wal_dir);
    const Running running = run_on(where.data_dir, more);
    EXPECT_TRUE(begun()) << "whoever has started it";
    const auto status = etcd_->status(running.endpoint, kShort);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_GE(status->from.revision, extracted->revision + where.bump_revision);
    const auto hash = etcd_->hash_kv(running.endpoint, 0, kLong);
    ASSERT_TRUE(hash) << hash.error().message;
    hashes.insert(hash->hash);
    EXPECT_EQ(keys_of(running.endpoint, "key/").size(), 50U);
  }
  EXPECT_EQ(hashes.size(), 1U);
}

TEST_P(Restoring, TriesASnapshotOutAndNoticesAFlippedByte) {
  LocalEtcd cluster(GetParam());
  cluster.add_seat();
  cluster.found(1);
  ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
  put(cluster.client_url(0), 50);
  const std::string snapshot = snapshot_of(cluster);
  const auto hash = etcd_->hash_kv(cluster.client_url(0), 0, kLong);
  ASSERT_TRUE(hash) << hash.error().message;
  const std::string path = folder_ / "backup.db";
  write_file(path, snapshot);

  const ports::Trial trial{path, folder_ / "work", program(), hash->from.revision};
  const auto tried = restorer().try_out(trial, kLong);
  ASSERT_TRUE(tried) << tried.error().message;
  EXPECT_EQ(tried->keys, 50);
  EXPECT_EQ(tried->hash, hash->hash);
  EXPECT_EQ(tried->revision, hash->from.revision);
  EXPECT_EQ(tried->version, GetParam());
  EXPECT_TRUE(nothing_left());

  std::string flipped = snapshot;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  write_file(path, flipped);
  const auto bad = restorer().try_out(trial, kLong);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::Invalid) << bad.error().message;
  EXPECT_NE(bad.error().message.find("cannot be restored: the snapshot does not agree with the hash"),
            std::string::npos)
      << bad.error().message;
  EXPECT_TRUE(nothing_left());
}

TEST_P(Restoring, TriesOutAndExtractsDataOfAClusterWithUsers) {
  LocalEtcd cluster(GetParam());
  cluster.add_seat();
  cluster.found(1);
  ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
  put(cluster.client_url(0), 5);
  // Values that look like what is looked for.
  ASSERT_TRUE(etcd_->put(cluster.client_url(0), "key/authEnabled", std::string("authEnabled\1", 12), kLong));
  const Etcdctl client{GetParam(), cluster.client_url(0), {}};
  for (const std::vector<std::string>& words : {std::vector<std::string>{"user", "add", "root:secret"},
                                                {"user", "grant-role", "root", "root"},
                                                {"auth", "enable"}}) {
    const Ended ended = client(words);
    ASSERT_EQ(ended.exit_code, 0) << words.front() << ": " << ended.errors;
  }
  cluster.kill(0);
  const auto extracted = restorer().extract(survivor(cluster.data_dir(0)), kLong);
  ASSERT_TRUE(extracted) << extracted.error().message;
  const auto tried = restorer().try_out({folder_ / "extracted.db", folder_ / "work", program(), 0}, kLong);
  ASSERT_TRUE(tried) << tried.error().message;
  EXPECT_EQ(tried->keys, 6);
  EXPECT_EQ(tried->revision, extracted->revision);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Restoring, testing::ValuesIn(etcd_releases()), name_of_release);

class RestoringAnywhere : public Restoring {
 protected:
  // Of a cluster of one that was never written to.
  void make_snapshot(const std::string& path) {
    LocalEtcd cluster(GetParam());
    cluster.add_seat();
    cluster.found(1);
    ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
    write_file(path, snapshot_of(cluster));
  }
  // A program of our own that says which etcdutl it is, or never ends.
  std::string script(const std::string& name, const std::string& body) const {
    write_file(folder_ / name, "#!/bin/sh\n" + body + "\n", 0755);
    return folder_ / name;
  }
};

TEST_P(RestoringAnywhere, IsReadyOnlyWithAnEtcdutlThatCanRaiseRevisions) {
  EXPECT_TRUE(restorer().ready(kLong));
  const std::string old = script("old", "echo 'etcdutl version: 3.5.9'");
  const auto refused = adapters::restorer::make_restorer({*host_, *node_, *etcd_, "", old})->ready(kLong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_NE(refused.error().message.find("no etcdutl of 3.5.10 or later here: " + old + " is 3.5.9"), std::string::npos)
      << refused.error().message;
  // Beside the program of etcd without anybody saying so.
  EXPECT_TRUE(adapters::restorer::make_restorer({*host_, *node_, *etcd_, etcd_program("3.5.16"), ""})->ready(kLong));
}

TEST_P(RestoringAnywhere, LeavesNoProcessBehindWhenItGivesUp) {
  const std::string stuck = script("stuck", "echo $$ > " + folder_ / "pid" + "\nexec sleep 1000");
  LocalEtcd cluster(GetParam());
  cluster.add_seat();
  cluster.found(1);
  ASSERT_TRUE(cluster.wait_until_ready(0)) << cluster.log(0);
  put(cluster.client_url(0), 5);
  cluster.kill(0);
  ports::Survivor where = survivor(cluster.data_dir(0));
  where.program = stuck;
  const auto extracted = restorer().extract(where, kShort);
  ASSERT_FALSE(extracted);
  EXPECT_EQ(extracted.error().kind, ErrorKind::Transient) << extracted.error().message;
  const int pid = std::atoi(read_file(folder_ / "pid").c_str());
  ASSERT_GT(pid, 0);
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(pid)));
  EXPECT_TRUE(nothing_left());
  EXPECT_FALSE(std::filesystem::exists(where.into));
}

// Else the backup would be called damaged because this machine had no memory left.
TEST_P(RestoringAnywhere, WhatIsKilledSaysNothingOfTheSnapshot) {
  const std::string path = folder_ / "backup.db";
  make_snapshot(path);
  const std::string dies = script("dies", "kill -9 $$");
  const std::string etcdutl =
      script("etcdutl", "[ \"$1\" != snapshot ] && echo 'etcdutl version: 3.5.16' && exit\nkill -9 $$");
  const auto unrestored = adapters::restorer::make_restorer({*host_, *node_, *etcd_, "", etcdutl})
                              ->try_out({path, folder_ / "work", program(), 0}, kLong);
  ASSERT_FALSE(unrestored);
  EXPECT_EQ(unrestored.error().kind, ErrorKind::Transient) << unrestored.error().message;
  EXPECT_NE(unrestored.error().message.find("was ended by signal 9"), std::string::npos) << unrestored.error().message;
  const auto unserved = restorer().try_out({path, folder_ / "work", dies, 0}, kLong);
  ASSERT_FALSE(unserved);
  EXPECT_EQ(unserved.error().kind, ErrorKind::Transient) << unserved.error().message;
  EXPECT_TRUE(nothing_left());
}

namespace {

// Leads at once, and never says how many keys it has: until it is gone.
class Mute final : public fakes::FakeEtcd {
 public:
  Mute(fakes::FakeClock& clock, std::string data_dir, std::function<bool()> runs)
      : FakeEtcd(clock, *base::parse_version("3.5.16"), {{"a", "http://a:2380", "http://a:2379"}}),
        data_dir_(std::move(data_dir)),
        runs_(std::move(runs)) {}

  // First somebody else's etcd is in the place of ours.
  base::Result<ports::StatusAnswer> status(const std::string& /*endpoint*/, base::Duration /*within*/) override {
    ports::StatusAnswer answer;
    answer.status.leader = answer.from.member = base::MemberId{1};
    if (++statuses == 1) return answer;
    const auto dir = adapters::system::read_data_dir(data_dir_, "");
    if (!dir) return tl::unexpected(dir.error());
    answer.from.member = dir->member;
    return answer;
  }
  base::Result<std::int64_t> count(const std::string& /*endpoint*/, std::int64_t /*revision*/,
                                   base::Duration /*within*/) override {
    EXPECT_TRUE(eventually(runs_));
    asked = true;
    EXPECT_TRUE(eventually([this] { return !runs_(); }));
    return tl::unexpected(base::Error{ErrorKind::Transient, "the connection was closed", ""});
  }
  std::atomic<bool> asked{false};
  std::atomic<int> statuses{0};

 private:
  const std::string data_dir_;
  const std::function<bool()> runs_;
};

class TakenBack : public RestoringAnywhere {
 protected:
  // 0: it has not begun.
  int pid() const {
    std::error_code none;
    return std::filesystem::exists(folder_ / "pid", none) ? std::atoi(read_file(folder_ / "pid").c_str()) : 0;
  }
  // One that was killed and not yet waited for has no words left.
  bool runs() const {
    std::ifstream words("/proc/" + std::to_string(pid()) + "/cmdline");
    return words.get() != std::ifstream::traits_type::eof();
  }
  void expect_given_up(ports::EtcdAdmin& etcd, const std::string& etcdutl, const std::string& program,
                       std::function<bool()> ends) {
    const auto begin = std::chrono::steady_clock::now();
    const auto tried = adapters::restorer::make_restorer({*host_, *node_, etcd, "", etcdutl})
                           ->try_out({path_, folder_ / "work", program, 0, std::move(ends)}, kLong);
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.error().kind, ErrorKind::Conflict) << tried.error().message;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
    EXPECT_NE(pid(), 0) << "it has begun";
    EXPECT_FALSE(runs());
    EXPECT_TRUE(nothing_left());
  }

  const std::string path_ = folder_ / "backup.db";
  const std::string stuck_ = "echo $$ > " + folder_ / "pid" + "\nexec sleep 1000";
};

}  // namespace

// Whoever wants it ends, and is waited for meanwhile.
TEST_P(TakenBack, ATrialIsGivenUpWhileEtcdutlRestores) {
  make_snapshot(path_);
  const std::string etcdutl =
      script("etcdutl", "[ \"$1\" != snapshot ] && echo 'etcdutl version: 3.5.16' && exit\n" + stuck_);
  expect_given_up(*etcd_, etcdutl, program(), [this] { return pid() != 0; });
}

TEST_P(TakenBack, ATrialIsGivenUpWhileItsEtcdStarts) {
  make_snapshot(path_);
  expect_given_up(*etcd_, etcdutl_, script("stuck", stuck_), [this] { return pid() != 0; });
}

TEST_P(TakenBack, ATrialIsGivenUpWhileItsEtcdIsAsked) {
  make_snapshot(path_);
  fakes::FakeClock clock;
  Mute mute(clock, folder_ / "work/trial/data", [this] { return runs(); });
  expect_given_up(mute, etcdutl_, script("stuck", stuck_), [&] { return mute.asked.load(); });
  EXPECT_EQ(mute.statuses, 2) << "who answered first was another member";
}

INSTANTIATE_TEST_SUITE_P(Etcd, TakenBack, testing::Values("3.5.16"), name_of_release);

INSTANTIATE_TEST_SUITE_P(Etcd, RestoringAnywhere, testing::Values("3.5.16"), name_of_release);

}  // namespace quorate::integration
