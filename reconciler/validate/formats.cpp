// Each form has one check here; the patterns in the schema say the same to editors, and a test compares the two.
#include "reconciler/validate/formats.h"

#include <algorithm>
#include <array>

#include "reconciler/base/net.h"
#include "reconciler/base/time.h"
#include "reconciler/base/units.h"
#include "reconciler/base/version.h"

namespace quorate::validate {
namespace {

using model::Code;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c);
}

template <class Accepts>
bool all(std::string_view text, Accepts accepts) {
  return std::all_of(text.begin(), text.end(), accepts);
}

auto alnum_or(std::string_view more) {
  return [more](char c) { return is_alnum(c) || more.find(c) != std::string_view::npos; };
}

bool is_label_value(std::string_view text) {
  if (text.empty()) return true;
  return text.size() <= 63 && is_alnum(text.front()) && is_alnum(text.back()) && all(text, alnum_or("-_."));
}

bool is_label_key(std::string_view text) {
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (!base::is_dns_subdomain(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return !text.empty() && is_label_value(text);
}

bool is_token(std::string_view text) {
  return !text.empty() && text.size() <= 100 && is_alnum(text.front()) && all(text, alnum_or("._-"));
}

bool is_flag(std::string_view text) {
  const auto part = [](char c) { return is_lower(c) || is_digit(c); };
  return !text.empty() && part(text.front()) && all(text, [&](char c) { return part(c) || c == '-'; });
}

bool is_unit(std::string_view text) {
  constexpr std::string_view kEnd = ".service";
  if (text.size() <= kEnd.size() || text.substr(text.size() - kEnd.size()) != kEnd) return false;
  text.remove_suffix(kEnd.size());
  // A name that ends in @ is a template, which cannot be started.
  return text.size() <= 247 && text.front() != '.' && text.back() != '@' && all(text, alnum_or(":_.@-"));
}

bool has_dotdot(std::string_view path) {
  return path == ".." || path.substr(0, 3) == "../" || path.find("/../") != std::string_view::npos ||
         (path.size() >= 3 && path.substr(path.size() - 3) == "/..");
}

// systemd reads signs in front of a program as switches for its sandbox, so a name starts with a letter or digit.
bool is_program(std::string_view text) {
  if (text.empty() || has_dotdot(text) || text.find(' ') != std::string_view::npos) return false;
  return text.front() == '/' ? text.back() != '/' : is_alnum(text.front()) && text.find('/') == std::string_view::npos;
}

bool is_user(std::string_view text) {
  return !text.empty() && text.size() <= 32 && (is_lower(text.front()) || text.front() == '_') &&
         all(text, [](char c) { return is_lower(c) || is_digit(c) || c == '_' || c == '-'; });
}

// registry/name, then :tag or @sha256:digest; no spaces and nothing a shell or a YAML reader could trip over.
bool is_image(std::string_view text) {
  return !text.empty() && text.size() <= 400 && is_alnum(text.front()) && all(text, alnum_or("._-/:@"));
}

bool is_listen(std::string_view text) {
  return text == "node" || text == "loopback" || text == "any" || base::is_ip(text);
}

// A Kubernetes quantity: a number, then nothing, m, a power of 1000 or a power of 1024.
bool is_quantity(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.");
  const auto number = text.substr(0, end);
  if (number.empty() || number.front() == '.' || number.back() == '.') return false;
  if (std::count(number.begin(), number.end(), '.') > 1) return false;
  constexpr std::array<std::string_view, 13> kSuffixes = {"",  "m",  "k",  "M",  "G",  "T", "P",
                                                          "E", "Ki", "Mi", "Gi", "Ti", "Pi"};
  const auto suffix = end == std::string_view::npos ? std::string_view{} : text.substr(end);
  return std::find(kSuffixes.begin(), kSuffixes.end(), suffix) != kSuffixes.end();
}

bool is_retention(std::string_view text) {
  return (!text.empty() && text.size() <= 18 && all(text, is_digit)) || base::parse_duration(text).has_value();
}

// One spelling only, so that an ID in the file and in a message are the same text: as etcd prints it.
bool is_id(std::string_view text) {
  const auto digit = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
  return !text.empty() && text.size() <= 16 && text.front() != '0' && all(text, digit);
}

// action/object, and mostly @key: which actions there are is a matter of a rule.
bool is_step_id(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == 0 || slash == std::string_view::npos || text.find(' ') != std::string_view::npos) return false;
  const auto action = text.substr(0, slash);
  if (!is_lower(action.front()) || !all(action, [](char c) { return is_lower(c) || c == '-'; })) return false;
  const auto at = text.find('@', slash);
  const auto object = text.substr(slash + 1, at == std::string_view::npos ? at : at - slash - 1);
  return !object.empty() && object.find('/') == std::string_view::npos && at != text.size() - 1;
}

bool is_id_format(Format format) {
  return format == Format::MemberId || format == Format::ClusterId || format == Format::Lost;
}

struct Row {
  Format format;
  std::string_view name;
  std::string_view must;         // "must be ..."
  std::string_view expectation;  // "expected ..."
  bool (*accepts)(std::string_view);
};

const auto kName = [](std::string_view text) { return base::is_dns_subdomain(text); };

// Formats that differ only in a yes or no; those with more to say have a function of their own below.
const std::array<Row, 25> kRows = {{
    {Format::Prose, "prose", "be text", "text", [](std::string_view) { return true; }},
    {Format::DnsLabel, "dns-label", "be a DNS label",
     "lower-case letters, digits and dashes, a letter or digit at both ends, at most 63 characters",
     [](std::string_view text) { return base::is_dns_label(text); }},
    {Format::DnsSubdomain, "dns-subdomain", "be a DNS subdomain",
     "lower-case letters, digits, dashes and dots, a letter or digit at both ends of each part", kName},
    {Format::Host, "host", "be an IP address or a DNS name", "an IP address such as 10.0.0.11, or a DNS name",
     [](std::string_view text) { return base::is_host(text); }},
    {Format::Url, "url", "be a URL", "a URL such as https://10.0.0.11:2380", nullptr},
    {Format::Listen, "listen", "be node, loopback, any or an IP address", "node, loopback, any or an IP address",
     is_listen},
    {Format::Path, "path", "be a path without ..", "a path without \"..\"",
     [](std::string_view text) { return !text.empty() && !has_dotdot(text); }},
    {Format::Program, "program", "be an absolute path or the name of a program",
     "an absolute path, or a name that is found on PATH", is_program},
    {Format::Version, "version", "be a version", "a quoted version such as \"3.5\" or \"3.5.21\"",
     [](std::string_view text) { return base::parse_version(text).has_value(); }},
    {Format::Size, "size", "be a size", "a size: 512Mi, 8Gi or 100G", nullptr},
    {Format::Duration, "duration", "be a duration", "a duration: 30s, 30m or 30h", nullptr},
    {Format::Retention, "retention", "be a duration or a number of revisions", "a duration such as 8h, or 10000",
     is_retention},
    {Format::Image, "image", "be an image", "an image such as registry.example.com/etcd:3.5.21", is_image},
    {Format::Token, "token", "be a token",
     "letters, digits, dots, dashes and underscores, at most 100, a letter or digit first", is_token},
    {Format::Flag, "flag", "be the name of an option without dashes in front", "a name such as max-txn-ops", is_flag},
    {Format::Unit, "unit", "be the name of a service unit", "a name such as etcd.service", is_unit},
    {Format::User, "user", "be the name of a user", "a name such as etcd", is_user},
    {Format::LabelKey, "label-key", "be a label key", "a key such as team or example.com/team", is_label_key},
    {Format::LabelValue, "label-value", "be a label value",
     "at most 63 letters, digits, dashes, dots and underscores, a letter or digit at both ends", is_label_value},
    {Format::Quantity, "quantity", "be a Kubernetes quantity", "a quantity such as 500m, 2 or 4Gi", is_quantity},
    {Format::MemberId, "member-id", "be the ID of a member", "a quoted ID such as \"fd422379fda50e48\"", is_id},
    {Format::ClusterId, "cluster-id", "be the ID of a cluster", "a quoted ID such as \"cdf818194e3a8c32\"", is_id},
    {Format::Lost, "member-id-or-never", "be the ID of a member, or never",
     "a quoted ID such as \"fd422379fda50e48\", or never",
     [](std::string_view text) { return text == "never" || is_id(text); }},
    {Format::Time, "time", "be a time in UTC", "a time such as 2026-09-24T17:00:00Z",
     [](std::string_view text) { return base::parse_time(text).has_value(); }},
    {Format::StepId, "step-id", "be the ID of a step", "an ID such as remove/etcd-c@fd422379fda50e48", is_step_id},
}};

const Row* row_of(Format format) {
  const auto* found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.format == format; });
  return found != kRows.end() ? found : nullptr;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// What is true of every text that ends up in a file, a command line or a name; prose may span lines.
std::optional<FormatProblem> check_text(Format format, std::string_view text) {
  if (format == Format::Prose) return std::nullopt;
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return FormatProblem{Code::E106, "holds a line break or another control character", "one line of text", ""};
  }
  if (!text.empty() && (text.front() == ' ' || text.back() == ' ')) {
    return FormatProblem{Code::E106, std::string("has a space at its ") + (text.front() == ' ' ? "beginning" : "end"),
                         "the same without the space", ""};
  }
  return std::nullopt;
}

std::optional<FormatProblem> check_amount(Format format, std::string_view text) {
  const bool size = format == Format::Size;
  const auto parsed = base::parse_size(text);
  if (size && parsed && parsed->bytes == 0) {
    return FormatProblem{Code::E107, "is zero", std::string(expectation(format)), ""};
  }
  if (size ? parsed.has_value() : base::parse_duration(text).has_value()) return std::nullopt;
  FormatProblem problem{Code::E104, "must be " + std::string(size ? "a size" : "a duration"),
                        std::string(expectation(format)), ""};
  if (!text.empty() && all(text, is_digit)) problem.what = "needs a unit";
  problem.help = size ? "units: B, Ki Mi Gi Ti (powers of 1024), K M G T (powers of 1000)" : "units: ms s m h d w";
  return problem;
}

std::optional<FormatProblem> check_url(std::string_view text) {
  base::UrlProblem problem;
  if (base::parse_url(text, problem)) return std::nullopt;
  return FormatProblem{Code::E122, problem.what, std::string(expectation(Format::Url)), ""};
}

// What people paste instead of an ID or a time.
std::string advice(Format format, std::string_view text) {
  if (is_id_format(format)) {
    if (text.size() > 16 && all(text, is_digit))
      return "JSON output of etcdctl has IDs in decimal; take it without -w json";
    return "1 to 16 hexadecimal digits as etcd prints them: lower case, without 0x and without zeros in front";
  }
  if (format != Format::Time) return {};
  const bool has_clock = text.find('T') != std::string_view::npos || text.find(':') != std::string_view::npos;
  return has_clock ? "write it in UTC with Z at its end: local times and offsets are not taken"
                   : "write date and time: where a day ends depends on who reads it";
}

}  // namespace

std::optional<Format> format_named(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.format;
  }
  return std::nullopt;
}

std::string_view expectation(Format format) {
  const Row* row = row_of(format);
  return row != nullptr ? row->expectation : "text";
}

std::optional<FormatProblem> check_format(Format format, std::string_view text) {
  if (auto problem = check_text(format, text)) return problem;
  if (format == Format::Size || format == Format::Duration) return check_amount(format, text);
  if (format == Format::Url) return check_url(text);
  const Row* row = row_of(format);
  if (row == nullptr || row->accepts(text)) return std::nullopt;
  return FormatProblem{Code::E106, "must " + std::string(row->must), std::string(row->expectation),
                       advice(format, text)};
}

}  // namespace quorate::validate
