// YAML as we write it; that readers get the same value back is a law in property/base_laws_test.cpp.
#include "reconciler/base/yaml_text.h"

#include <gtest/gtest.h>

namespace quorate::base {

TEST(YamlText, WritesBlocksThatPeopleCanRead) {
  const Json value = {{"name", "etcd-a"},
                      {"urls", {"https://10.0.0.1:2380"}},
                      {"pod", {{"volumes", {{{"name", "data"}, {"emptyDir", Json::object()}}}}}}};
  EXPECT_EQ(to_yaml(value),
            "name: etcd-a\n"
            "urls:\n"
            "- \"https://10.0.0.1:2380\"\n"
            "pod:\n"
            "  volumes:\n"
            "  - name: data\n"
            "    emptyDir: {}\n");
}

TEST(YamlText, QuotesWhatAReaderCouldTakeForSomethingElse) {
  for (const char* text :
       {"", "yes", "Off", "null", "~", "3.10", "0x10", "1e3", "a: b", "- a", " a", "#", "2026-11-18", "=", "é"}) {
    EXPECT_EQ(to_yaml(Json(text)).front(), '"') << text;
  }
  EXPECT_EQ(to_yaml(Json(true)), "true\n");
  EXPECT_EQ(to_yaml(Json(7)), "7\n");
}

}  // namespace quorate::base
