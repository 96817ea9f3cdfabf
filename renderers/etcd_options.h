// etcd's command-line options: which release has which, what each takes, and which are ours. Nothing else spells one.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/version.h"

namespace quorate::renderers {

inline constexpr base::Minor kOldestEtcd{3, 4};
inline constexpr base::Minor kNewestEtcd{3, 6};
inline constexpr std::size_t kEtcdMinors = 3;

enum class OptionValue {
  Text,
  Bool,
  Integer,
  Duration,
  TextList,   // comma separated on the command line, a list in the configuration file
  CommaList,  // comma separated in both
  UrlList,    // comma separated in both
};

// The first patch of 3.4, 3.5 and 3.6 that has something, since etcd brings new options to old minors too.
inline constexpr int kNever = -1;
using Releases = std::array<int, kEtcdMinors>;

struct EtcdOption {
  std::string_view name;  // without the dashes in front
  OptionValue value = OptionValue::Text;
  Releases releases{};          // that know it on the command line
  std::string_view config_key;  // in the configuration file; "a/b" stands in mapping a; empty: command line only
  Releases config_releases{};   // that read config_key; the others ignore it without a word
  std::string_view successor;   // what a later release calls it; empty: none
  std::string_view field;       // of the desired file that sets it, e.g. "etcd.quota"; empty: none
  std::string_view refusal;     // why etcd.flags may not set it, as a sentence; empty: it may, if `field` is empty too

  bool is_free() const { return field.empty() && refusal.empty(); }
};

// By name.
const std::vector<EtcdOption>& all_etcd_options();

const EtcdOption* find_etcd_option(std::string_view name);

enum class Availability { Here, NotHere, CommandLineOnly /* known, but its configuration file does not read it */ };

// A version without a patch number speaks for the latest release of its minor. Without a version: what every supported
// minor has. Members start from a configuration file, so an option that the file cannot set is of no use.
Availability availability(const EtcdOption& option, const std::optional<base::Version>& version);
bool has_option(const EtcdOption& option, const std::optional<base::Version>& version);  // availability() is Here

// In which releases the configuration file takes it, for messages: "3.4.25, 3.5.8 and 3.6"; empty: in none.
std::string releases_text(const EtcdOption& option);

}  // namespace quorate::renderers
