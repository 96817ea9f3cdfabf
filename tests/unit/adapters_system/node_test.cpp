// The machine that the test runs on: files, certificates, programs, disks, addresses, threads, time.
#include "reconciler/adapters/system/node.h"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "reconciler/adapters/system/local_host.h"
#include "reconciler/adapters/system/program.h"
#include "reconciler/adapters/system/program_version.h"
#include "tests/support/temp_folder.h"

namespace quorate::adapters::system {
namespace {

constexpr base::Duration kLong{30'000};

class ThisMachine : public testing::Test {
 protected:
  // Writes a self-signed certificate and gives its text.
  std::string certificate(const std::string& name, int days) {
    const std::string file = folder_ / name;
    const auto made = run_program(
        {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
         file + ".key", "-out", file, "-days", std::to_string(days), "-subj", "/O=system:masters/CN=" + name},
        "", kLong);
    EXPECT_TRUE(made && made->status == 0);
    return node_->read_file(file).value()->content;
  }
  std::string program(const std::string& name, const std::string& script) {
    const std::string file = folder_ / name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    ::chmod(file.c_str(), 0755);
    return file;
  }

  tests::TempFolder folder_;
  std::unique_ptr<ports::Node> node_ = make_node();
};

}  // namespace

TEST_F(ThisMachine, ReadsFilesAndSaysWhichAreNotThere) {
  std::ofstream(folder_ / "file") << "content";
  ::chmod((folder_ / "file").c_str(), 0640);
  const auto file = node_->read_file(folder_ / "file");
  ASSERT_TRUE(file && *file);
  EXPECT_EQ((*file)->content, "content");
  EXPECT_EQ((*file)->mode, 0640);
  EXPECT_TRUE((*file)->owned_by_us);
  const auto other = node_->read_file(folder_ / "other");
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
  EXPECT_FALSE(node_->read_file(folder_.path())) << "a folder is no file";
  EXPECT_FALSE(node_->read_file(folder_ / "file/below"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(node_->read_file(folder_ / "pipe")) << "and nobody waits for a writer";
}

TEST_F(ThisMachine, ReadsWhenCertificatesEnd) {
  const std::string early = certificate("early", 10);
  const std::string late = certificate("late", 400);
  std::ofstream(folder_ / "both") << late << early;
  const auto leaf = node_->certificate(folder_ / "both", "client");
  ASSERT_TRUE(leaf) << leaf.error().message;
  EXPECT_EQ(leaf->subject, "CN=late,O=system:masters");
  EXPECT_EQ(leaf->use, "client");
  EXPECT_EQ(leaf->not_after - leaf->not_before, std::chrono::hours(24 * 400));
  const auto ca = node_->certificate(folder_ / "both", "ca");
  ASSERT_TRUE(ca);
  EXPECT_EQ(ca->subject, "CN=early,O=system:masters");
  EXPECT_NEAR(static_cast<double>((ca->not_before - make_clock()->now()).count()), 0, 120'000);
}

TEST_F(ThisMachine, SaysWhatIsWrongWithACertificate) {
  const std::string whole = certificate("whole", 10);
  const auto message = [&](const std::string& name) {
    return node_->certificate(folder_ / name, "ca").error().message;
  };
  EXPECT_EQ(message("absent"), "the certificate " + (folder_ / "absent") + " is not there");
  EXPECT_EQ(message("whole.key"), (folder_ / "whole.key") + " holds no certificate in PEM");
  std::ofstream(folder_ / "empty") << "";
  EXPECT_EQ(message("empty"), (folder_ / "empty") + " holds no certificate in PEM");
  std::ofstream(folder_ / "cut") << whole << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(message("cut"), "a certificate in " + (folder_ / "cut") + " is damaged");
  std::string changed = whole;
  changed[60] = changed[60] == 'A' ? 'B' : 'A';
  changed[30] = '!';
  std::ofstream(folder_ / "changed") << changed;
  EXPECT_EQ(message("changed"), "a certificate in " + (folder_ / "changed") + " is damaged");
}

TEST_F(ThisMachine, AsksBinariesForTheirVersion) {
  const auto etcd = node_->binary(program("etcd", "echo 'etcd Version: 3.5.16'; echo 'Git SHA: x'"));
  ASSERT_TRUE(etcd) << etcd.error().message;
  EXPECT_EQ(etcd->version, "3.5.16");
  const auto tool = node_->binary(
      program("etcdutl",
              "[ $1 = version ] && echo 'etcdutl version: 3.6.1' || { echo 'Error: unknown flag: $1' >&2; exit 1; }"));
  ASSERT_TRUE(tool) << tool.error().message;
  EXPECT_EQ(tool->version, "3.6.1");
}

TEST_F(ThisMachine, DoesNotBelieveWhatIsNoEtcd) {
  EXPECT_FALSE(node_->binary(folder_ / "absent"));
  EXPECT_FALSE(node_->binary(program("silent", "exit 0")));
  EXPECT_FALSE(node_->binary(program("wrong", "echo 'etcd Version: newest'")));
  EXPECT_FALSE(node_->binary("quorate-no-such-program"));
  EXPECT_EQ(version_in("etcd Version: 3.6.0-rc.1\n"), "3.6.0-rc.1");
  EXPECT_FALSE(version_in("not etcd Version: 3.6.0\n"));
}

TEST_F(ThisMachine, DoesNotRunWhatOthersCouldHavePutThere) {
  const std::string mark = folder_ / "mark";
  const std::string path = program("etcd-of-others", "touch '" + mark + "'; echo 'etcd Version: 3.5.16'");
  std::filesystem::permissions(path, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  const auto binary = node_->binary(path);
  ASSERT_FALSE(binary);
  EXPECT_NE(binary.error().message.find("others may write to " + path), std::string::npos) << binary.error().message;
  std::filesystem::permissions(path, std::filesystem::perms::others_write, std::filesystem::perm_options::remove);
  std::filesystem::create_directory(folder_ / "open");
  std::filesystem::rename(path, folder_ / "open/etcd");
  std::filesystem::permissions(folder_ / "open", std::filesystem::perms::all);
  std::filesystem::create_symlink(folder_ / "open/etcd", folder_ / "link");
  EXPECT_FALSE(node_->binary(folder_ / "open/etcd"));
  EXPECT_FALSE(node_->binary(folder_ / "link"));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(ThisMachine, GivesUpOnABinaryThatDoesNotAnswer) {
  const auto binary = node_->binary(program("slow", "sleep 30"));
  ASSERT_FALSE(binary);
  EXPECT_NE(binary.error().message.find("did not end within 2s"), std::string::npos) << binary.error().message;
}

TEST_F(ThisMachine, MeasuresTheDiskOfWhatWillBeThere) {
  const auto space = node_->disk_space(folder_ / "not/yet/there");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_GT(space->total_bytes, 0U);
  EXPECT_LE(space->free_bytes, space->total_bytes);
  EXPECT_EQ(space->path, folder_ / "not/yet/there");
}

TEST_F(ThisMachine, KnowsWhoLivesHere) {
  model::Member member;
  member.node = "node-of-nobody";
  for (const char* address : {"127.0.0.1", "127.3.2.1", "::1", "localhost"}) {
    member.address = address;
    EXPECT_TRUE(node_->is_here(member)) << address;
  }
  member.address = "192.0.2.1";
  EXPECT_FALSE(node_->is_here(member));
  for (const std::string& address : local_host().addresses) {
    member.address = address;
    EXPECT_TRUE(node_->is_here(member)) << address;
  }
}

TEST(LocalHost, IsKnownByItsNameAndItsAddresses) {
  const LocalHost host{"Node-1.example.org", {"10.0.0.1", "2001:db8::1"}};
  const auto lives = [&](const std::string& node, const std::string& address) {
    model::Member member;
    member.node = node;
    member.address = address;
    return lives_on(host, member);
  };
  EXPECT_TRUE(lives("node-1", "192.0.2.1"));
  EXPECT_TRUE(lives("node-1.example.org", "192.0.2.1"));
  EXPECT_TRUE(lives("x", "2001:DB8:0::1"));
  EXPECT_TRUE(lives("x", "node-1.example.org"));
  EXPECT_FALSE(lives("node-1.example.com", "192.0.2.1"));
  EXPECT_FALSE(lives("node-11", "10.0.0.11"));
  EXPECT_FALSE(lives_on(LocalHost{}, model::Member{}));
}

TEST(Parallel, DoesEveryJobOnceAndSeveralAtATime) {
  std::atomic<int> done{0};
  make_parallel()->run(std::vector<std::function<void()>>(1000, [&] { ++done; }));
  EXPECT_EQ(done, 1000);
  make_parallel()->run({});

  // Each waits for the others: this ends only when all four run at once.
  std::mutex mutex;
  std::condition_variable changed;
  int there = 0;
  const auto meet = [&] {
    std::unique_lock lock(mutex);
    ++there;
    changed.notify_all();
    changed.wait(lock, [&] { return there == 4; });
  };
  make_parallel(4)->run({meet, meet, meet, meet});
  EXPECT_EQ(there, 4);
}

// A look that hangs, and one beside it that must not wait for it.
TEST(Parallel, AJobThatHangsHoldsNoOtherCallUp) {
  const auto parallel = make_parallel(2);
  std::promise<void> hangs;
  std::promise<void> end;
  std::thread first([&] { parallel->run({[&] { end.get_future().wait(); }, [&] { hangs.set_value(); }}); });
  hangs.get_future().wait();
  std::promise<void> met;
  parallel->run({[&] { met.get_future().wait(); }, [&] { met.set_value(); }});
  end.set_value();
  first.join();
}

TEST(Parallel, KeepsToItsNumberOfThreads) {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  make_parallel(3)->run(std::vector<std::function<void()>>(500, [&] {
    const int running = ++now;
    int seen = most;
    while (running > seen && !most.compare_exchange_weak(seen, running)) {
    }
    --now;
  }));
  EXPECT_LE(most, 3);
}

TEST(Clock, TellsTheTimeInMilliseconds) {
  const auto clock = make_clock();
  const auto first = clock->now();
  EXPECT_GT(first, *base::parse_time("2025-01-01T00:00:00Z"));
  EXPECT_LE(first, clock->now() + std::chrono::seconds(1));
}

}  // namespace quorate::adapters::system
