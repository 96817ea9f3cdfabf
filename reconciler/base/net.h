// Addresses and URLs as etcd reads them: an IP or a DNS name, a scheme, a port.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::base {

bool is_ip(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_loopback(std::string_view host);     // 127.0.0.0/8, ::1, localhost
bool is_unspecified(std::string_view host);  // 0.0.0.0, ::
// What others can reach a member by: a unicast address, or a DNS name; "010.0.0.1" is neither, for its last number.
bool is_host(std::string_view text);
bool is_dns_label(std::string_view text);
bool is_dns_subdomain(std::string_view text);

// IPv6 addresses have many spellings; two hosts are the same when their canonical texts are.
std::string canonical_host(std::string_view host);

struct Url {
  std::string scheme;  // "http" or "https"
  std::string host;    // without brackets, canonical
  std::uint16_t port = 0;
  friend auto operator<=>(const Url&, const Url&) = default;
};

struct UrlProblem {
  std::string what;  // "has no port"
};

// Only scheme://host:port; a path, query, fragment or user is a problem and `problem` says which.
std::optional<Url> parse_url(std::string_view text, UrlProblem& problem);

std::string to_string(const Url& url);
std::vector<std::string> to_strings(const std::vector<Url>& urls);

}  // namespace quorate::base
