// Turning the texts of etcd's options into what its configuration file, its command line and its environment want.
#include "renderers/etcd_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>

#include "reconciler/base/check.h"

namespace quorate::renderers {
namespace {

struct TimeUnit {
  std::string_view name;
  std::int64_t nanoseconds;
  bool known_to_go;
};

constexpr std::array<TimeUnit, 9> kTimeUnits{{
    {"w", 604'800'000'000'000, false},
    {"d", 86'400'000'000'000, false},
    {"h", 3'600'000'000'000, true},
    {"m", 60'000'000'000, true},
    {"s", 1'000'000'000, true},
    {"ms", 1'000'000, true},
    {"us", 1'000, true},
    {"\u00b5s", 1'000, true},
    {"ns", 1, true},
}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view take_while(std::string_view& text, bool (*wanted)(char)) {
  const auto end =
      static_cast<std::size_t>(std::distance(text.begin(), std::find_if_not(text.begin(), text.end(), wanted)));
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// One "1.5h"; what is below a nanosecond is cut off, as Go does.
std::optional<std::int64_t> take_part(std::string_view& text) {
  __extension__ using Wide = unsigned __int128;  // 18 digits times a week in nanoseconds
  const auto whole = take_while(text, is_digit);
  std::string_view fraction;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    fraction = take_while(text, is_digit).substr(0, 18);
  }
  const auto name = take_while(text, [](char c) { return !is_digit(c) && c != '.'; });
  const auto* unit =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [&](const TimeUnit& each) { return each.name == name; });
  if (unit == kTimeUnits.end() || whole.size() > 18 || (whole.empty() && fraction.empty())) return std::nullopt;
  Wide digits = 0;
  for (const char c : whole) digits = digits * 10 + static_cast<unsigned>(c - '0');
  Wide sum = digits * static_cast<Wide>(unit->nanoseconds);
  Wide scale = 1;
  digits = 0;
  for (const char c : fraction) {
    digits = digits * 10 + static_cast<unsigned>(c - '0');
    scale *= 10;
  }
  sum += digits * static_cast<Wide>(unit->nanoseconds) / scale;
  if (sum > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

std::vector<std::string> split_at_commas(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    std::size_t start = 0;
    while (true) {
      const auto comma = text.find(',', start);
      parts.push_back(text.substr(start, comma - start));
      if (comma == std::string::npos) break;
      start = comma + 1;
    }
  }
  return parts;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (std::size_t i = 0; i < texts.size(); ++i) text += (i > 0 ? "," : "") + texts[i];
  return text;
}

tl::unexpected<base::Error> takes(const EtcdOption& option, std::string_view what, const std::string& text) {
  return base::invalid("etcd's " + std::string(option.name) + " takes " + std::string(what) + ", not \"" + text + "\"");
}

base::Result<base::Json> single_value(const EtcdOption& option, const std::string& text) {
  switch (option.value) {
    case OptionValue::Bool:
      if (text == "true" || text == "false") return base::Json(text == "true");
      return takes(option, "true or false", text);
    case OptionValue::Integer:
      if (const auto number = parse_integer(text); number && *number >= 0) return base::Json(*number);
      return takes(option, "a whole number", text);
    case OptionValue::Duration:
      if (const auto nanoseconds = parse_nanoseconds(text)) return base::Json(*nanoseconds);
      return takes(option, "a duration such as 10s", text);
    case OptionValue::Text:
    case OptionValue::TextList:
    case OptionValue::CommaList:
    case OptionValue::UrlList:
      break;
  }
  return base::Json(text);
}

}  // namespace

std::optional<std::int64_t> parse_nanoseconds(std::string_view text) {
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part || *part > std::numeric_limits<std::int64_t>::max() - total) return std::nullopt;
    total += *part;
  }
  return total;
}

std::string go_duration(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  std::string text;
  for (const TimeUnit& unit : kTimeUnits) {
    if (!unit.known_to_go || nanoseconds / unit.nanoseconds == 0) continue;
    text += std::to_string(nanoseconds / unit.nanoseconds);
    text += unit.name;
    nanoseconds %= unit.nanoseconds;
  }
  return text;
}

std::string go_duration(base::Duration duration) {
  return go_duration(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

base::Result<base::Json> config_value(const EtcdOption& option, const std::vector<std::string>& texts) {
  if (option.value == OptionValue::TextList) return base::Json(split_at_commas(texts));
  if (option.value == OptionValue::CommaList || option.value == OptionValue::UrlList) return base::Json(joined(texts));
  if (texts.size() != 1) return takes(option, "one value", joined(texts));
  return single_value(option, texts.front());
}

std::string command_line_text(const EtcdOption& option, const std::vector<std::string>& texts) {
  const std::string text = joined(texts);
  if (option.value != OptionValue::Duration) return text;
  const auto nanoseconds = parse_nanoseconds(text);
  QUORATE_CHECK(nanoseconds.has_value());
  return go_duration(*nanoseconds);
}

}  // namespace quorate::renderers
