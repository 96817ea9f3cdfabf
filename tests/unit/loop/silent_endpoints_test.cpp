// How long a look waits for whom: little at first, and the longer the silence lasts.
#include "reconciler/loop/silent_endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::loop {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr base::Duration kLeast{100};

model::EndpointAnswer answer(const std::string& endpoint, bool answers) {
  model::EndpointAnswer result;
  result.endpoint = endpoint;
  result.cluster = answers ? model::Fact<base::ClusterId>::known(base::ClusterId{1}, {})
                           : model::Fact<base::ClusterId>::unknown("no answer", {});
  return result;
}

}  // namespace

// A first look that gives up early would say that there is no cluster.
TEST(SilentEndpoints, TheFirstLookHasAllThePatienceThereIs) {
  SilentEndpoints silent({"a"});
  EXPECT_THAT(silent.patience(seconds{5}), ElementsAre(Pair("a", base::Duration::max())));
  silent.look(seconds{5}, {answer("a", false)});
  EXPECT_THAT(silent.patience(seconds{5}), ElementsAre(Pair("a", kLeast)));
}

TEST(SilentEndpoints, WhoAnswersIsWaitedForAsLongAsTheCallMayTake) {
  SilentEndpoints silent({"a", "b"});
  silent.look(seconds{5}, {answer("a", true), answer("b", true)});
  EXPECT_FALSE(silent.has("a"));
  EXPECT_THAT(silent.patience(seconds{9}), IsEmpty());
}

TEST(SilentEndpoints, TheLongerItIsSilentTheLongerItIsWaitedFor) {
  SilentEndpoints silent({});
  for (const int at : {6, 7, 8}) silent.look(seconds{at}, {answer("a", false)});
  EXPECT_THAT(silent.patience(seconds{6}), ElementsAre(Pair("a", kLeast)));
  EXPECT_THAT(silent.patience(seconds{8}), ElementsAre(Pair("a", seconds{1})));
}

TEST(SilentEndpoints, HowOftenItIsAskedMeanwhileDoesNotMatter) {
  SilentEndpoints silent({"a"});
  for (int i = 0; i < 100; ++i) silent.look(seconds{5}, {answer("a", false)});
  EXPECT_THAT(silent.patience(seconds{5}), ElementsAre(Pair("a", kLeast)));
}

TEST(SilentEndpoints, AnAnswerEndsTheSilence) {
  SilentEndpoints silent({"a"});
  silent.look(seconds{20}, {answer("a", true)});
  silent.look(seconds{60}, {answer("a", false)});
  EXPECT_THAT(silent.patience(seconds{60}), ElementsAre(Pair("a", kLeast)));
}

}  // namespace quorate::loop
