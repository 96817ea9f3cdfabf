// Two machines that are one and the same, on a network that shows now the one and now the other.
#include <gmock/gmock.h>

#include "tests/e2e/agents/fleet.h"
#include "tests/e2e/agents/network.h"
#include "tests/support/skip.h"

namespace quorate::e2e {
namespace {

using testing::IsEmpty;

class Split : public AgentsTest {
 protected:
  Wording wording_;
  Network network_{fleet_.folder()};
};

// A machine was cloned, disk of the agent and all, but the clone's data directory is empty. Whom the others reach is
// once the one, once the other.
TEST_P(Split, J02_TwoAgentsForOneMemberOnTwoMachinesAreBelievedNeither) {
  if (!network_.take_in(fleet_, {"a", "b", "c"}, wording_) || !network_.add_double("c"))
    return tests::skip_unless_ci_is_root(network_.problem());
  wording_.reconcile = "deadAfter: 20s, every: 1s";
  fleet_.form({"a", "b", "c"}, wording_);
  for (const char* member : {"a", "b", "c"}) ASSERT_TRUE(fleet_.settle(member));
  fleet_.lead("a");
  const base::MemberId before = fleet_.id_of("c");
  truth::Writer writer(fleet_.client_urls({"a", "b"}));
  const std::string elsewhere = fleet_.folder() + "/elsewhere";
  std::string text = integration::read_file(fleet_.file());
  const std::string place = "storage: {dir: " + fleet_.folder() + "/data";
  ASSERT_NE(text.find(place), std::string::npos);
  text.replace(text.find(place), place.size(), "storage: {dir: " + elsewhere);
  integration::write_file(fleet_.folder() + "/clone.yaml", text);
  Names command = network_.prefix("c2");
  for (const std::string& word : Names{QUORATE_BINARY, "agent", "--member", "c", "--state-dir", elsewhere + "/state",
                                       "--agent", elsewhere + "/agent.sock", "-f", fleet_.folder() + "/clone.yaml"}) {
    command.push_back(word);
  }
  integration::Process clone({command, {}});
  const auto told = [&] { return fleet_.plan("a").dump().find("two agents answer for c") != std::string::npos; };
  ASSERT_TRUE(Fleet::eventually([&] {
    const bool first = network_.cut_off("c") && network_.join_again("c2");
    const bool heard = Fleet::eventually(told, Seconds{4});
    return first && (network_.cut_off("c2") && network_.join_again("c")) &&
           (heard || Fleet::eventually(told, Seconds{4}));
  })) << fleet_.plan("a").dump(1)
      << clone.log();
  EXPECT_THAT(fleet_.steps_begun("remove/"), IsEmpty());
  clone.kill();
  ASSERT_TRUE(fleet_.become_voters({"a", "b", "c"}));
  EXPECT_EQ(fleet_.id_of("c"), before);
  EXPECT_TRUE(fleet_.settle("a")) << "the one that is left counts again after a while";
  EXPECT_THAT(fleet_.steps_begun("remove/"), IsEmpty());
  expect_nothing_lost(fleet_, writer);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Split, testing::Values("3.5.16"), integration::name_of_release);

}  // namespace
}  // namespace quorate::e2e
