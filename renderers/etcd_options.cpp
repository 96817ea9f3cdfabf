// Looking etcd's options up, and telling which release takes which.
#include "renderers/etcd_options.h"

#include <algorithm>
#include <limits>

#include "renderers/etcd_option_table.h"

namespace quorate::renderers {
namespace {

std::optional<std::size_t> index_of(base::Minor minor) {
  if (minor < kOldestEtcd || kNewestEtcd < minor) return std::nullopt;
  return static_cast<std::size_t>(minor.minor - kOldestEtcd.minor);
}

bool is_in(const Releases& releases, const base::Version& version) {
  const auto index = index_of(version.minor);
  if (!index || releases[*index] == kNever) return false;
  return releases[*index] <= version.patch.value_or(std::numeric_limits<int>::max());
}

bool is_in(const Releases& releases, const std::optional<base::Version>& version) {
  if (version) return is_in(releases, *version);
  return std::none_of(releases.begin(), releases.end(), [](int patch) { return patch == kNever; });
}

}  // namespace

const std::vector<EtcdOption>& all_etcd_options() {
  static const std::vector<EtcdOption> options = [] {
    std::vector<EtcdOption> rows = etcd_option_rows();
    std::sort(rows.begin(), rows.end(), [](const EtcdOption& a, const EtcdOption& b) { return a.name < b.name; });
    return rows;
  }();
  return options;
}

const EtcdOption* find_etcd_option(std::string_view name) {
  const auto& options = all_etcd_options();
  const auto found = std::lower_bound(options.begin(), options.end(), name,
                                      [](const EtcdOption& option, std::string_view key) { return option.name < key; });
  return found != options.end() && found->name == name ? &*found : nullptr;
}

Availability availability(const EtcdOption& option, const std::optional<base::Version>& version) {
  if (!is_in(option.releases, version)) return Availability::NotHere;
  return is_in(option.config_releases, version) ? Availability::Here : Availability::CommandLineOnly;
}

bool has_option(const EtcdOption& option, const std::optional<base::Version>& version) {
  return availability(option, version) == Availability::Here;
}

std::string releases_text(const EtcdOption& option) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kEtcdMinors; ++i) {
    const int patch = option.config_releases[i];
    if (patch == kNever) continue;
    const base::Minor minor{kOldestEtcd.major, kOldestEtcd.minor + static_cast<int>(i)};
    parts.push_back(patch == 0 ? base::to_string(minor) : base::to_string(base::Version{minor, patch}));
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace quorate::renderers
