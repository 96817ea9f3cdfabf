// AWS Signature Version 4 in headers: a request, keys and a time in, the headers that sign it out. No network, no
// clock.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/base/time.h"

namespace quorate::s3 {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Who signs, and for what.
struct Scope {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // may be empty
  std::string region;
  std::string service;
};

// Path and query are plain text; they are encoded here, once, as S3 wants it: nothing in a path is normalised.
struct Request {
  std::string method;
  std::string path = "/";
  Pairs query;
  Pairs headers;  // all that are to be signed, "host" among them
  std::string payload_hash;
};

constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

// RFC 3986: everything but letters, digits and "-._~" as %XX in capitals.
std::string encoded(std::string_view text);
std::string encoded_path(std::string_view path);  // slashes stay
std::string encoded_query(const Pairs& query);    // sorted; "name=" where there is no value

std::string sha256_hex(std::string_view bytes);
std::string amz_date(base::Time time);  // "20130524T000000Z"

// The lines that are hashed and signed, for tests and for finding out why a store refuses.
std::string canonical_request(const Request& request);

// What has to be sent besides the request's own headers: x-amz-date, authorization, and x-amz-security-token where
// there is a token.
Pairs sign(const Request& request, const Scope& scope, base::Time now);

}  // namespace quorate::s3
