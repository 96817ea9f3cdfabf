// A signed observation is an envelope around a text; a plain one is the text itself.
#include "reconciler/model/signed_observation.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/model/observed_json.h"

namespace quorate::model {

using testing::HasSubstr;

TEST(SignedObservation, GivesBackTextAndSignature) {
  const std::string text = to_json(Observed());
  const auto opened = open_observation(signed_observation(text, "-----BEGIN SSH SIGNATURE-----\nx\n"), "s.json");
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(opened->text, text);
  EXPECT_EQ(opened->signature, "-----BEGIN SSH SIGNATURE-----\nx\n");
  EXPECT_EQ(*read_observed(opened->text, "s.json"), Observed());
}

TEST(SignedObservation, APlainOneHasNoSignature) {
  Observed observed;
  observed.by = "says \"signed-observation\" to confuse";
  for (const std::string& text : {to_json(Observed()), to_json(observed), std::string("[\"signed-observation\"]")}) {
    const auto opened = open_observation(text, "o.json");
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ(opened->text, text);
    EXPECT_FALSE(opened->signature.has_value());
  }
}

TEST(SignedObservation, ABrokenEnvelopeIsAnError) {
  const std::string whole = signed_observation(to_json(Observed()), "armor");
  const auto problem = [](const std::string& text) -> std::string {
    const auto opened = open_observation(text, "s.json");
    return opened ? "" : opened.error().message;
  };
  EXPECT_THAT(problem(whole.substr(0, whole.size() - 10)), HasSubstr("truncated"));
  EXPECT_THAT(problem(R"({"format_version": "1.0", "kind": "signed-observation", "signature": "x"})"),
              HasSubstr("the document has no observation"));
  EXPECT_THAT(
      problem(R"({"format_version": "1.0", "kind": "signed-observation", "observation": {}, "signature": "x"})"),
      HasSubstr("/observation must be text"));
  EXPECT_THAT(problem(R"({"format_version": "3.0", "kind": "signed-observation"})"),
              HasSubstr("this quorate reads 1.x"));
  EXPECT_THAT(problem(R"({"kind": "signed-observation", "kind": "observation"})"), HasSubstr("stands twice"));
}

TEST(SignedObservation, TheTextInsideIsReadAsStrictlyAsAnyOther) {
  const auto opened = open_observation(signed_observation("{\"kind\": \"observation\"", "armor"), "s.json");
  ASSERT_TRUE(opened.has_value());
  EXPECT_THAT(read_observed(opened->text, "s.json").error().message, HasSubstr("truncated"));
}

}  // namespace quorate::model
