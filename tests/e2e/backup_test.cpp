// quorate backup in front of real etcd, with nothing but endpoints and a folder: etcd's own tools take what it gives.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/contract/local_etcd.h"
#include "tests/fakes/s3_double.h"
#include "tests/integration/etcd_process.h"

namespace quorate::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kRelease = "3.5.16";

class BackupCommands : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (int seat = 0; seat < 3; ++seat) local_.add_seat();
    local_.found(3);
    for (int seat = 0; seat < 3; ++seat) ASSERT_TRUE(local_.wait_until_ready(seat)) << local_.log(seat);
    std::filesystem::create_directory(std::string(folder_ / "store"));
    for (int key = 0; key < 50; ++key) put("key" + std::to_string(key), std::string(20000, 'v'));
  }

  void put(const std::string& key, const std::string& value) {
    const Etcdctl etcdctl{GetParam(), local_.client_url(0), {}};
    ASSERT_EQ(etcdctl({"put", key, value}).exit_code, 0);
  }

  std::string endpoints() const {
    return local_.client_url(0) + "," + local_.client_url(1) + "," + local_.client_url(2);
  }

  Ended backup(std::vector<std::string> words, bool in_store = true) const {
    words.insert(words.begin(), {QUORATE_BINARY, "backup"});
    if (in_store) words.insert(words.end(), {"--store", "file://" + std::string(folder_ / "store")});
    words.insert(words.end(), {"--color", "never"});
    return run({words, {}});
  }
  Json backup_json(std::vector<std::string> words, int code = 0, bool in_store = true) const {
    words.insert(words.end(), {"-o", "json"});
    const Ended ended = backup(std::move(words), in_store);
    EXPECT_EQ(ended.exit_code, code) << ended.errors;
    return Json::parse(ended.output, nullptr, false);
  }
  Json create(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"create", "--endpoints", endpoints()});
    return backup_json(std::move(more));
  }
  std::string place(const std::string& name, const std::string& file) const {
    return std::string(folder_ / "store") + "/" + name + "/" + file;
  }

  TempDir folder_;
  contract::LocalEtcd local_{GetParam()};
};

void flip_a_byte(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(0, std::ios::end);
  const std::streamoff middle = file.tellg() / 2;
  file.seekg(middle);
  const char byte = static_cast<char>(file.get());
  file.seekp(middle);
  file.put(static_cast<char>(byte ^ 1));
}

}  // namespace

TEST_P(BackupCommands, MakeWhatEtcdsOwnToolsRestore) {
  const std::string key_file = folder_ / "key";
  write_file(key_file, std::string(64, 'a') + "\n");
  for (const std::vector<std::string>& how : {std::vector<std::string>{"--compress", "gzip"},
                                              {"--compress", "zstd", "--key-file", key_file},
                                              {"--compress", "none"}}) {
    put("changed", how[1]);
    const Json created = create(how);
    ASSERT_TRUE(created.is_object());
    EXPECT_EQ(created["skipped"], false);
    EXPECT_EQ(created["facts"]["revision_exact"], true);
    const std::string name = created["name"];
    const std::string snapshot = folder_ / (how[1] + ".db");
    const std::vector<std::string> key(how.begin() + 2, how.end());
    std::vector<std::string> words = {"download", name, "--out", snapshot};
    words.insert(words.end(), key.begin(), key.end());
    const Ended downloaded = backup(words);
    ASSERT_EQ(downloaded.exit_code, 0) << downloaded.errors;

    const Etcdctl etcdctl{kRelease, local_.client_url(0), {}};
    const Json status = Json::parse(etcdctl({"snapshot", "status", snapshot, "-w", "json"}).output, nullptr, false);
    EXPECT_EQ(status["revision"], created["facts"]["revision"]);
    const Ended restored = run({{tool_path("etcd-3.5.16/usr/bin/etcdutl"), "snapshot", "restore", snapshot,
                                 "--data-dir", std::string(folder_ / how[1])},
                                {}});
    EXPECT_EQ(restored.exit_code, 0) << restored.errors;

    EXPECT_EQ(backup(words).exit_code, 4) << "a file that is there stays";
    const Json inspected = backup_json({"inspect", snapshot}, 0, false);
    EXPECT_EQ(inspected["revision"], created["facts"]["revision"]);
    EXPECT_EQ(inspected["members"].size(), 3U);
  }
}

TEST_P(BackupCommands, WorkWithABucketToo) {
  fakes::S3Double server;
  server.make_bucket("etcd");
  const std::vector<std::string> variables = {"AWS_ENDPOINT_URL_S3=" + server.endpoint(),
                                              std::string("AWS_ACCESS_KEY_ID=") + fakes::S3Double::kAccess,
                                              std::string("AWS_SECRET_ACCESS_KEY=") + fakes::S3Double::kSecret};
  const auto in_bucket = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {QUORATE_BINARY, "backup"});
    words.insert(words.end(), {"--store", "s3://etcd/prod", "--color", "never"});
    return run({words, variables});
  };
  const Ended created = in_bucket({"create", "--endpoints", endpoints(), "-o", "json"});
  ASSERT_EQ(created.exit_code, 0) << created.errors;
  const std::string name = Json::parse(created.output)["name"];
  EXPECT_EQ(server.objects("etcd").count("prod/" + name + "/etcd.backup.gz"), 1U);
  EXPECT_EQ(server.uploads(), 0U);
  EXPECT_THAT(in_bucket({"list"}).output, HasSubstr(name));
  EXPECT_EQ(in_bucket({"verify", name}).exit_code, 0);
  const Ended downloaded = in_bucket({"download", name, "--out", folder_ / "s3.db"});
  EXPECT_EQ(downloaded.exit_code, 0) << downloaded.errors;
  const std::string bytes = server.objects("etcd").at("prod/" + name + "/etcd.backup.gz");
  server.set("etcd", "prod/" + name + "/etcd.backup.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(in_bucket({"verify", name}).exit_code, 12);
  server.fail({"GET", "/etcd", fakes::S3Fault::How::Says, 403, "AccessDenied", {}, 0, -1});
  EXPECT_EQ(in_bucket({"list"}).exit_code, 10);
}

TEST_P(BackupCommands, SkipWhatIsThereListAndVerifyIt) {
  const Json first = create();
  const Json second = create();
  EXPECT_EQ(second["skipped"], true);
  EXPECT_EQ(second["name"], first["name"]);
  const std::string name = first["name"];
  EXPECT_EQ(backup_json({"verify", name})["fine"], true);
  const Ended list = backup({"list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.output,
              AllOf(HasSubstr(name), HasSubstr("manual"), HasSubstr("checksum ok"), HasSubstr("1 backup")));
  const Json listed = backup_json({"list"});
  EXPECT_EQ(listed["backups"][0]["facts"]["revision"], first["facts"]["revision"]);
  const std::string meta = read_file(place(name, "_etcd_backup.meta"));
  EXPECT_THAT(meta, HasSubstr("{\n  \"etcdVersion\": \"" + GetParam() + "\",\n  \"timestamp\": \""));

  flip_a_byte(place(name, "etcd.backup.gz"));
  EXPECT_EQ(backup_json({"verify", name}, 12)["fine"], false);
  EXPECT_EQ(backup({"download", name, "--out", std::string(folder_ / "bad.db")}).exit_code, 12);
  EXPECT_FALSE(std::filesystem::exists(std::string(folder_ / "bad.db")));
  // One that is known to be bad is no backup. Names carry the second, so a new one may have to wait for the next.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  Ended again = backup({"create", "--endpoints", endpoints(), "-o", "json"});
  while (again.exit_code == 4 && std::chrono::steady_clock::now() < until) {
    again = backup({"create", "--endpoints", endpoints(), "-o", "json"});
  }
  EXPECT_THAT(again.output, HasSubstr("\"skipped\": false"));
}

TEST_P(BackupCommands, ProveByARestoreThatABackupIsGood) {
  put("one", "1");
  put("two", "2");
  const Json created = create();
  ASSERT_TRUE(created.is_object());
  EXPECT_GE(created["facts"]["keys"], 2);
  const std::string name = created["name"];
  const std::vector<std::string> words = {"verify",    name,
                                          "--how",     "restore",
                                          "--etcd",    etcd_program(GetParam()),
                                          "--etcdutl", tool_path("etcd-3.5.16/usr/bin/etcdutl"),
                                          "--scratch", folder_.path()};
  const Json proved = backup_json(words);
  EXPECT_EQ(proved["fine"], true) << proved;
  EXPECT_EQ(proved["how"], "restore");
  EXPECT_THAT(backup({"list"}).output, HasSubstr("restore ok"));

  // The backup is whole, and has other keys than were recorded.
  const std::string facts = place(name, "quorate.json");
  Json changed = Json::parse(read_file(facts));
  changed["keys"] = changed["keys"].get<int>() + 1;
  write_file(facts, changed.dump());
  const Json failed = backup_json(words, 12);
  EXPECT_EQ(failed["fine"], false);
  EXPECT_THAT(failed["why"].get<std::string>(), HasSubstr("keys, and"));
  EXPECT_THAT(backup({"list"}).output, HasSubstr("restore FAILED"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().filename().string().rfind("quorate-", 0), std::string::npos) << entry.path();
  }
}

TEST_P(BackupCommands, PruneWhatNothingKeeps) {
  std::vector<std::string> names;
  for (int each = 0; each < 4; ++each) {
    put("prune", std::to_string(each));
    names.push_back(create()["name"]);
  }
  EXPECT_EQ(backup({"pin", names[0], "--reason", "before 3.6"}).exit_code, 0);
  const Ended dry = backup({"prune", "--keep-last", "2", "--dry-run"});
  EXPECT_THAT(dry.output, AllOf(HasSubstr("1 backup"), HasSubstr("would be removed")));
  EXPECT_TRUE(std::filesystem::exists(place(names[1], "etcd.backup.gz")));
  EXPECT_EQ(backup({"prune", "--keep-last", "2", "--cluster-id", "1"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(place(names[1], "etcd.backup.gz"))) << "another cluster's";
  EXPECT_EQ(backup({"prune", "--keep-last", "2", "--endpoints", endpoints()}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(place(names[1], "")));
  EXPECT_EQ(backup_json({"list"})["backups"].size(), 3U);
}

// Where agents have a file in force, the store is held against them; a cluster without agents is not written to.
TEST_P(BackupCommands, KeepOutOfTheWayOfAgents) {
  const auto keys_of_ours = [&] {
    const Etcdctl etcdctl{GetParam(), local_.client_url(0), {}};
    return etcdctl({"get", "--prefix", "/quorate/", "--keys-only"}).output;
  };
  const Json first = create();
  EXPECT_EQ(keys_of_ours(), "");
  put("/quorate/in-force", "a file");
  put("/quorate/store-lock", "another");
  put("changed", "once");
  const Ended refused = backup({"create", "--endpoints", endpoints()});
  EXPECT_EQ(refused.exit_code, 8) << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("another agent works on the store"));
  EXPECT_EQ(backup({"prune", "--keep-last", "1", "--endpoints", endpoints()}).exit_code, 8);
  const Etcdctl etcdctl{GetParam(), local_.client_url(0), {}};
  ASSERT_EQ(etcdctl({"del", "/quorate/store-lock"}).exit_code, 0);
  EXPECT_EQ(create()["skipped"], false);
  EXPECT_EQ(backup({"prune", "--keep-last", "1", "--endpoints", endpoints()}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(place(first["name"], "_etcd_backup.meta")));
  EXPECT_THAT(keys_of_ours(), testing::Not(HasSubstr("store-lock"))) << "it was given back";
}

TEST_P(BackupCommands, EndWithTheirOwnCodes) {
  const Ended empty = backup({"show", "latest"});
  EXPECT_EQ(empty.exit_code, 10) << "an empty folder may be a disk that is not mounted";
  EXPECT_THAT(empty.errors, HasSubstr("touch " + std::string(folder_ / "store") + "/.quorate-store"));
  write_file(folder_ / "store/.quorate-store", "");
  EXPECT_EQ(backup({"show", "latest"}).exit_code, 11);
  EXPECT_EQ(backup({"list"}, false).exit_code, 64);
  EXPECT_EQ(backup({"list", "--store", "file:///nowhere/at/all"}, false).exit_code, 10);
  EXPECT_EQ(backup({"prune"}).exit_code, 64);
  EXPECT_EQ(backup({"create", "--endpoints", "http://127.0.0.1:1"}).exit_code, 6);
}

INSTANTIATE_TEST_SUITE_P(Etcd, BackupCommands, testing::ValuesIn(kEtcdReleases), name_of_release);

}  // namespace quorate::integration
