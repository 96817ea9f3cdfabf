// Agents see each other over real connections with real certificates, and believe no one else.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/peer_grpc/agent.grpc.pb.h"
#include "reconciler/adapters/peer_grpc/agent_peers.h"
#include "reconciler/adapters/peer_grpc/report_server.h"
#include "reconciler/adapters/system/entropy.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_reporter.h"
#include "tests/integration/certificates.h"
#include "tests/integration/process.h"

namespace quorate::peer_grpc {
namespace {

using base::Duration;
using base::ErrorKind;
using integration::Authority;
using Steady = std::chrono::steady_clock;

constexpr Duration kPatience{5000};

class Agents : public testing::Test {
 protected:
  TlsFiles issue(const std::string& name, const std::vector<std::string>& names, const Authority& authority,
                 int days = 2) {
    TlsFiles files{folder_ / (name + ".crt"), folder_ / (name + ".key"), authority_.certificate()};
    authority.issue(files.cert, files.key, names, days);
    return files;
  }
  TlsFiles issue(const std::string& name, const std::vector<std::string>& names) {
    return issue(name, names, authority_);
  }
  std::unique_ptr<ReportServer> serve(const TlsFiles& tls, int port = 0) { return serve(tls, reporter_, port); }
  std::unique_ptr<ReportServer> serve(const TlsFiles& tls, ports::Reporter& reporter, int port = 0) {
    auto server = make_report_server({address_, port, tls}, reporter);
    EXPECT_TRUE(server) << (server ? "" : server.error().message);
    return server ? std::move(*server) : nullptr;
  }
  std::unique_ptr<AgentPeers> peers(const TlsFiles& tls) {
    auto made = make_peers({tls, [this](const std::string& member) { heard_(member); }}, clock_, *entropy_);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? std::move(*made) : nullptr;
  }
  ports::Peer at(int port, const std::string& member = "etcd-b") const { return {member, address_, port}; }
  static base::Result<model::AgentReport> ask(AgentPeers& who, const ports::Peer& peer, Duration within = kPatience) {
    return who.ask("prod", {peer}, within).front().report;
  }
  // Until it is as wanted: certificates are looked at every 5 s.
  static bool eventually(const std::function<bool()>& wanted) {
    const auto end = Steady::now() + std::chrono::seconds(30);
    while (!wanted()) {
      if (Steady::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // between two looks at something without an event
    }
    return true;
  }
  static void expect_not_believed(const base::Result<model::AgentReport>& report, ErrorKind kind,
                                  const std::string& words) {
    ASSERT_FALSE(report) << "was believed; expected: " << words;
    EXPECT_EQ(static_cast<int>(report.error().kind), static_cast<int>(kind)) << report.error().message;
    EXPECT_NE(report.error().message.find(words), std::string::npos) << report.error().message;
    EXPECT_FALSE(report.error().help.empty());
  }

  integration::TempDir folder_;
  Authority authority_{folder_ / "pki", "ca"};
  Authority stranger_{folder_ / "pki", "stranger"};
  std::string address_ = integration::own_address(1);
  fakes::FakeClock clock_;
  std::unique_ptr<ports::Entropy> entropy_ = adapters::system::make_entropy();
  fakes::FakeReporter reporter_{"etcd-b"};
  fakes::Heard heard_;
};

TEST_F(Agents, AnswerTheQuestionThatWasAskedWithAFreshLook) {
  const auto server = serve(issue("b", {address_}));
  const auto client = peers(issue("a", {"etcd-a"}));
  for (int i = 0; i < 3; ++i) {
    const auto report = ask(*client, at(server->port()));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->member, "etcd-b");
    EXPECT_EQ(report->nonce.size(), 32u);
  }
  EXPECT_EQ(reporter_.asked(), 3);
  reporter_.say([](model::AgentReport& report) { report.node = "moved"; });
  EXPECT_EQ(ask(*client, at(server->port()))->node, "moved");
}

TEST_F(Agents, AreBelievedForTheirAddressOrTheirName) {
  const auto client = peers(issue("a", {"etcd-a"}));
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{address_}, {"etcd-b"}, {"10.9.9.9", "ETCD-B"}, {"etcd-a", address_}}) {
    const auto server = serve(issue("b", names));
    const auto report = ask(*client, at(server->port()));
    EXPECT_TRUE(report) << names.front() << ": " << report.error().message;
  }
  const auto server = serve(issue("b", {"*.test.internal"}));
  const ports::Peer by_name{"etcd-b", "localhost", server->port()};
  EXPECT_FALSE(ask(*client, by_name));
}

TEST_F(Agents, WithTheCertificateOfAnotherMemberAreNotBelieved) {
  const auto server = serve(issue("c", {"etcd-c", "10.1.2.3"}));
  const auto client = peers(issue("a", {"etcd-a"}));
  expect_not_believed(ask(*client, at(server->port())), ErrorKind::Invalid,
                      "is not believed: its certificate is not for " + address_ + " or etcd-b");
  EXPECT_EQ(reporter_.asked(), 0);
}

TEST_F(Agents, OfAnotherAuthorityOrOutOfDateAreNotBelieved) {
  const auto client = peers(issue("a", {"etcd-a"}));
  const auto foreign = serve(issue("foreign", {address_}, stranger_));
  const auto old = serve(issue("old", {address_}, authority_, -1));
  for (const auto* server : {&foreign, &old}) {
    expect_not_believed(ask(*client, at((*server)->port())), ErrorKind::Invalid,
                        "of another authority, or out of date");
  }
  EXPECT_EQ(reporter_.asked(), 0);
}

TEST_F(Agents, AnswerNobodyWithoutACertificateOfTheirAuthority) {
  const auto server = serve(issue("b", {address_}));
  const auto foreign = peers(issue("foreign", {"etcd-a"}, stranger_));
  expect_not_believed(ask(*foreign, at(server->port())), ErrorKind::Transient, "no connection");
  expect_not_believed(ask(*peers({}), at(server->port()), Duration(2000)), ErrorKind::Transient, "");
  EXPECT_EQ(reporter_.asked(), 0);
}

TEST_F(Agents, SpeakPlainTextOnLoopbackOnly) {
  const auto server = serve({});
  EXPECT_TRUE(ask(*peers({}), at(server->port())));
  const auto open = make_report_server({"0.0.0.0", 0, {}}, reporter_);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind, ErrorKind::Invalid);
  expect_not_believed(ask(*peers({}), {"etcd-b", "10.0.0.9", 7380}), ErrorKind::Invalid,
                      "cannot be asked without certificates");
  // One that wants certificates does not fall back.
  EXPECT_FALSE(ask(*peers(issue("a", {"etcd-a"})), at(server->port()), Duration(2000)));
}

TEST_F(Agents, FilesThatCannotBeUsedAreRefusedBeforeAnythingListens) {
  const TlsFiles good = issue("b", {address_});
  const TlsFiles other = issue("other", {address_});
  for (const TlsFiles& bad : {TlsFiles{good.cert, good.key, ""}, TlsFiles{good.cert, other.key, good.ca},
                              TlsFiles{good.key, good.key, good.ca}, TlsFiles{good.cert, good.key, good.key},
                              TlsFiles{good.cert, "/nowhere", good.ca}}) {
    const auto server = make_report_server({address_, 0, bad}, reporter_);
    ASSERT_FALSE(server);
    EXPECT_EQ(server.error().kind, ErrorKind::Invalid) << server.error().message;
    EXPECT_FALSE(make_peers({bad, {}}, clock_, *entropy_));
  }
}

TEST_F(Agents, RenewedCertificatesAreTakenUpByBothSides) {
  const auto server = serve(issue("b", {"etcd-c"}));
  const auto client = peers(issue("a", {"etcd-a"}));
  EXPECT_FALSE(ask(*client, at(server->port())));
  (void)issue("b", {"etcd-b"});
  EXPECT_TRUE(eventually([&] { return ask(*client, at(server->port())).has_value(); }));
}

TEST_F(Agents, APortBelongsToOneAgent) {
  const TlsFiles tls = issue("b", {address_});
  const auto server = serve(tls);
  const auto second = make_report_server({address_, server->port(), tls}, reporter_);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("cannot listen at " + address_), std::string::npos) << second.error().message;
}

TEST_F(Agents, ThatAreSilentCostOneDeadlineTogether) {
  const TlsFiles tls = issue("b", {address_});
  const auto good = serve(tls);
  fakes::FakeReporter hung("etcd-c");
  const auto one = serve(tls, hung);
  const auto other = serve(tls, hung);
  const auto client = peers(tls);
  hung.hang(true);
  const int refuses = integration::free_port();
  const auto start = Steady::now();
  const auto answers = client->ask(
      "prod", {at(one->port(), "etcd-c"), at(good->port()), at(other->port(), "etcd-c"), at(refuses, "etcd-d")},
      Duration(500));
  const auto took = Steady::now() - start;
  hung.hang(false);
  EXPECT_GE(took, Duration(490));
  EXPECT_LT(took, Duration(1500));
  expect_not_believed(answers[0].report, ErrorKind::Transient, "does not answer within");
  EXPECT_TRUE(answers[1].report) << answers[1].report.error().message;
  expect_not_believed(answers[3].report, ErrorKind::Transient, "connection refused");
  const auto again = Steady::now();
  EXPECT_FALSE(ask(*client, at(refuses, "etcd-d"), Duration(10000)));
  EXPECT_LT(Steady::now() - again, Duration(3000));
}

TEST_F(Agents, ThatComeBackAreAskedAtOnce) {
  const TlsFiles tls = issue("b", {address_});
  const auto client = peers(tls);
  auto server = serve(tls);
  const int port = server->port();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(ask(*client, at(port)));
    server.reset();
    EXPECT_FALSE(ask(*client, at(port)));
    server = serve(tls, port);
    ASSERT_NE(server, nullptr);
    EXPECT_TRUE(ask(*client, at(port)));
  }
}

TEST_F(Agents, AChangeIsSeenAtOnce) {
  const TlsFiles tls = issue("b", {address_});
  const auto server = serve(tls);
  const auto client = peers(tls);
  client->follow({at(server->port())});
  ASSERT_TRUE(heard_.more_than(0, "etcd-b"));
  std::vector<double> latencies;
  for (int i = 0; i < 30; ++i) {
    const int before = heard_.of("etcd-b");
    const auto start = Steady::now();
    server->changed();
    ASSERT_TRUE(heard_.more_than(before, "etcd-b"));
    latencies.push_back(std::chrono::duration<double, std::milli>(Steady::now() - start).count());
  }
  std::sort(latencies.begin(), latencies.end());
  std::printf("change seen after: median %.2f ms, worst %.2f ms of %zu\n", latencies[latencies.size() / 2],
              latencies.back(), latencies.size());
  EXPECT_LT(latencies[latencies.size() / 2], 100.0);
  // Many at once are few messages.
  const int before = heard_.of("etcd-b");
  for (int i = 0; i < 10000; ++i) server->changed();
  EXPECT_TRUE(heard_.more_than(before, "etcd-b"));
  EXPECT_LT(heard_.of("etcd-b") - before, 5000);
}

TEST_F(Agents, AnAgentThatGoesAndComesBackIsSeenBothTimes) {
  const TlsFiles tls = issue("b", {address_});
  const auto client = peers(tls);
  const int port = integration::free_port();
  client->follow({at(port)});
  auto server = serve(tls, port);
  ASSERT_NE(server, nullptr);
  ASSERT_TRUE(heard_.more_than(0, "etcd-b"));
  for (int round = 0; round < 2; ++round) {
    int before = heard_.of("etcd-b");
    server.reset();
    ASSERT_TRUE(heard_.more_than(before, "etcd-b"));
    before = heard_.of("etcd-b");
    server = serve(tls, port);
    ASSERT_NE(server, nullptr);
    const auto start = Steady::now();
    ASSERT_TRUE(heard_.more_than(before, "etcd-b"));
    std::printf("back after %.0f ms\n", std::chrono::duration<double, std::milli>(Steady::now() - start).count());
  }
  client->follow({});
  const int before = heard_.of("etcd-b");
  server->changed();
  EXPECT_FALSE(heard_.more_than(before, "etcd-b", std::chrono::milliseconds(200)));
}

TEST_F(Agents, WhoeverCannotBeReachedKeepsNobodyFromEnding) {
  const auto client = peers(issue("a", {"etcd-a"}));
  const auto wrong = serve(issue("c", {"etcd-c"}));
  client->follow({at(integration::free_port()), at(wrong->port(), "etcd-d")});
  client->follow({at(integration::free_port(), "etcd-e")});
  EXPECT_FALSE(heard_.more_than(0, "etcd-d", std::chrono::milliseconds(300)));
}

TEST_F(Agents, ARestartIsBelievedAndTwoAgentsInTurnAreNot) {
  const TlsFiles tls = issue("b", {address_});
  const auto client = peers(tls);
  fakes::FakeReporter second("etcd-b", "boot-2");
  auto server = serve(tls);
  const int port = server->port();
  const auto take_turns = [&](ports::Reporter& reporter) {
    server.reset();
    server = serve(tls, reporter, port);
    return ask(*client, at(port));
  };
  EXPECT_TRUE(ask(*client, at(port)));
  EXPECT_TRUE(take_turns(second));
  expect_not_believed(take_turns(reporter_), ErrorKind::Conflict, "two agents answer for etcd-b");
  expect_not_believed(take_turns(second), ErrorKind::Conflict, "two agents answer for etcd-b");
  clock_.advance(Duration(31000));
  EXPECT_TRUE(ask(*client, at(port)));
}

// Says whatever a test wants, over a connection without TLS.
class Hostile final : public agent::Agent::Service {
 public:
  explicit Hostile(const std::string& address) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address + ":0", grpc::InsecureServerCredentials(), &port);
    builder.SetMaxSendMessageSize(-1);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  grpc::Status Report(grpc::ServerContext* /*context*/, const agent::Ask* ask, agent::Answer* answer) override {
    answer->set_json(says(ask->nonce()));
    return grpc::Status::OK;
  }

  grpc::Status Watch(grpc::ServerContext* /*context*/, const agent::WatchRequest* /*request*/,
                     grpc::ServerWriter<agent::Changed>* writer) override {
    ++watched;
    writer->Write(agent::Changed());
    return grpc::Status::OK;
  }

  std::function<std::string(const std::string& nonce)> says;
  std::atomic<int> watched = 0;
  int port = 0;

 private:
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(Agents, HostileAnswersAreErrorsAndNothingElse) {
  Hostile hostile(address_);
  const auto client = peers({});
  const auto answer = [&](const std::function<std::string(const std::string&)>& says) {
    hostile.says = says;
    return ask(*client, at(hostile.port));
  };
  const auto honest = [&](const std::string& nonce) { return model::to_json(reporter_.report(nonce)); };
  ASSERT_TRUE(answer(honest));
  expect_not_believed(answer([](const std::string&) { return std::string(8 << 20, 'x'); }), ErrorKind::Transient,
                      "too large");
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), std::string("{\"kind\":\"report\"}"),
        std::string("\xff\xfe\0", 3), std::string(100000, '['), std::string(900000, ' ')}) {
    EXPECT_FALSE(answer([&](const std::string&) { return text; })) << text.substr(0, 20);
  }
  expect_not_believed(answer([&](const std::string&) { return honest("old"); }), ErrorKind::Refused,
                      "not one to our question");
  fakes::FakeReporter elsewhere("etcd-b", "boot-1", "test");
  expect_not_believed(answer([&](const std::string& nonce) { return model::to_json(elsewhere.report(nonce)); }),
                      ErrorKind::Invalid, "another cluster");
  fakes::FakeReporter other("etcd-c");
  expect_not_believed(answer([&](const std::string& nonce) { return model::to_json(other.report(nonce)); }),
                      ErrorKind::Invalid, "another member's");
  EXPECT_TRUE(answer(honest));
}

TEST_F(Agents, AStreamThatAlwaysEndsIsNotOpenedInACircle) {
  Hostile hostile(address_);
  const auto client = peers({});
  client->follow({at(hostile.port)});
  ASSERT_TRUE(heard_.more_than(3, "etcd-b"));
  EXPECT_FALSE(heard_.more_than(40, "etcd-b", std::chrono::milliseconds(1500)));
  client->follow({});
  EXPECT_GE(hostile.watched, 2);
  EXPECT_LE(hostile.watched, 12);
}

TEST_F(Agents, HostileQuestionsAreRefused) {
  const auto server = serve({});
  const auto channel =
      grpc::CreateChannel(address_ + ":" + std::to_string(server->port()), grpc::InsecureChannelCredentials());
  const auto stub = agent::Agent::NewStub(channel);
  for (const std::string& nonce : {std::string(), std::string(65, 'a'), std::string("a\nb"), std::string("\xff"),
                                   std::string(100000, 'a'), std::string("\"")}) {
    grpc::ClientContext context;
    agent::Ask question;
    question.set_nonce(nonce);
    agent::Answer answer;
    EXPECT_FALSE(stub->Report(&context, question, &answer).ok()) << nonce.size();
  }
  EXPECT_EQ(reporter_.asked(), 0);
}

TEST_F(Agents, ManyThreadsMayAskAndFollowAtOnce) {
  const TlsFiles tls = issue("b", {address_});
  const auto server = serve(tls);
  const auto client = peers(tls);
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      for (int i = 0; i < 20; ++i) {
        if (!ask(*client, at(server->port()))) ++failures;
        if (number == 0)
          client->follow(i % 2 == 0 ? std::vector<ports::Peer>{at(server->port())} : std::vector<ports::Peer>{});
        server->changed();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace quorate::peer_grpc
