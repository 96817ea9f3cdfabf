// The field reference: what a schema's keywords become, and how a field is found by what people type.
#include "reconciler/report/fields.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quorate::report {
namespace {

using base::Json;

const Json& schema() {
  static const Json parsed = Json::parse(R"json({
    "type": "object", "required": ["name"],
    "properties": {
      "apiVersion": {"const": "quorate/v1", "x-since": "0.1"},
      "name": {"type": "string", "x-format": "dns-label", "minLength": 1, "examples": ["prod"],
               "description": "The cluster's name. It is for life."},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}, "default": {},
                 "examples": [{"team": "infra"}]},
      "size": {"type": "integer", "minimum": 1, "maximum": 9, "x-runtime": ["kubernetes"],
               "x-default": "none; the other way is members", "x-since": "0.1"},
      "members": {
        "type": "object", "minProperties": 1, "maxProperties": 9, "description": "Who.",
        "examples": [{"etcd-a": "10.0.0.11"}],
        "additionalProperties": {
          "type": ["string", "object"], "x-format": "host", "description": "An address, or more.",
          "required": ["address"], "additionalProperties": false, "patternProperties": {"^x-": {}},
          "properties": {
            "address": {"type": "string", "x-format": "host", "description": "Where it is."},
            "peerURLs": {"type": "array", "minItems": 1, "items": {"type": "string", "x-format": "url"}},
            "listen": {"type": "object", "properties": {"client": {"type": "array", "items": {"type": "string"}}}}
          }
        }
      },
      "etcd": {
        "type": "object", "description": "Which etcd | how.", "x-since": "0.1",
        "properties": {
          "quota": {"type": "string", "x-format": "size", "default": "2Gi", "description": "Size <b>."},
          "heartbeat": {"type": "string", "x-format": "duration"},
          "logLevel": {"enum": ["debug", "info"], "default": "info", "description": "How much."},
          "flags": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"},
                    "additionalProperties": {"type": ["string", "number", "boolean"]}}
        }
      },
      "runtime": {
        "type": "object",
        "properties": {
          "type": {"enum": ["process", "systemd"], "default": "process"},
          "service": {"type": "boolean", "default": true},
          "mounts": {"type": "array", "items": {"type": "object", "required": ["host"], "properties": {
            "host": {"type": "string", "x-format": "path"}, "readOnly": {"type": "boolean", "default": false}}}}
        }
      }
    },
    "patternProperties": {"^x-": {}}, "additionalProperties": false
  })json");
  return parsed;
}

const std::vector<Field>& fields() {
  static const std::vector<Field> all = list_fields(schema());
  return all;
}

const Field& field(const std::string& path) {
  const Field* found = find_field(fields(), path);
  if (found == nullptr) throw std::runtime_error("no field " + path);
  return *found;
}

std::string found_path(const std::string& path) {
  const Field* found = find_field(fields(), path);
  return found == nullptr ? "" : found->path;
}

std::string explained(const std::string& path) {
  return explain_text(field(path), children_of(fields(), field(path)), Style{});
}

TEST(FieldList, FollowsTheSchemaThroughBlocksMapsAndLists) {
  std::vector<std::string> paths;
  for (const Field& one : fields()) paths.push_back(one.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"apiVersion",
                                             "name",
                                             "labels",
                                             "size",
                                             "members",
                                             "members.<name>",
                                             "members.<name>.address",
                                             "members.<name>.peerURLs",
                                             "members.<name>.listen",
                                             "members.<name>.listen.client",
                                             "etcd",
                                             "etcd.quota",
                                             "etcd.heartbeat",
                                             "etcd.logLevel",
                                             "etcd.flags",
                                             "runtime",
                                             "runtime.type",
                                             "runtime.service",
                                             "runtime.mounts",
                                             "runtime.mounts[].host",
                                             "runtime.mounts[].readOnly"}));
}

TEST(FieldList, NamesTypesInPlainWords) {
  EXPECT_EQ(field("name").type, "DNS label");
  EXPECT_EQ(field("apiVersion").type, "text");
  EXPECT_EQ(field("labels").type, "map of text");
  EXPECT_EQ(field("size").type, "whole number");
  EXPECT_EQ(field("members").type, "map of addresses or blocks");
  EXPECT_EQ(field("members.<name>").type, "address or block");
  EXPECT_EQ(field("members.<name>.peerURLs").type, "list of URLs");
  EXPECT_EQ(field("etcd").type, "block");
  EXPECT_EQ(field("etcd.quota").type, "size");
  EXPECT_EQ(field("etcd.flags").type, "map of values");
  EXPECT_EQ(field("runtime.mounts").type, "list of blocks");
  EXPECT_EQ(field("runtime.service").type, "true or false");
}

TEST(FieldList, ReadsDefaultsLimitsAndWords) {
  EXPECT_EQ(field("etcd.quota").default_text, "2Gi");
  EXPECT_EQ(field("labels").default_text, "{}");
  EXPECT_EQ(field("runtime.service").default_text, "true");
  EXPECT_EQ(field("size").default_text, "none; the other way is members");
  EXPECT_EQ(field("size").limits, "1 to 9");
  EXPECT_EQ(field("members").limits, "1 to 9 items");
  EXPECT_EQ(field("members.<name>.peerURLs").limits, "at least 1 item");
  EXPECT_EQ(field("name").limits, "not empty");
  EXPECT_EQ(field("size").runtimes, std::vector<std::string>{"kubernetes"});
  EXPECT_EQ(field("etcd.logLevel").allowed, (std::vector<std::string>{"debug", "info"}));
  EXPECT_EQ(field("apiVersion").allowed, std::vector<std::string>{"quorate/v1"});
  EXPECT_EQ(field("apiVersion").since, "0.1");
  EXPECT_TRUE(field("name").required);
  EXPECT_FALSE(field("size").required);
  EXPECT_TRUE(field("runtime.mounts[].host").required);
}

TEST(FieldList, EachExampleStandsInsideItsBlocks) {
  EXPECT_EQ(field("name").example.dump(), R"({"name":"prod"})");
  EXPECT_EQ(field("etcd.heartbeat").example.dump(), R"({"etcd":{"heartbeat":"30s"}})");
  EXPECT_EQ(field("members.<name>.address").example.dump(), R"({"members":{"etcd-a":{"address":"10.0.0.11"}}})");
  EXPECT_EQ(field("runtime.mounts[].host").example.dump(), R"({"runtime":{"mounts":[{"host":"/path"}]}})");
  EXPECT_EQ(field("etcd.flags").example.dump(), R"({"etcd":{"flags":{"name":"text"}}})");
}

TEST(FieldList, AnEmptySchemaHasNoFields) {
  EXPECT_TRUE(list_fields(Json::object()).empty());
  EXPECT_TRUE(list_fields(Json::parse(R"({"type": "object", "additionalProperties": true})")).empty());
}

TEST(FindField, TakesNamesAsTheyAreInFiles) {
  EXPECT_EQ(found_path("members.etcd-a"), "members.<name>");
  EXPECT_EQ(found_path("members.etcd-a.address"), "members.<name>.address");
  EXPECT_EQ(found_path("members.etcd-a.example.com.address"), "members.<name>.address");
  EXPECT_EQ(found_path("members[\"etcd-a.example.com\"].listen.client[1]"), "members.<name>.listen.client");
  EXPECT_EQ(found_path("/members/etcd-a.example.com/listen"), "members.<name>.listen");
  EXPECT_EQ(found_path("members.<name>.address"), "members.<name>.address");
}

TEST(FindField, TakesIndexesInEverySpelling) {
  for (const char* path :
       {"runtime.mounts[0].host", "runtime.mounts.12.host", "runtime.mounts[].host", "/runtime/mounts/0/host"}) {
    EXPECT_EQ(found_path(path), "runtime.mounts[].host") << path;
  }
  EXPECT_EQ(found_path("runtime.mounts[3]"), "runtime.mounts");
}

TEST(FindField, EntriesWithoutARowFindTheFieldThatHoldsThem) {
  EXPECT_EQ(found_path("labels.app.kubernetes.io/name"), "labels");
  EXPECT_EQ(found_path("etcd.flags.log-level"), "etcd.flags");
  EXPECT_EQ(found_path("members.a.peerURLs[0]"), "members.<name>.peerURLs");
}

TEST(FindField, WhatIsNotThereIsNotFound) {
  for (const char* path : {"", ".", "/", "[", "quota", "etcd.quotta", "members.a.adress", "size.foo", "etcd.quota.x",
                           "name[0]", "members.a.peerURLs.x.y"}) {
    EXPECT_EQ(found_path(path), "") << path;
  }
}

TEST(NearFields, OfferWhatWasProbablyMeant) {
  EXPECT_EQ(near_fields(fields(), "etcd.quotta"), std::vector<std::string>{"etcd.quota"});
  EXPECT_EQ(near_fields(fields(), "quota"), std::vector<std::string>{"etcd.quota"});
  EXPECT_EQ(near_fields(fields(), "etc.quota"), std::vector<std::string>{"etcd.quota"});
  EXPECT_EQ(near_fields(fields(), "members.etcd-a.adress"), std::vector<std::string>{"members.<name>.address"});
  EXPECT_EQ(near_fields(fields(), "size.foo"), std::vector<std::string>{"size"});
  EXPECT_TRUE(near_fields(fields(), "somethingElse").empty());
  EXPECT_TRUE(near_fields(fields(), "").empty());
  EXPECT_LE(near_fields(fields(), "type").size(), 3u);
}

TEST(ChildrenOf, AreThoseOfEachEntryForMapsAndLists) {
  const auto paths = [](const std::string& path) {
    std::vector<std::string> result;
    for (const Field* child : children_of(fields(), field(path))) result.push_back(child->path);
    return result;
  };
  EXPECT_EQ(paths("runtime"), (std::vector<std::string>{"runtime.type", "runtime.service", "runtime.mounts"}));
  EXPECT_EQ(paths("runtime.mounts"), (std::vector<std::string>{"runtime.mounts[].host", "runtime.mounts[].readOnly"}));
  EXPECT_EQ(paths("members"), (std::vector<std::string>{"members.<name>", "members.<name>.address",
                                                        "members.<name>.peerURLs", "members.<name>.listen"}));
  EXPECT_TRUE(paths("name").empty());
}

TEST(ExplainText, ShowsMeaningTypeDefaultAndExample) {
  EXPECT_EQ(explained("etcd.logLevel"),
            "etcd.logLevel\n"
            "  How much.\n"
            "\n"
            "  type      text\n"
            "  default   info\n"
            "  allowed   debug or info\n"
            "\n"
            "Example\n"
            "  etcd:\n"
            "    logLevel: info\n");
  EXPECT_EQ(explained("size"),
            "size\n"
            "\n"
            "  type      whole number\n"
            "  default   none; the other way is members\n"
            "  limits    1 to 9\n"
            "  runtime   only with kubernetes\n"
            "  since     quorate 0.1\n"
            "\n"
            "Example\n"
            "  size: 1\n");
}

TEST(ExplainText, ListsTheFieldsOfABlockInColumns) {
  const std::string text = explained("members.x");
  EXPECT_NE(text.find("\nFields\n"
                      "  address   address       Where it is.\n"
                      "  peerURLs  list of URLs  \n"
                      "  listen    block         \n"),
            std::string::npos)
      << text;
}

TEST(ExplainText, ColorAddsNothingButSequences) {
  Style style;
  style.color = true;
  const std::string text = explain_text(field("etcd"), children_of(fields(), field("etcd")), style);
  EXPECT_NE(text.find("\033[1metcd\033[0m\n"), std::string::npos);
  EXPECT_NE(text.find("  \033[36mtype\033[0m      block\n"), std::string::npos);
}

TEST(ExplainJson, IsADocumentOfItsOwnKind) {
  const Json root = Json::parse(explain_json(field("etcd.quota"), {}));
  EXPECT_EQ(root["format_version"], "1.0");
  EXPECT_EQ(root["kind"], "field");
  EXPECT_EQ(root["field"]["path"], "etcd.quota");
  EXPECT_EQ(root["field"]["default"], "2Gi");
  EXPECT_EQ(root["field"]["example"]["etcd"]["quota"], "2Gi");
  EXPECT_EQ(root["fields"], Json::array());
  const Json block = Json::parse(explain_json(field("etcd"), children_of(fields(), field("etcd"))));
  EXPECT_EQ(block["fields"].size(), 4u);
  EXPECT_TRUE(block["fields"][1]["default"].is_null());
}

TEST(FieldReference, GroupsFieldsByBlock) {
  const std::string text = field_reference_markdown(fields());
  const std::size_t top = text.find("### Top level"), members = text.find("### `members`"),
                    etcd = text.find("### `etcd`");
  EXPECT_EQ(top, 0u);
  EXPECT_LT(members, etcd);
  EXPECT_LT(text.find("| `size` |"), members);
  EXPECT_NE(
      text.find("| `name` | DNS label | required | The cluster's name. It is for life. Limits: not empty. |  |\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("| `etcd.logLevel` | text | info | How much. One of `debug` or `info`. |  |\n"),
            std::string::npos);
}

TEST(FieldReference, EveryRowHasFiveCellsWhateverTheDescriptionSays) {
  const std::string text = field_reference_markdown(fields());
  EXPECT_NE(text.find("Which etcd \\| how."), std::string::npos);
  EXPECT_NE(text.find("Size &lt;b>."), std::string::npos);
  for (std::size_t at = text.find("\n| `"); at != std::string::npos; at = text.find("\n| `", at + 1)) {
    const std::string row = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    std::size_t bars = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == '|' && (i == 0 || row[i - 1] != '\\')) ++bars;
    }
    EXPECT_EQ(bars, 6u) << row;
  }
}

}  // namespace
}  // namespace quorate::report
