// Reading addresses and URLs the way etcd does, so that what we call equal is equal to etcd too.
#include "reconciler/base/net.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>

namespace quorate::base {
namespace {

template <class Address>
bool reads_as(int family, std::string_view text, Address& address) {
  // inet_pton wants a terminated text; no address is longer than this.
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  if (text.empty() || text.size() >= buffer.size() || text.find('\0') != std::string_view::npos) return false;
  std::memcpy(buffer.data(), text.data(), text.size());
  return inet_pton(family, buffer.data(), &address) == 1;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

// DNS names do not tell upper from lower case, etcd does not fold them: only lower case is taken here.
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), is_name_character);
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

struct HostPort {
  std::string_view host;
  std::string_view port;
  bool has_port = false;
};

std::optional<HostPort> split_host_port(std::string_view text) {
  if (!text.empty() && text.front() == '[') {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    HostPort parts{text.substr(1, close - 1), {}, false};
    const auto rest = text.substr(close + 1);
    if (rest.empty()) return parts;
    if (rest.front() != ':' || !is_ipv6(parts.host)) return std::nullopt;
    return HostPort{parts.host, rest.substr(1), true};
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return HostPort{text, {}, false};
  return HostPort{text.substr(0, colon), text.substr(colon + 1), true};
}

}  // namespace

bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return reads_as(AF_INET6, text, address);
}

bool is_ip(std::string_view text) {
  in_addr address{};
  return reads_as(AF_INET, text, address) || is_ipv6(text);
}

bool is_loopback(std::string_view host) {
  in_addr four{};
  if (reads_as(AF_INET, host, four)) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  if (reads_as(AF_INET6, host, six)) return IN6_IS_ADDR_LOOPBACK(&six) != 0;
  return host == "localhost";
}

bool is_unspecified(std::string_view host) {
  in_addr four{};
  if (reads_as(AF_INET, host, four)) return four.s_addr == 0;
  in6_addr six{};
  return reads_as(AF_INET6, host, six) && IN6_IS_ADDR_UNSPECIFIED(&six) != 0;
}

bool is_dns_label(std::string_view text) {
  return is_label(text);
}

bool is_dns_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const auto dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_host(std::string_view text) {
  in_addr four{};
  if (reads_as(AF_INET, text, four)) {
    const auto first = ntohl(four.s_addr) >> 24;
    return first != 0 && first < 224;
  }
  in6_addr six{};
  if (reads_as(AF_INET6, text, six)) return IN6_IS_ADDR_UNSPECIFIED(&six) == 0 && IN6_IS_ADDR_MULTICAST(&six) == 0;
  const auto last = text.substr(text.rfind('.') == std::string_view::npos ? 0 : text.rfind('.') + 1);
  return is_dns_subdomain(text) && last.find_first_not_of("0123456789") != std::string_view::npos;
}

std::string canonical_host(std::string_view host) {
  in6_addr six{};
  if (!reads_as(AF_INET6, host, six)) return std::string(host);
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  inet_ntop(AF_INET6, &six, buffer.data(), buffer.size());
  return buffer.data();
}

std::optional<Url> parse_url(std::string_view text, UrlProblem& problem) {
  const auto fail = [&](std::string what) -> std::optional<Url> {
    problem.what = std::move(what);
    return std::nullopt;
  };
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return fail("has no scheme");
  const auto scheme = text.substr(0, mark);
  if (scheme != "http" && scheme != "https") return fail("has a scheme other than http and https");
  auto rest = text.substr(mark + 3);
  if (rest.find('@') != std::string_view::npos) return fail("names a user");
  if (rest.find_first_of("/?#") != std::string_view::npos) return fail("goes on after the port");
  const auto parts = split_host_port(rest);
  if (!parts || parts->host.empty()) return fail("has no host");
  if (rest.front() != '[' && parts->host.find(':') != std::string_view::npos) {
    return fail("has an IPv6 address without brackets");
  }
  if (!is_host(parts->host)) {
    return fail("has a host that is no address others can reach and no DNS name");
  }
  if (!parts->has_port || parts->port.empty()) return fail("has no port");
  const auto port = parse_port(parts->port);
  if (!port) return fail("has a port that is not between 1 and 65535");
  return Url{std::string(scheme), canonical_host(parts->host), *port};
}

std::string to_string(const Url& url) {
  const bool six = url.host.find(':') != std::string::npos;
  return url.scheme + "://" + (six ? "[" + url.host + "]" : url.host) + ":" + std::to_string(url.port);
}

std::vector<std::string> to_strings(const std::vector<Url>& urls) {
  std::vector<std::string> texts;
  texts.reserve(urls.size());
  for (const Url& url : urls) texts.push_back(to_string(url));
  return texts;
}

}  // namespace quorate::base
