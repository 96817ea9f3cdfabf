// The schema itself: every property is documented, its patterns say what the formats say, and a second validator
// agrees.
#include "reconciler/validate/schema.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "reconciler/load/load.h"
#include "reconciler/validate/schema_check.h"
#include "schema/embedded.h"

namespace quorate::validate {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json schema_json() {
  return Json::parse(schema::cluster());
}

// Calls `visit` for each property of each block, and for the values of maps that have properties.
template <class Visit>
void each_property(const Json& block, const std::string& path, const Visit& visit) {
  const auto required = block.value("required", std::vector<std::string>{});
  const Json properties = block.value("properties", Json::object());
  for (const auto& [name, property] : properties.items()) {
    const bool is_required = std::find(required.begin(), required.end(), name) != required.end();
    visit(path + name, property, is_required);
    each_property(property, path + name + ".", visit);
    if (property.contains("items")) each_property(property["items"], path + name + "[].", visit);
    const auto values = property.find("additionalProperties");
    if (values != property.end() && values->is_object()) each_property(*values, path + name + ".<name>.", visit);
  }
}

void each_pattern(const Json& node, const std::function<void(const std::string&, const std::string&)>& visit) {
  if (!node.is_structured()) return;
  if (node.is_object() && node.contains("pattern") && node.contains("x-format")) {
    visit(node["x-format"].get<std::string>(), node["pattern"].get<std::string>());
  }
  for (const Json& child : node) each_pattern(child, visit);
}

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Json to_json(const model::Node& node) {
  using model::NodeKind;
  switch (node.kind) {
    case NodeKind::Null:
      return nullptr;
    case NodeKind::Boolean:
      return node.text == "true";
    case NodeKind::Integer:
      return std::stoll(node.text, nullptr, 0);
    case NodeKind::Float:
      return std::stod(node.text);
    case NodeKind::Text:
      return node.text;
    case NodeKind::Sequence: {
      Json list = Json::array();
      for (const auto* item : node.items) list.push_back(to_json(*item));
      return list;
    }
    case NodeKind::Mapping: {
      Json map = Json::object();
      for (const auto& entry : node.entries) map[entry.key->text] = to_json(*entry.value);
      return map;
    }
  }
  return nullptr;
}

class OtherValidator {
 public:
  OtherValidator() : json_(schema_json()) {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(json_), schema_);
  }

  bool accepts(const Json& document) const {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
  }

 private:
  Json json_;
  valijson::Schema schema_;
};

std::vector<fs::path> files_of_the_project() {
  std::vector<fs::path> files;
  const fs::path root = QUORATE_SOURCE_DIR;
  for (const auto& entry : fs::directory_iterator(root / "desired")) files.push_back(entry.path());
  for (const auto& entry : fs::directory_iterator(root / "tests/golden/diagnostics")) {
    files.push_back(entry.path() / "quorate.yaml");
  }
  return files;
}

}  // namespace

TEST(Schema, EveryPropertyHasADescriptionAVersionAndADefault) {
  int properties = 0;
  each_property(schema_json(), "", [&](const std::string& path, const Json& property, bool required) {
    ++properties;
    EXPECT_TRUE(property.contains("description")) << path;
    EXPECT_TRUE(property.contains("x-since")) << path;
    const bool block = property.contains("properties");
    const bool defaulted = property.contains("default") || property.contains("x-default");
    EXPECT_TRUE(required || block || defaulted) << path << " has neither default nor x-default";
    EXPECT_FALSE(property.contains("default") && property.contains("x-default")) << path;
  });
  EXPECT_GT(properties, 60);
}

TEST(Schema, HasNoOneOfBecauseItsErrorsCannotBeRead) {
  for (const char* keyword : {"oneOf", "anyOf", "allOf", "$ref"}) {
    EXPECT_EQ(schema::cluster().find('"' + std::string(keyword) + '"'), std::string_view::npos);
  }
}

TEST(Schema, PatternsForEditorsSayWhatTheFormatsSay) {
  const std::vector<std::string> samples = {"prod",
                                            "etcd-a",
                                            "A",
                                            "a_b",
                                            "-a",
                                            "a-",
                                            "a.b",
                                            "a..b",
                                            ".a",
                                            "3.5",
                                            "3.5.21",
                                            "v3.5",
                                            "3",
                                            "8Gi",
                                            "1.5G",
                                            "8",
                                            "8g",
                                            "30s",
                                            "1h30m",
                                            "30",
                                            "1.5d",
                                            "1y",
                                            "a/b",
                                            "x.y/z",
                                            "etcd.service",
                                            "etcd",
                                            "root",
                                            "_x",
                                            "Root",
                                            "max-txn-ops",
                                            "--x",
                                            "a b",
                                            "10Ti",
                                            "9B",
                                            "1w2d",
                                            "ms",
                                            "team",
                                            "example.com/team",
                                            "a.",
                                            "0",
                                            "a:b",
                                            "fd422379fda50e48",
                                            "FD42",
                                            "0fd4",
                                            "fd422379fda50e481",
                                            "never",
                                            "2026-09-24T17:00:00Z",
                                            "2026-09-24T17:00:00.25Z",
                                            "2026-09-24T17:00:00",
                                            "2026-09-24",
                                            "remove/etcd-c@fd422379fda50e48",
                                            "add-member/etcd-d@https://10.0.0.14:2380",
                                            "set-data-aside/etcd-c",
                                            "remove/etcd-c@",
                                            "remove/@1",
                                            "remove/a@b@",
                                            "/a",
                                            "-a/b",
                                            "a/b/c",
                                            "a/b@c d",
                                            "A/b@c",
                                            std::string(64, 'a')};
  int patterns = 0;
  each_pattern(schema_json(), [&](const std::string& name, const std::string& pattern) {
    ++patterns;
    const auto format = format_named(name);
    ASSERT_TRUE(format) << name;
    const std::regex regex(pattern, std::regex::ECMAScript);
    for (const std::string& sample : samples) {
      EXPECT_EQ(std::regex_search(sample, regex), !check_format(*format, sample).has_value())
          << name << " " << pattern << " on \"" << sample << "\"";
    }
  });
  EXPECT_GT(patterns, 15);
}

TEST(Schema, WhatWeAcceptASecondValidatorAcceptsToo) {
  const OtherValidator other;
  int accepted = 0;
  int refused = 0;
  for (const fs::path& path : files_of_the_project()) {
    if (path.extension() != ".yaml") continue;
    const auto loaded = load::load(model::Source(path.string(), read(path), "/"));
    if (!loaded.spec) continue;
    Findings findings(*loaded.spec);
    check_schema(*loaded.spec, cluster_schema(), findings);
    const bool ours = !model::has_errors(findings.take());
    const bool theirs = other.accepts(to_json(*loaded.spec->root));
    // Formats, units and spaces are ours alone; shape and type are common ground.
    EXPECT_TRUE(theirs || !ours) << path;
    (theirs ? accepted : refused) += 1;
  }
  EXPECT_GT(accepted, 30);
  EXPECT_GT(refused, 12);
}

TEST(Schema, KnowsWhereAKeyBelongs) {
  EXPECT_EQ(fields_named(cluster_schema(), "size"), std::vector<std::string>{"size"});
  EXPECT_EQ(fields_named(cluster_schema(), "quota"), std::vector<std::string>{"etcd.quota"});
  EXPECT_TRUE(fields_named(cluster_schema(), "nothing").empty());
}

}  // namespace quorate::validate
