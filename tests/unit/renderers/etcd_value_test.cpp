// What etcd's options take, as texts and in the configuration file.
#include "renderers/etcd_value.h"

#include <limits>

#include <gtest/gtest.h>

namespace quorate::renderers {
namespace {

using base::Json;

base::Result<Json> value_of(std::string_view option, const std::vector<std::string>& texts) {
  return config_value(*find_etcd_option(option), texts);
}

TEST(EtcdDuration, IsReadAsGoReadsIt) {
  EXPECT_EQ(parse_nanoseconds("0"), 0);
  EXPECT_EQ(parse_nanoseconds("10ms"), 10'000'000);
  EXPECT_EQ(parse_nanoseconds("1h30m"), 5'400'000'000'000);
  EXPECT_EQ(parse_nanoseconds("1.5s"), 1'500'000'000);
  EXPECT_EQ(parse_nanoseconds(".5s"), 500'000'000);
  EXPECT_EQ(parse_nanoseconds("1us2ns"), 1'002);
  EXPECT_EQ(parse_nanoseconds("1\u00b5s"), 1'000);
}

TEST(EtcdDuration, MayBeInDaysAndWeeksBesides) {
  EXPECT_EQ(parse_nanoseconds("1d"), 86'400'000'000'000);
  EXPECT_EQ(parse_nanoseconds("1w"), 604'800'000'000'000);
}

TEST(EtcdDuration, IsNothingElse) {
  for (const char* text : {"", "1", "s", "1x", "-1s", " 1s", "1s ", "1..5s", ".s", "1h-30m", "10 ms"}) {
    EXPECT_EQ(parse_nanoseconds(text), std::nullopt) << text;
  }
}

TEST(EtcdDuration, DoesNotOverflow) {
  EXPECT_EQ(parse_nanoseconds("9223372036854775807ns"), std::nullopt);  // 19 digits are more than anybody means
  EXPECT_EQ(parse_nanoseconds("9223372036s"), 9'223'372'036'000'000'000);
  EXPECT_EQ(parse_nanoseconds("9223372037s"), std::nullopt);
  EXPECT_EQ(parse_nanoseconds("9223372036s9223372036s"), std::nullopt);
  EXPECT_EQ(parse_nanoseconds("999999999999999999w"), std::nullopt);
}

TEST(EtcdDuration, IsWrittenSoThatGoReadsIt) {
  EXPECT_EQ(go_duration(0), "0s");
  EXPECT_EQ(go_duration(base::Duration(7 * 24 * 3'600'000)), "168h");
  EXPECT_EQ(go_duration(base::Duration(90'500)), "1m30s500ms");
  EXPECT_EQ(go_duration(1'001), "1us1ns");
  for (const std::int64_t each : {std::int64_t{1}, std::int64_t{1'234'567'890'123}, std::int64_t{3'600'000'000'000}}) {
    EXPECT_EQ(parse_nanoseconds(go_duration(each)), each);
  }
}

TEST(EtcdValue, OfADurationIsWholeNanoseconds) {
  EXPECT_EQ(value_of("grpc-keepalive-interval", {"2h"}).value(), Json(7'200'000'000'000));
}

TEST(EtcdValue, HasItsOwnTypeInTheFile) {
  EXPECT_EQ(value_of("pre-vote", {"false"}).value(), Json(false));
  EXPECT_EQ(value_of("max-wals", {"7"}).value(), Json(7));
  EXPECT_EQ(value_of("auth-token", {"jwt,pub-key=/a,sign-method=RS256"}).value(),
            Json("jwt,pub-key=/a,sign-method=RS256"));
}

TEST(EtcdValue, OfAListIsAListOrOneTextAsEtcdWantsIt) {
  EXPECT_EQ(value_of("log-outputs", {"stderr", "/a"}).value(), Json({"stderr", "/a"}));
  EXPECT_EQ(value_of("log-outputs", {"stderr,/a"}).value(), Json({"stderr", "/a"}));
  EXPECT_EQ(value_of("cors", {"https://a", "https://b"}).value(), Json("https://a,https://b"));
}

TEST(EtcdValue, OfTheWrongTypeIsRefusedByName) {
  EXPECT_EQ(value_of("pre-vote", {"yes"}).error().message, "etcd's pre-vote takes true or false, not \"yes\"");
  EXPECT_EQ(value_of("max-wals", {"-1"}).error().message, "etcd's max-wals takes a whole number, not \"-1\"");
  EXPECT_EQ(value_of("max-wals", {"5x"}).error().message, "etcd's max-wals takes a whole number, not \"5x\"");
  EXPECT_EQ(value_of("grpc-keepalive-interval", {"5"}).error().message,
            "etcd's grpc-keepalive-interval takes a duration such as 10s, not \"5\"");
  EXPECT_EQ(value_of("max-wals", {"1", "2"}).error().message, "etcd's max-wals takes one value, not \"1,2\"");
  EXPECT_EQ(value_of("max-wals", {"1"}).value(), Json(1));
}

TEST(EtcdValue, ForTheCommandLineIsOneTextThatGoReads) {
  EXPECT_EQ(command_line_text(*find_etcd_option("grpc-keepalive-interval"), {"1d"}), "24h");
  EXPECT_EQ(command_line_text(*find_etcd_option("log-outputs"), {"stderr", "/a"}), "stderr,/a");
}

}  // namespace
}  // namespace quorate::renderers
