// Data directories of real etcd, running, stopped, killed and broken, as our own reader sees them.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "reconciler/adapters/system/node.h"
#include "reconciler/base/byte_source.h"
#include "tests/integration/etcd_process.h"
#include "tests/integration/wal_file.h"

namespace quorate::integration {
namespace {

using model::DataDir;
using model::DataState;

class RealDataDir : public testing::TestWithParam<std::string> {
 protected:
  void start(std::vector<std::string> flags = {}) {
    const std::string peer = "http://" + own_address(1) + ":" + std::to_string(peer_port_);
    Command command{{etcd_program(GetParam()), "--name=a", "--data-dir=" + data_, "--initial-cluster=a=" + peer,
                     "--listen-client-urls=" + client_.endpoint, "--advertise-client-urls=" + client_.endpoint,
                     "--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer},
                    {}};
    command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
    etcd_ = std::make_unique<EtcdProcess>(command);
  }
  void start_and_wait(const std::vector<std::string>& flags = {}) {
    start(flags);
    ASSERT_TRUE(etcd_->wait_until_ready()) << etcd_->log();
  }
  void kill() { etcd_->kill(); }

  void put(int number, std::size_t size = 10) {
    for (int at = 0; at < number; ++at) {
      ASSERT_EQ(client_({"put", "key" + std::to_string(at), std::string(size, 'x')}).exit_code, 0);
    }
  }
  Json status() { return client_.json({"endpoint", "status"})[0]["Status"]; }

  base::Result<DataDir> look() { return node_->data_dir(data_, wal_); }
  DataDir seen() {
    const auto dir = look();
    EXPECT_TRUE(dir) << dir.error().message;
    return dir.value_or(DataDir{});
  }
  // Etcd writes its database every 100 ms: looks until it has caught up.
  DataDir seen_with_revision(std::int64_t revision) {
    const auto deadline = std::chrono::steady_clock::now() + Seconds(10);
    DataDir dir = seen();
    while (dir.revision != revision && std::chrono::steady_clock::now() < deadline) dir = seen();
    return dir;
  }

  std::string segment() const { return last_segment(wal_.empty() ? data_ + "/member/wal" : wal_); }
  // The last record of at least that size.
  static std::size_t last_record(const std::string& log, std::size_t size) {
    std::size_t found = 0;
    for (const std::size_t at : record_offsets(log)) {
      const auto length = base::little_endian<std::uint64_t>(log.data() + at);
      if ((length & 0x00FFFFFFFFFFFFFF) >= size) found = at;
    }
    return found;
  }

  TempDir folder_;
  std::string data_ = folder_ / "data";
  std::string wal_;
  int peer_port_ = free_port();
  Etcdctl client_{GetParam(), "http://" + own_address(1) + ":" + std::to_string(free_port()), {}};
  std::unique_ptr<EtcdProcess> etcd_;
  std::unique_ptr<ports::Node> node_ = adapters::system::make_node();
};

void expect_same(const DataDir& dir, const Json& status) {
  EXPECT_EQ(dir.state, DataState::Valid) << dir.problem;
  EXPECT_EQ(dir.cluster.value, status["header"]["cluster_id"].get<std::uint64_t>());
  EXPECT_EQ(dir.member.value, status["header"]["member_id"].get<std::uint64_t>());
  EXPECT_EQ(dir.term, status["raftTerm"].get<std::uint64_t>());
  EXPECT_EQ(dir.last_term, dir.term);
  EXPECT_GE(dir.last_index, status["raftIndex"].get<std::uint64_t>());
  EXPECT_LE(dir.commit, dir.last_index);
  EXPECT_LE(dir.consistent_index, dir.last_index);
  EXPECT_LE(dir.revision, status["header"]["revision"].get<std::int64_t>());
}

}  // namespace

TEST_P(RealDataDir, SaysTheSameAsTheMemberThatRunsOnIt) {
  start_and_wait();
  put(20);
  const Json status = this->status();
  const DataDir dir = seen_with_revision(21);
  expect_same(dir, status);
  EXPECT_EQ(dir.revision, 21);
  EXPECT_FALSE(dir.torn);

  kill();
  const DataDir killed = seen();
  expect_same(killed, status);
  EXPECT_EQ(killed.revision, 21);
}

TEST_P(RealDataDir, KeepsUpWithSnapshotsAndRestarts) {
  start_and_wait({"--snapshot-count=10"});
  put(35);
  kill();
  const DataDir dir = seen();
  EXPECT_EQ(dir.state, DataState::Valid) << dir.problem;
  EXPECT_GE(dir.snapshot_index, 20U);
  EXPECT_LE(dir.snapshot_index, dir.commit);
  EXPECT_GE(dir.consistent_index, dir.snapshot_index);

  start_and_wait({"--snapshot-count=10"});
  put(1);
  expect_same(seen(), status());
  EXPECT_GT(seen().term, dir.term);
}

TEST_P(RealDataDir, IsNotDamagedWhileMuchIsWrittenToIt) {
  start_and_wait({"--snapshot-count=500"});
  const Process load({{tool_path("etcd-" + GetParam() + "/usr/bin/etcdctl"), "--endpoints=" + client_.endpoint, "check",
                       "perf", "--load=l"},
                      {"ETCDCTL_API=3"}});
  const auto deadline = std::chrono::steady_clock::now() + Seconds(6);
  std::uint64_t last = 0;
  std::int64_t revision = 0;
  int looks = 0;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto dir = look();
    ASSERT_TRUE(dir) << dir.error().message;
    ASSERT_EQ(dir->state, DataState::Valid) << dir->problem;
    ASSERT_GE(dir->last_index, last);
    ASSERT_GE(dir->revision, revision);
    last = dir->last_index;
    revision = dir->revision;
    ++looks;
  }
  EXPECT_GT(looks, 10);
  EXPECT_GT(revision, 500);
}

TEST_P(RealDataDir, ReadsALogOfSeveralSegments) {
  start_and_wait();
  const std::string value = folder_ / "value";
  write_file(value, std::string(1'000'000, 'x'));
  const Command fill{{"sh", "-c", "for i in $(seq 70); do \"$0\" --endpoints=$1 put key <$2 >/dev/null || exit 1; done",
                      tool_path("etcd-" + GetParam() + "/usr/bin/etcdctl"), client_.endpoint, value},
                     {"ETCDCTL_API=3"}};
  ASSERT_EQ(run(fill).exit_code, 0);
  const Json status = this->status();
  expect_same(seen(), status);
  kill();
  expect_same(seen(), status);
  EXPECT_EQ(segment().find("0000000000000000-"), std::string::npos);

  std::filesystem::remove(data_ + "/member/wal/0000000000000000-0000000000000000.wal");
  const DataDir dir = seen();
  EXPECT_EQ(dir.state, DataState::Damaged);
  EXPECT_NE(dir.problem.find("no whole snapshot"), std::string::npos) << dir.problem;
}

TEST_P(RealDataDir, KeepsItsLogInAFolderOfItsOwn) {
  wal_ = folder_ / "wal";
  start_and_wait({"--wal-dir=" + wal_});
  put(3);
  expect_same(seen(), status());
  kill();
  EXPECT_EQ(seen().state, DataState::Valid);
  EXPECT_EQ(node_->data_dir(data_, "")->state, DataState::Damaged) << "whoever forgets the other folder is told";
}

TEST_P(RealDataDir, IsFreshWhenEmptiedAndWhenGone) {
  EXPECT_EQ(seen().state, DataState::Fresh);
  start_and_wait();
  kill();
  std::filesystem::remove_all(data_ + "/member");
  EXPECT_EQ(seen().state, DataState::Fresh);
  std::filesystem::remove_all(data_);
  EXPECT_EQ(seen().state, DataState::Fresh);
}

TEST_P(RealDataDir, IsDamagedByOneBit_AsEtcdFindsToo) {
  start_and_wait();
  put(20, 700);
  kill();
  std::string log = read_file(segment());
  const std::size_t record = last_record(log.substr(0, 9000), 700);
  log[record + 300] = static_cast<char>(log[record + 300] ^ 1);
  write_file(segment(), log);
  const DataDir dir = seen();
  EXPECT_EQ(dir.state, DataState::Damaged);
  EXPECT_EQ(dir.problem,
            segment() + " at offset " + std::to_string(record) + ": the checksum of the record does not match");
  start();
  EXPECT_FALSE(etcd_->wait_until_ready());
}

TEST_P(RealDataDir, IsTornWhereTheLastRecordWasNotWritten_AsEtcdRepairs) {
  start_and_wait();
  put(3, 6000);
  kill();
  const DataDir whole = seen();
  std::string log = read_file(segment());
  const std::size_t record = last_record(log, 6000);
  const std::size_t sector = (record + 3000 + 511) / 512 * 512;
  std::fill(log.begin() + static_cast<std::ptrdiff_t>(sector), log.end(), '\0');
  write_file(segment(), log);
  DataDir dir = seen();
  EXPECT_EQ(dir.state, DataState::Valid) << dir.problem;
  EXPECT_TRUE(dir.torn);
  EXPECT_EQ(dir.last_index, whole.last_index - 1);

  log.resize(record + 3000);  // and where the file ends there
  write_file(segment(), log);
  dir = seen();
  EXPECT_TRUE(dir.torn);
  EXPECT_EQ(dir.state, DataState::Valid) << dir.problem;

  start_and_wait();
  EXPECT_FALSE(seen().torn);
  EXPECT_EQ(seen().state, DataState::Valid) << seen().problem;
}

TEST_P(RealDataDir, IsDamagedWithATruncatedDatabase) {
  start_and_wait();
  put(20, 5000);
  kill();
  const std::string db = data_ + "/member/snap/db";
  std::filesystem::resize_file(db, std::size_t{8} * 4096);  // etcd sets space aside: only the front is in use
  const DataDir dir = seen();
  EXPECT_EQ(dir.state, DataState::Damaged);
  EXPECT_NE(dir.problem.find(db + ": the file ends after "), std::string::npos) << dir.problem;
  std::filesystem::remove(db);
  EXPECT_EQ(seen().problem, db + " is not there");
}

TEST_P(RealDataDir, BelongsToAProcessThatIsFound) {
  model::Member member;
  member.name = "a";
  member.data_dir = data_;
  EXPECT_FALSE(node_->process_of(member)->running);
  start_and_wait();
  const auto process = node_->process_of(member);
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_TRUE(process->running);
  EXPECT_EQ(process->version, GetParam());
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(process->pid) + "/exe"),
            std::filesystem::canonical(etcd_program(GetParam())));
  EXPECT_EQ(node_->binary(etcd_program(GetParam()))->version, GetParam());
  member.data_dir = folder_ / "other";
  EXPECT_FALSE(node_->process_of(member)->running);
  kill();
  member.data_dir = data_;
  EXPECT_FALSE(node_->process_of(member)->running);
}

INSTANTIATE_TEST_SUITE_P(Releases, RealDataDir, testing::ValuesIn(kEtcdReleases), name_of_release);

}  // namespace quorate::integration
