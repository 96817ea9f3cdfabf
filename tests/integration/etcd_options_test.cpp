// The table of etcd's options against the binaries themselves: what their help says, what they parse, what their file
// reads.
#include "renderers/etcd_options.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace quorate::renderers {
namespace {

std::string binary_of(const std::string& version) {
  const char* from_environment = std::getenv("QUORATE_DEPS_DIR");
  const std::string deps = from_environment != nullptr ? from_environment : QUORATE_DEPS_DIR;
  return deps + "/etcd-" + version + "/usr/bin/etcd";
}

struct CloseProcess {
  void operator()(std::FILE* pipe) const { ::pclose(pipe); }
};

// Both streams of `binary arguments`, under an empty environment so that no ETCD_* of the caller gets in.
std::string output_of(const std::string& binary, const std::string& arguments) {
  const std::string command = "env -i '" + binary + "' " + arguments + " 2>&1";
  const std::unique_ptr<std::FILE, CloseProcess> pipe(::popen(command.c_str(), "r"));
  EXPECT_NE(pipe, nullptr) << command;
  std::string text;
  std::array<char, 4096> buffer{};
  while (pipe) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    if (count == 0) break;
    text.append(buffer.data(), count);
  }
  return text;
}

bool is_in(const Releases& releases, const base::Version& version) {
  const int first = releases[static_cast<std::size_t>(version.minor.minor - kOldestEtcd.minor)];
  return first != kNever && first <= *version.patch;
}

// A value that the option's own parser takes; a few options take only words of their own.
std::string sample_value(const EtcdOption& option) {
  if (option.name == "initial-cluster-state") return "new";
  if (option.name == "discovery-fallback") return "exit";
  if (option.name == "proxy") return "off";
  if (option.name == "v2-deprecation") return "not-yet";
  if (option.name == "cors") return "*";
  switch (option.value) {
    case OptionValue::Bool:
      return "true";
    case OptionValue::Integer:
      return "1";
    case OptionValue::Duration:
      return "1s";
    case OptionValue::UrlList:
      return "http://127.0.0.1:1,http://127.0.0.1:2";
    case OptionValue::Text:
    case OptionValue::TextList:
    case OptionValue::CommaList:
      return "x";
  }
  return {};
}

std::set<std::string> go_types(OptionValue value) {
  switch (value) {
    case OptionValue::Text:
      return {"string", "config.V2DeprecationEnum"};
    case OptionValue::CommaList:
    case OptionValue::UrlList:
      return {"string"};
    case OptionValue::Bool:
      return {"bool"};
    case OptionValue::Integer:
      return {"int", "int64", "uint", "uint32", "uint64"};
    case OptionValue::Duration:
      return {"time.Duration"};
    case OptionValue::TextList:
      return {"[]string"};
  }
  return {};
}

class EtcdBinary : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    version_ = *base::parse_version(GetParam());
    binary_ = binary_of(GetParam());
    ASSERT_TRUE(std::filesystem::exists(binary_)) << binary_ << " is missing; this test may not be left out";
    const std::string said = output_of(binary_, "--version");
    ASSERT_NE(said.find(std::string("etcd Version: ") + GetParam()), std::string::npos) << said;
    file_ = std::filesystem::temp_directory_path() / ("etcd-options-" + std::to_string(::getpid()) + ".yaml");
  }
  void TearDown() override { std::filesystem::remove(file_); }

  // What etcd says to a configuration file; the bogus state makes sure that it never starts.
  std::string answer_to(const std::string& yaml) {
    const std::string key = "initial-cluster-state: ";
    std::ofstream(file_) << yaml << (yaml.rfind(key, 0) == 0 ? "" : key + "bogus\n");
    return output_of(binary_, "--config-file='" + file_.string() + "'");
  }

  base::Version version_;
  std::string binary_;
  std::filesystem::path file_;
};

// No option takes a mapping, so etcd names the key and its type if it knows the key at all.
std::string key_with_a_mapping(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return std::string(key) + ": {a: 1}\n";
  return std::string(key.substr(0, slash)) + ": {" + std::string(key.substr(slash + 1)) + ": {a: 1}}\n";
}

TEST_P(EtcdBinary, NamesNoOptionInItsHelpThatTheTableLacks) {
  const std::string help = output_of(binary_, "--help");
  const std::regex option_line("\n  --([a-z0-9-]+)");
  std::set<std::string> named;
  for (auto at = std::sregex_iterator(help.begin(), help.end(), option_line); at != std::sregex_iterator(); ++at) {
    named.insert((*at)[1]);
  }
  EXPECT_GT(named.size(), 70u);
  for (const std::string& name : named) {
    const EtcdOption* option = find_etcd_option(name);
    if (option == nullptr) {
      ADD_FAILURE() << "the table lacks --" << name;
      continue;
    }
    EXPECT_TRUE(is_in(option->releases, version_)) << "the table says that " << GetParam() << " lacks --" << name;
  }
}

TEST_P(EtcdBinary, ParsesEveryOptionThatTheTableGivesIt) {
  std::string arguments;
  for (const EtcdOption& option : all_etcd_options()) {
    if (option.name == "version" || !is_in(option.releases, version_)) continue;
    arguments += "--" + std::string(option.name) + "='" + sample_value(option) + "' ";
  }
  const std::string said = output_of(binary_, arguments + "--version");
  EXPECT_NE(said.find("etcd Version: "), std::string::npos) << said.substr(0, 400);
}

TEST_P(EtcdBinary, RefusesEveryOptionThatTheTableDeniesIt) {
  for (const EtcdOption& option : all_etcd_options()) {
    if (is_in(option.releases, version_)) continue;
    const std::string name(option.name);
    const std::string said = output_of(binary_, "--" + name + "='" + sample_value(option) + "' --version");
    EXPECT_NE(said.find("flag provided but not defined: -" + name), std::string::npos) << said.substr(0, 200);
  }
}

TEST_P(EtcdBinary, ReadsEveryKeyOfTheTableFromItsFileWithThatType) {
  const std::regex type_named("of type ([^ \"]+?)[.]?(\"|[ \n])");
  for (const EtcdOption& option : all_etcd_options()) {
    if (option.config_key.empty() || !is_in(option.config_releases, version_)) continue;
    const std::string said = answer_to(key_with_a_mapping(option.config_key));
    std::string dotted = "." + std::string(option.config_key);
    if (const auto slash = dotted.find('/'); slash != std::string::npos) dotted[slash] = '.';
    EXPECT_NE(said.find(dotted + " of type "), std::string::npos) << option.config_key << ": " << said;
    std::smatch match;
    ASSERT_TRUE(std::regex_search(said, match, type_named)) << said;
    EXPECT_TRUE(go_types(option.value).count(match[1]) == 1) << option.config_key << " is a " << match[1];
  }
}

TEST_P(EtcdBinary, IgnoresEveryKeyThatTheTableDeniesIt) {
  for (const EtcdOption& option : all_etcd_options()) {
    if (option.config_key.empty() || is_in(option.config_releases, version_)) continue;
    const std::string said = answer_to(key_with_a_mapping(option.config_key));
    EXPECT_NE(said.find("unexpected clusterState"), std::string::npos) << option.config_key << ": " << said;
  }
}

std::string test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = "V";
  for (const char c : std::string(info.param)) name += c == '.' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Releases, EtcdBinary, testing::Values("3.4.23", "3.5.16"), test_name);

}  // namespace
}  // namespace quorate::renderers
