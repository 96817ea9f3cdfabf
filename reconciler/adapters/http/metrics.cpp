// Line by line: name{label="value",...} number.
#include "reconciler/adapters/http/metrics.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace quorate::http {
namespace {

constexpr std::string_view kPeers = "etcd_network_active_peers{";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// A text in quotes at the beginning, taken away.
std::optional<std::string> take_quoted(std::string_view& text) {
  if (text.empty() || text.front() != '"') return std::nullopt;
  std::string value;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return value;
    }
    const bool escaped = text[at] == '\\';
    if (escaped && ++at == text.size()) break;
    value += escaped && text[at] == 'n' ? '\n' : text[at];
  }
  return std::nullopt;
}

// Behind the opening brace; what follows the closing one is left.
std::optional<std::string> take_labels(std::string_view& text, std::string_view wanted) {
  std::optional<std::string> found;
  while (true) {
    skip_blanks(text);
    if (text.substr(0, 1) == "}") {
      text.remove_prefix(1);
      return found;
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    std::string_view name = text.substr(0, equals);
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    text.remove_prefix(equals + 1);
    skip_blanks(text);
    auto value = take_quoted(text);
    if (!value) return std::nullopt;
    if (name == wanted) found = std::move(value);
    skip_blanks(text);
    if (text.substr(0, 1) == ",") text.remove_prefix(1);
  }
}

// A time may follow the number.
std::optional<double> number_at(std::string_view text) {
  skip_blanks(text);
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || (parsed.ptr != end && *parsed.ptr != ' ' && *parsed.ptr != '\t')) return std::nullopt;
  return number;
}

// The start of the line is enough to see what it is.
tl::unexpected<base::Error> no_etcd(std::string_view line) {
  std::string start;
  for (const char c : line.substr(0, 80)) start += c >= ' ' && c <= '~' ? c : '?';
  return base::invalid("the metrics hold a line that no etcd writes: " + start,
                       "check that the address is a client or metrics URL of etcd");
}

}  // namespace

base::Result<std::vector<base::MemberId>> active_peers_in(std::string_view metrics) {
  std::vector<base::MemberId> peers;
  bool of_etcd = false;
  while (!metrics.empty()) {
    const std::size_t end = std::min(metrics.find('\n'), metrics.size());
    std::string_view line = metrics.substr(0, end);
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    of_etcd = of_etcd || line.substr(0, 12) == "etcd_server_";
    if (line.substr(0, kPeers.size()) != kPeers) continue;
    std::string_view rest = line.substr(kPeers.size());
    const auto remote = take_labels(rest, "Remote");
    const auto number = number_at(rest);
    const auto id = remote ? base::parse_id(*remote) : std::nullopt;
    if (!id || !number) return no_etcd(line);
    if (*number >= 1) peers.push_back({*id});
  }
  if (!of_etcd) {
    return base::invalid("these are no metrics of an etcd",
                         "check that the address is a client or metrics URL of etcd");
  }
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

}  // namespace quorate::http
