// The network of agents in memory: silence costs time, a refusal does not, and nobody is believed who should not be.
#include "tests/fakes/fake_peers.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_reporter.h"

namespace quorate::fakes {
namespace {

using base::Duration;
using base::ErrorKind;

class InMemory : public testing::Test {
 protected:
  InMemory() {
    network_.join("a", a_, [this](const std::string& who) { told_ += who; });
    network_.join("b", b_);
    told_.clear();
  }
  base::Result<model::AgentReport> ask(const std::string& who) {
    return network_.peers_of("a").ask("prod", {{who, "10.0.0.1", 7380}}, Duration(400)).front().report;
  }

  FakeClock clock_;
  FakePeers network_{clock_};
  FakeReporter a_{"a"};
  FakeReporter b_{"b"};
  std::string told_;
};

TEST_F(InMemory, AgentsAnswerAndTellOfChanges) {
  const auto report = ask("b");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->node, "node-of-b");
  network_.tell_others("b");
  network_.leave("b");
  EXPECT_EQ(told_, "bb");
}

TEST_F(InMemory, SilenceCostsTheDeadlineAndARefusalNothing) {
  const Duration start = clock_.elapsed();
  network_.cut("b", "a");
  EXPECT_EQ(ask("b").error().kind, ErrorKind::Transient);
  EXPECT_EQ(clock_.elapsed() - start, Duration(400));
  network_.tell_others("b");
  EXPECT_EQ(told_, "");
  network_.mend("a", "b");
  EXPECT_TRUE(ask("b"));
  network_.hang("b");
  EXPECT_FALSE(ask("b"));
  EXPECT_EQ(clock_.elapsed() - start, Duration(800));
  network_.mend_all();
  EXPECT_FALSE(ask("c"));
  EXPECT_EQ(clock_.elapsed() - start, Duration(800));
}

TEST_F(InMemory, OldAnswersAndSecondAgentsAreNotBelieved) {
  network_.replay("b");
  EXPECT_EQ(ask("b").error().kind, ErrorKind::Refused);
  network_.replay("b", false);
  FakeReporter twin("b", "boot-2");
  network_.join("b", twin);
  EXPECT_TRUE(ask("b"));
  EXPECT_TRUE(ask("b"));
  EXPECT_EQ(ask("b").error().message, "two agents answer for b");
  network_.leave("b", twin);
  EXPECT_FALSE(ask("b"));
  clock_.advance(Duration(31000));
  EXPECT_TRUE(ask("b"));
}

}  // namespace
}  // namespace quorate::fakes
