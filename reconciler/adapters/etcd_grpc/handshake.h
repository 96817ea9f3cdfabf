// What is wrong with a TLS connection, found by trying one: gRPC says no more than that it failed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "reconciler/adapters/etcd_grpc/errors.h"
#include "reconciler/base/net.h"
#include "reconciler/base/result.h"

namespace quorate::etcd_grpc {

struct Pems;

// Where the contents came from, for messages.
struct PemPaths {
  std::string ca;
  std::string cert;
  std::string key;
};

// Whether they are certificates and a key at all, and belong together.
std::optional<base::Error> problem_of(const Pems& pems, const PemPaths& paths);

struct Attempt {
  base::Url url;
  std::string address;   // numeric; names are not looked up here
  std::string expected;  // the name or address that the server's certificate has to carry
  std::chrono::steady_clock::time_point until;
};

// Connects once more by hand and says why it does not work; nothing when it did, or when it cannot tell.
std::optional<base::Error> diagnose(const Call& call, const Attempt& attempt, const Pems& pems);

// "ipv4:10.0.0.1:2379" or "ipv6:%5B::1%5D:2379" in what gRPC says, without its port; empty when there is none.
std::string address_in(std::string_view what_grpc_says);

}  // namespace quorate::etcd_grpc
