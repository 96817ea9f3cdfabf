// The reference of the desired file's fields, read from its JSON Schema, which is the one list of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/yaml_text.h"
#include "reconciler/report/style.h"

namespace quorate::report {

// What stands under a field.
enum class Holds {
  Value,    // nothing more
  Block,    // fields of its own
  Entries,  // a map whose values are no blocks, so that they have no row
  Items,    // a list; the fields of its items, if any, are listed as path[]...
};

struct Field {
  std::string path;  // "etcd.quota", "members.<name>.address", "runtime.mounts[].host"
  Holds holds = Holds::Value;
  std::string type;                   // "duration", "list of text"
  std::string default_text;           // as YAML, or in words; empty: none
  std::vector<std::string> allowed;   // if only these words are
  std::string limits;                 // "1 to 65535"
  std::vector<std::string> runtimes;  // if it is for these only
  std::string description;
  std::string since;
  bool required = false;  // wherever the block stands that holds it
  base::Json example;     // a desired file with nothing but this field
};

// In the order of the schema, each block before its fields.
std::vector<Field> list_fields(const base::Json& schema);

// Takes names as they are in files too: "members.etcd-a.address", "runtime.mounts[0].host", "/etcd/flags/log-level".
// An entry without a row of its own finds the field that holds it.
const Field* find_field(const std::vector<Field>& fields, std::string_view path);

// The fields of a block; of a map or list of blocks, those of each of them.
std::vector<const Field*> children_of(const std::vector<Field>& fields, const Field& field);

// Paths of at most three fields that somebody may have meant, the likeliest first.
std::vector<std::string> near_fields(const std::vector<Field>& fields, std::string_view path);

std::string explain_text(const Field& field, const std::vector<const Field*>& children, const Style& style);
std::string explain_json(const Field& field, const std::vector<const Field*>& children);

// One table for each block, and one for the fields that stand alone.
std::string field_reference_markdown(const std::vector<Field>& fields);

}  // namespace quorate::report
