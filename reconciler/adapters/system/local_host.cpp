// gethostname and getifaddrs.
#include "reconciler/adapters/system/local_host.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include "reconciler/base/net.h"

namespace quorate::adapters::system {
namespace {

std::string address_text(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address == nullptr) return {};
  if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (bytes == nullptr || ::inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr) return {};
  return base::canonical_host(text.data());
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  return text;
}

bool is_name_of(const LocalHost& host, const std::string& name) {
  const std::string ours = lower_case(host.name);
  const std::string theirs = lower_case(name);
  if (ours.empty() || theirs.empty()) return false;
  return theirs == ours || (theirs.find('.') == std::string::npos && theirs == ours.substr(0, ours.find('.')));
}

}  // namespace

LocalHost local_host() {
  LocalHost host;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) host.name = name.data();
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return host;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    std::string text = address_text(each->ifa_addr);
    if (!text.empty()) host.addresses.push_back(std::move(text));
  }
  ::freeifaddrs(first);
  return host;
}

bool lives_on(const LocalHost& host, const model::Member& member) {
  if (base::is_loopback(member.address)) return true;
  const std::string address = base::canonical_host(member.address);
  if (std::find(host.addresses.begin(), host.addresses.end(), address) != host.addresses.end()) return true;
  if (!base::is_ip(member.address) && is_name_of(host, member.address)) return true;
  return is_name_of(host, member.node);
}

}  // namespace quorate::adapters::system
