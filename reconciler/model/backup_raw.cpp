// One reader for each layout; what does not fit to the last letter is none of them.
#include "reconciler/model/backup_raw.h"

#include <algorithm>
#include <charconv>

#include "reconciler/base/version.h"

namespace quorate::model {
namespace {

constexpr std::size_t kRevisionDigits = 16;
constexpr std::string_view kControllerEnd = ".backup";
constexpr std::string_view kOperatorEnd = "_etcd.backup";
constexpr std::size_t kPeriodicTime = std::string_view("YYYY-MM-DD-HH:MM:SS").size();
constexpr std::size_t kWrapperTime = std::string_view("YYYYMMDD-HHMMSS").size();

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool are_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "%016x" of a revision, as Go writes it.
std::optional<std::int64_t> hex_revision(std::string_view digits) {
  std::int64_t revision = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), revision, 16);
  const bool lower = digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (digits.size() != kRevisionDigits || !lower || end.ec != std::errc{}) return std::nullopt;
  return revision;
}

// kube-etcd-controller: "000000000000002a.backup".
std::optional<RawName> of_controller(std::string_view name) {
  if (!ends_with(name, kControllerEnd)) return std::nullopt;
  const auto revision = hex_revision(name.substr(0, name.size() - kControllerEnd.size()));
  if (!revision) return std::nullopt;
  return RawName{"kube-etcd-controller", std::nullopt, revision};
}

// etcd-operator up to 0.6: "3.1.8_000000000000002a_etcd.backup".
std::optional<RawName> of_operator(std::string_view name) {
  if (!ends_with(name, kOperatorEnd)) return std::nullopt;
  name.remove_suffix(kOperatorEnd.size());
  const std::size_t mark = name.find('_');
  if (mark == std::string_view::npos || !base::parse_version(std::string(name.substr(0, mark)))) return std::nullopt;
  const auto revision = hex_revision(name.substr(mark + 1));
  if (!revision) return std::nullopt;
  return RawName{"etcd-operator", std::nullopt, revision};
}

// etcd-operator 0.9, periodic: "nightly_v42_2018-03-01-04:05:06".
std::optional<RawName> of_periodic(std::string_view name) {
  if (name.size() <= kPeriodicTime) return std::nullopt;
  std::string time(name.substr(name.size() - kPeriodicTime));
  name.remove_suffix(kPeriodicTime);
  if (time[10] != '-') return std::nullopt;
  time[10] = 'T';
  const auto at = base::parse_time(time + "Z");
  const std::size_t mark = name.rfind("_v");
  if (!at || mark == std::string_view::npos || mark == 0 || name.back() != '_') return std::nullopt;
  const std::string_view digits = name.substr(mark + 2, name.size() - mark - 3);
  std::int64_t revision = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), revision);
  if (!are_digits(digits) || end.ec != std::errc{}) return std::nullopt;
  return RawName{"etcd-operator", at, revision};
}

// etcd-wrapper: "test-backup-20260924-133000", in the local time of its machine.
std::optional<RawName> of_wrapper(std::string_view name) {
  if (name.size() < kWrapperTime) return std::nullopt;
  const std::string_view time = name.substr(name.size() - kWrapperTime);
  const std::string_view before = name.substr(0, name.size() - kWrapperTime);
  if (time[8] != '-' || !are_digits(time.substr(0, 8)) || !are_digits(time.substr(9))) return std::nullopt;
  if (!before.empty() && before.back() >= '0' && before.back() <= '9') return std::nullopt;
  const auto part = [&](std::size_t from, std::size_t count) { return std::string(time.substr(from, count)); };
  const auto at = base::parse_time(part(0, 4) + "-" + part(4, 2) + "-" + part(6, 2) + "T" + part(9, 2) + ":" +
                                   part(11, 2) + ":" + part(13, 2) + "Z");
  if (!at) return std::nullopt;
  return RawName{"etcd-wrapper", at, std::nullopt};
}

}  // namespace

std::optional<RawName> parse_raw_name(std::string_view object) {
  const std::size_t slash = object.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? object : object.substr(slash + 1);
  for (const auto reader : {of_controller, of_operator, of_periodic, of_wrapper}) {
    if (auto found = reader(name)) return found;
  }
  return std::nullopt;
}

}  // namespace quorate::model
