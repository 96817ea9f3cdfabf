// The commands that look at a cluster, in front of real etcd: what they print and how they end.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "renderers/registry.h"
#include "tests/integration/certificates.h"
#include "tests/integration/etcd_process.h"
#include "tests/integration/rendered_cluster.h"

namespace quorate::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kRelease = "3.5.16";

class Lab {
 public:
  Lab(int members, const std::string& tls) {
    std::string text = local_cluster(kRelease, members, folder);
    const std::string off = "tls: {mode: \"off\"}\n";
    if (!tls.empty()) text.replace(text.find(off), off.size(), tls);
    write_file(file(), text);
    cluster = std::make_unique<RenderedCluster>(text, folder / "state");
  }

  void start() {
    for (const model::Member& member : cluster->members()) {
      const std::string config = renderers::config_path(folder / "state", cluster->desired(), member);
      const auto bundle = renderers::render_member({cluster->desired(), member, renderers::BootNew{"lab-e2e"}, config});
      for (const renderers::File& each : bundle->files) write_file(each.path, each.content, each.mode);
      running.push_back(std::make_unique<EtcdProcess>(etcd_with_config_file(kRelease, config)));
    }
    for (const auto& etcd : running) ASSERT_TRUE(etcd->wait_until_ready()) << etcd->log();
  }

  std::string file() const { return folder / "quorate.yaml"; }
  std::string url(std::size_t member) const { return base::to_string(cluster->members()[member].client_urls.front()); }

  Ended quorate(std::vector<std::string> words) const {
    words.insert(words.begin(), QUORATE_BINARY);
    words.insert(words.end(), {"-f", file(), "--color", "never"});
    return run({words, {}});
  }
  Ended looking(std::vector<std::string> words) const {
    words.insert(words.end(), {"--state-dir", folder / "state"});
    return quorate(std::move(words));
  }

  TempDir folder;
  std::unique_ptr<RenderedCluster> cluster;
  std::vector<std::unique_ptr<EtcdProcess>> running;
};

class ClusterCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    lab_ = new Lab(3, "");
    lab_->start();
    const std::string key = lab_->folder / "signer";
    ASSERT_EQ(run({{"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ops", "-f", key}, {}}).exit_code, 0);
    std::string line = read_file(key + ".pub");
    write_file(lab_->folder / "signers", "ops@example.com namespaces=\"quorate-observation\" " + line);
  }
  static void TearDownTestSuite() {
    delete lab_;
    lab_ = nullptr;
  }

  // A fresh observation, signed or not, in a file of its own.
  static std::string observed(bool is_signed) {
    std::vector<std::string> words = {"observe", "--out", lab_->folder / "observed.json"};
    if (is_signed) words.insert(words.end(), {"--sign", lab_->folder / "signer"});
    const Ended ended = lab_->looking(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return lab_->folder / "observed.json";
  }

  static Lab* lab_;
};

Lab* ClusterCommands::lab_ = nullptr;

void replace_in(const std::string& path, const std::string& what, const std::string& with) {
  std::string text = read_file(path);
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  write_file(path, text.replace(at, what.size(), with));
}

}  // namespace

TEST_F(ClusterCommands, PlanOfAClusterThatIsRightIsEmpty) {
  const Ended ended = lab_->looking({"plan", "--exit-code"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("No changes. lab matches"), HasSubstr("3 of 3 members checked")));
}

TEST_F(ClusterCommands, PlanNamesTheEndpointThatIsDead) {
  const Ended ended = lab_->looking({"plan", "--endpoints", "http://127.0.0.1:1"});
  EXPECT_EQ(ended.exit_code, 6);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("http://127.0.0.1:1"), HasSubstr("efused")));
}

TEST_F(ClusterCommands, OneDeadEndpointAmongOthersIsOnlyMentioned) {
  const Ended ended = lab_->looking({"plan", "--endpoints", "http://127.0.0.1:1," + lab_->url(0)});
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
}

TEST_F(ClusterCommands, EveryFormatOfAPlanIsPrinted) {
  for (const char* format : {"text", "wide", "json", "yaml", "markdown", "github", "sarif", "junit"}) {
    const Ended ended = lab_->looking({"plan", "-o", format});
    EXPECT_EQ(ended.exit_code, 0) << format << ended.errors;
  }
}

TEST_F(ClusterCommands, SavedPlansAreShownWithoutTheCluster) {
  const std::string plan = lab_->folder / "plan.json";
  ASSERT_EQ(lab_->looking({"plan", "--out", plan}).exit_code, 0);
  const Ended shown = lab_->quorate({"show", plan});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.output, HasSubstr("No changes. lab matches"));
  EXPECT_EQ(lab_->quorate({"show", plan, "-o", "json"}).output, read_file(plan));
}

TEST_F(ClusterCommands, AnObservationTakesThePlaceOfTheCluster) {
  const Ended ended = lab_->looking({"plan", "--observed", observed(false), "--exit-code", "-o", "json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_FALSE(nlohmann::json::parse(ended.output)["applicable"].get<bool>());
}

TEST_F(ClusterCommands, SignedObservationsAreAcceptedWhereTheSignerIsKnown) {
  const Ended ended =
      lab_->looking({"plan", "--observed", observed(true), "--observed-signers", lab_->folder / "signers"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
}

TEST_F(ClusterCommands, TamperedObservationsAreNotTrusted) {
  const std::string file = observed(true);
  replace_in(file, "3.5.16", "3.5.21");
  const Ended ended = lab_->looking({"plan", "--observed", file, "--observed-signers", lab_->folder / "signers"});
  EXPECT_EQ(ended.exit_code, 9) << ended.output << ended.errors;
  EXPECT_THAT(ended.errors, Not(testing::IsEmpty()));
}

TEST_F(ClusterCommands, UnsignedObservationsAreNotTrustedWhereSignersAreNamed) {
  const Ended ended =
      lab_->looking({"plan", "--observed", observed(false), "--observed-signers", lab_->folder / "signers"});
  EXPECT_EQ(ended.exit_code, 9) << ended.output << ended.errors;
}

TEST_F(ClusterCommands, TruncatedObservationsAreInvalid) {
  const std::string file = observed(false);
  const std::string text = read_file(file);
  write_file(file, text.substr(0, text.size() / 2));
  const Ended ended = lab_->looking({"plan", "--observed", file});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.errors, HasSubstr("observed.json"));
}

TEST_F(ClusterCommands, OldObservationsSayNothing) {
  const std::string file = observed(false);
  auto json = nlohmann::ordered_json::parse(read_file(file));
  json["at"] = "2020-01-01T00:00:00Z";
  write_file(file, json.dump(2));
  const Ended ended = lab_->looking({"plan", "--observed", file, "--max-age", "10m"});
  EXPECT_EQ(ended.exit_code, 6);
  EXPECT_THAT(ended.output, HasSubstr("F1"));
}

TEST_F(ClusterCommands, AnotherClusterThanTheOneToAdoptIsRefused) {
  const std::string other = lab_->folder / "other.yaml";
  write_file(other, read_file(lab_->file()) + "adopt: {stage: observe, clusterId: abc123, endpoints: [\"" +
                        lab_->url(0) + "\"]}\n");
  const Ended ended = run({{QUORATE_BINARY, "plan", "-f", other}, {}});
  EXPECT_EQ(ended.exit_code, 4) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("adopt.clusterId is abc123"));
}

TEST_F(ClusterCommands, DriftEndsWith2WhereTheFileWantsSomethingElse) {
  EXPECT_EQ(lab_->looking({"drift"}).exit_code, 0);
  const std::string changed = lab_->folder / "changed.yaml";
  std::string text = read_file(lab_->file());
  text.replace(text.find(kRelease), kRelease.size(), "3.5.21");
  write_file(changed, text);
  const Ended ended = run({{QUORATE_BINARY, "drift", "-f", changed, "--state-dir", lab_->folder / "state"}, {}});
  EXPECT_EQ(ended.exit_code, 2) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("OutOfSync"), HasSubstr("3.5.16, wanted 3.5.21")));
  EXPECT_EQ(lab_->looking({"drift", "--endpoints", "http://127.0.0.1:1"}).exit_code, 6);
}

TEST_F(ClusterCommands, StatusShowsEveryMember) {
  const Ended ended = lab_->looking({"status"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("Synced with"), HasSubstr("HEALTHY, can lose 1 of 3"), HasSubstr("leader"),
                                  HasSubstr("3.5.16")));
}

TEST_F(ClusterCommands, MemberListNeedsNoFile) {
  const Ended ended = run({{QUORATE_BINARY, "member", "list", "--endpoints", lab_->url(0), "-o", "json"}, {}});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(nlohmann::json::parse(ended.output)["members"].size(), 3U);
}

// Last, because the cluster is not what it was after it.
TEST_F(ClusterCommands, ZzAMemberThatIsSilentIsHeldAndNamed) {
  lab_->running[2]->kill();
  // It may have led: the others elect, and serve reads, within a few seconds.
  const auto serves = [&] { return lab_->looking({"status"}).output.find("AT RISK") != std::string::npos; };
  for (const auto end = std::chrono::steady_clock::now() + Seconds(20); !serves();) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
  }
  const Ended plan = lab_->looking({"plan", "--exit-code"});
  EXPECT_THAT(plan.output, HasSubstr("its data are whole; it only has to be started")) << plan.errors;
  const Ended far = run({{QUORATE_BINARY, "member", "list", "--endpoints", lab_->url(0), "-o", "wide"}, {}});
  EXPECT_THAT(far.output, HasSubstr("efused"));
  const Ended status = lab_->looking({"status"});
  EXPECT_THAT(status.output, AllOf(HasSubstr("AT RISK, can lose 0 of 3"), HasSubstr("down")));
  EXPECT_EQ(lab_->looking({"drift"}).exit_code, 2);
}

TEST(LearnerCommands, ALearnerAloneCannotSpeakForTheCluster) {
  Lab lab(1, "");
  lab.start();
  const std::string peer = "http://" + own_address(2) + ":" + std::to_string(free_port(2));
  const std::string client = "http://" + own_address(2) + ":" + std::to_string(free_port(2));
  const Etcdctl ctl{kRelease, lab.url(0), {}};
  const Ended added = ctl({"member", "add", "x", "--learner", "--peer-urls=" + peer});
  ASSERT_EQ(added.exit_code, 0) << added.errors;
  const std::string own_peer = base::to_string(lab.cluster->members()[0].peer_urls.front());
  EtcdProcess learner(
      {{etcd_program(kRelease), "--name=x", "--data-dir=" + lab.folder / "x", "--listen-peer-urls=" + peer,
        "--initial-advertise-peer-urls=" + peer, "--listen-client-urls=" + client, "--advertise-client-urls=" + client,
        "--logger=zap", "--log-outputs=stderr", "--initial-cluster-state=existing",
        "--initial-cluster=a=" + own_peer + ",x=" + peer},
       {}});
  ASSERT_TRUE(learner.wait_until_ready()) << learner.log();
  const Ended alone = lab.looking({"plan", "--endpoints", client});
  EXPECT_EQ(alone.exit_code, 6) << alone.output << alone.errors;
  EXPECT_THAT(alone.output, HasSubstr("learner"));
  const Ended together = lab.looking({"plan", "--endpoints", client + "," + lab.url(0)});
  EXPECT_EQ(together.exit_code, 0) << together.output << together.errors;
  EXPECT_THAT(together.output, HasSubstr("member x"));
}

TEST(PatientCommands, SayWhatTheyWaitForAndWaitOnce) {
  Lab lab(1, "");
  lab.start();
  lab.running[0]->pause();
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = lab.quorate({"member", "list", "--command-timeout", "3s"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, Seconds(6));
  EXPECT_EQ(ended.exit_code, 6) << ended.output;
  EXPECT_THAT(ended.errors, HasSubstr("waiting for " + lab.url(0)));
}

TEST(SecuredCommands, AWrongAuthorityAndAnExpiredCertificateAreToldApart) {
  Lab lab(1, "tls: {dir: /nowhere}\n");
  const std::string pki = lab.folder / "pki";
  const std::string text = read_file(lab.file());
  const std::string nowhere = "/nowhere";
  std::string own = text;
  own.replace(own.find(nowhere), nowhere.size(), pki);
  write_file(lab.file(), own);
  lab.cluster = std::make_unique<RenderedCluster>(own, lab.folder / "state");
  const Authority authority(pki, "ca");
  for (const char* name : {"server", "peer", "client"}) {
    authority.issue(pki + "/" + name + ".crt", pki + "/" + name + ".key", {own_address(1), "127.0.0.1"});
  }
  const model::Tls& wanted = lab.cluster->desired().tls;
  for (const model::TlsFiles* files : {&wanted.client, &wanted.peer}) {
    authority.issue(files->cert, files->key, {own_address(1), "127.0.0.1"});
    write_file(files->ca, read_file(authority.certificate()));
  }
  lab.start();
  const Ended good = lab.looking({"plan", "--exit-code"});
  EXPECT_EQ(good.exit_code, 0) << good.output << good.errors;

  const Authority stranger(lab.folder / "other", "stranger");
  const Ended wrong = lab.looking({"plan", "--cacert", stranger.certificate()});
  EXPECT_EQ(wrong.exit_code, 6) << wrong.errors;

  authority.issue(pki + "/old.crt", pki + "/old.key", {own_address(1)}, -1);
  const Ended old =
      lab.looking({"plan", "--cacert", authority.certificate(), "--cert", pki + "/old.crt", "--key", pki + "/old.key"});
  EXPECT_EQ(old.exit_code, 6) << old.errors;
  EXPECT_NE(wrong.output, old.output);
  EXPECT_THAT(old.output + old.errors, HasSubstr("expired"));
}

}  // namespace quorate::integration
