// The signer against the published test suite and the examples of S3's own pages.
#include "reconciler/adapters/s3/sigv4.h"

#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::s3 {
namespace {

using ::testing::HasSubstr;

const std::string kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const std::string kAllUnreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

struct Vector {
  std::string name;
  Request request;
  std::string token;
  std::string signed_headers;
  std::string signature;
};
void PrintTo(const Vector& vector, std::ostream* out) {
  *out << vector.name;
}

Request get(const std::string& path, Pairs query = {}, Pairs headers = {}) {
  headers.insert(headers.begin(), {"Host", "example.amazonaws.com"});
  return {"GET", path, std::move(query), std::move(headers), kEmpty};
}

Request post(Pairs headers, Pairs query = {}) {
  headers.insert(headers.begin(), {"Host", "example.amazonaws.com"});
  return {"POST", "/", std::move(query), std::move(headers), kEmpty};
}

std::vector<Vector> suite() {
  const std::string kPlain = "host;x-amz-date";
  const std::string kOne = "host;my-header1;x-amz-date";
  const std::string kForm = "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e";
  const std::string kSts =
      "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwt"
      "hAx7mSEI/qkPpKPi/"
      "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXA"
      "kiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
  return {
      {"get_vanilla", get("/"), "", kPlain, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"get_utf8", get("/ሴ"), "", kPlain, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
      {"get_unreserved", get("/" + kAllUnreserved), "", kPlain,
       "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
      {"get_space_unnormalized", get("/example space/"), "", kPlain,
       "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
      {"get_slash_dot_slash_unnormalized", get("/./"), "", kPlain,
       "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145"},
      {"get_slashes_unnormalized", get("//example//"), "", kPlain,
       "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"},
      {"get_relative_relative_unnormalized", get("/example1/example2/../.."), "", kPlain,
       "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b"},
      {"get_header_key_duplicate",
       get("/", {}, {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}}), "", kOne,
       "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
      {"get_header_value_order",
       get("/", {},
           {{"My-Header1", "value4"}, {"My-Header1", "value1"}, {"My-Header1", "value3"}, {"My-Header1", "value2"}}),
       "", kOne, "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
      {"get_header_value_trim", get("/", {}, {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}}), "",
       "host;my-header1;my-header2;x-amz-date", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
      {"get_vanilla_empty_query_key", get("/", {{"Param1", "value1"}}), "", kPlain,
       "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
      {"get_vanilla_query_order_key_case", get("/", {{"Param2", "value2"}, {"Param1", "value1"}}), "", kPlain,
       "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
      {"get_vanilla_query_order_encoded", get("/", {{"Param-3", "Value3"}, {"Param", "Value2"}, {"ሴ", "Value1"}}), "",
       kPlain, "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"},
      {"get_vanilla_query_unreserved", get("/", {{kAllUnreserved, kAllUnreserved}}), "", kPlain,
       "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
      {"get_vanilla_utf8_query", get("/", {{"ሴ", "bar"}}), "", kPlain,
       "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
      {"get_vanilla_with_session_token", get("/"), "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
       "host;x-amz-date;x-amz-security-token", "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
      {"post_vanilla", post({}), "", kPlain, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"post_vanilla_query", post({}, {{"Param1", "value1"}}), "", kPlain,
       "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
      {"post_header_key_sort", post({{"My-Header1", "value1"}}), "", kOne,
       "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
      {"post_header_value_case", post({{"My-Header1", "VALUE1"}}), "", kOne,
       "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
      {"post_sts_header_before", post({}), kSts, "host;x-amz-date;x-amz-security-token",
       "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
      {"post_x_www_form_urlencoded",
       {"POST",
        "/",
        {},
        {{"Content-Type", "application/x-www-form-urlencoded"},
         {"Host", "example.amazonaws.com"},
         {"Content-Length", "13"},
         {"x-amz-content-sha256", kForm}},
        kForm},
       "",
       "content-length;content-type;host;x-amz-content-sha256;x-amz-date",
       "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"},
  };
}

std::string name_of(const ::testing::TestParamInfo<Vector>& vector) {
  return vector.param.name;
}

class PublishedSuite : public ::testing::TestWithParam<Vector> {};

TEST_P(PublishedSuite, GivesThePublishedSignature) {
  const Vector& vector = GetParam();
  const Scope scope{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", vector.token, "us-east-1", "service"};
  const Pairs added = sign(vector.request, scope, *base::parse_time("2015-08-30T12:36:00Z"));
  ASSERT_FALSE(added.empty());
  EXPECT_EQ(added.front(), std::make_pair(std::string("x-amz-date"), std::string("20150830T123600Z")));
  EXPECT_EQ(added.back().second,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" +
                vector.signed_headers + ", Signature=" + vector.signature)
      << canonical_request(vector.request);
}

INSTANTIATE_TEST_SUITE_P(Vectors, PublishedSuite, ::testing::ValuesIn(suite()), name_of);

// The four examples of "Authenticating Requests: Using the Authorization Header".
class ExampleOfS3 : public ::testing::Test {
 protected:
  static std::string signature(Request request) {
    request.headers.emplace_back("Host", "examplebucket.s3.amazonaws.com");
    request.headers.emplace_back("x-amz-content-sha256", request.payload_hash);
    const Scope scope{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", "us-east-1", "s3"};
    const std::string line = sign(request, scope, *base::parse_time("2013-05-24T00:00:00Z")).back().second;
    return line.substr(line.find("Signature=") + 10);
  }
};

TEST_F(ExampleOfS3, GetsTheFirstTenBytes) {
  EXPECT_EQ(signature({"GET", "/test.txt", {}, {{"Range", "bytes=0-9"}}, kEmpty}),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST_F(ExampleOfS3, PutsAnObject) {
  EXPECT_EQ(signature({"PUT",
                       "/test$file.text",
                       {},
                       {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                       sha256_hex("Welcome to Amazon S3.")}),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST_F(ExampleOfS3, AsksForTheLifecycleOfABucket) {
  EXPECT_EQ(signature({"GET", "/", {{"lifecycle", ""}}, {}, kEmpty}),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST_F(ExampleOfS3, ListsObjects) {
  EXPECT_EQ(signature({"GET", "/", {{"prefix", "J"}, {"max-keys", "2"}}, {}, kEmpty}),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(Signing, EncodesEverythingThatHasAMeaningInAnAddress) {
  EXPECT_EQ(encoded("a/b c+d&e=f%g~h_i.j-k*l'm(n)o!p"), "a%2Fb%20c%2Bd%26e%3Df%25g~h_i.j-k%2Al%27m%28n%29o%21p");
  EXPECT_EQ(encoded_path("/ü/a b"), "/%C3%BC/a%20b");
  EXPECT_EQ(encoded_query({{"uploads", ""}, {"b", "2"}, {"a", "x y"}}), "a=x%20y&b=2&uploads=");
}

TEST(Signing, SortsNamesOfHeadersWithoutTheirValues) {
  const Request request{"PUT",
                        "/",
                        {},
                        {{"x-amz-server-side-encryption-aws-kms-key-id", "k"},
                         {"x-amz-server-side-encryption", "aws:kms"},
                         {"host", "h"}},
                        kEmpty};
  EXPECT_THAT(canonical_request(request), HasSubstr("\nx-amz-server-side-encryption:aws:kms\n"
                                                    "x-amz-server-side-encryption-aws-kms-key-id:k\n"));
}

}  // namespace
}  // namespace quorate::s3
