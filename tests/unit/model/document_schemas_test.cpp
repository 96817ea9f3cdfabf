// The schemas of what quorate writes: every property says what it means, and they refuse what is no such document.
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reconciler/model/observed_json.h"
#include "reconciler/model/plan_json.h"
#include "schema/embedded.h"
#include "tests/support/json_schema.h"

namespace quorate::model {
namespace {

using nlohmann::json;

void expect_descriptions(const json& node, const std::string& path) {
  if (!node.is_structured()) return;
  if (node.is_object() && node.contains("properties")) {
    for (const auto& [name, property] : node["properties"].items()) {
      const std::string text = property.value("description", "");
      EXPECT_FALSE(text.empty()) << path << "/" << name;
      EXPECT_TRUE(text.empty() || text.back() == '.') << path << "/" << name;
    }
  }
  for (const auto& [name, child] : node.items()) expect_descriptions(child, path + "/" + name);
}

}  // namespace

TEST(DocumentSchemas, EveryPropertySaysWhatItMeans) {
  for (const std::string_view text : {schema::observation(), schema::plan()}) {
    const json tree = json::parse(text);
    EXPECT_EQ(tree["$schema"], "http://json-schema.org/draft-07/schema#");
    expect_descriptions(tree, "");
  }
}

TEST(DocumentSchemas, TakeTheSmallestDocuments) {
  EXPECT_EQ(support::JsonSchema(schema::observation()).problems(to_json(Observed())), "");
  EXPECT_EQ(support::JsonSchema(schema::plan()).problems(to_json(Gated(), PlanContext())), "");
}

TEST(DocumentSchemas, RefuseWhatTheReadersRefuse) {
  const support::JsonSchema observation(schema::observation());
  const json good = json::parse(to_json(Observed()));
  const std::vector<std::function<void(json&)>> changes = {
      [](json& tree) { tree.erase("at"); },
      [](json& tree) { tree["format_version"] = "2.0"; },
      [](json& tree) { tree["kind"] = "plan"; },
      [](json& tree) { tree["at"] = "yesterday"; },
      [](json& tree) { tree["alarms"]["known"] = json::array(); },
      [](json& tree) {
        tree["alarms"] = {{"at", nullptr}};
      },
      [](json& tree) {
        tree["alarms"] = {{"at", nullptr}, {"known", {{{"member", "0"}, {"kind", "NOSPACE"}}}}};
      },
      [](json& tree) {
        tree["last_change"] = {{"at", nullptr}, {"known", 7}};
      },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    json tree = good;
    changes[i](tree);
    EXPECT_NE(observation.problems(tree.dump()), "") << "change " << i;
    EXPECT_FALSE(read_observed(tree.dump(), "o.json").has_value()) << "change " << i;
  }
}

}  // namespace quorate::model
