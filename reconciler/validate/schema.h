// The JSON Schemas of the files that people write, each read once into a form that a document can be walked against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/validate/formats.h"

namespace quorate::validate {

// JSON types as bits, for "type": ["string", "object"].
enum TypeBit : unsigned {
  kText = 1,
  kInteger = 2,
  kNumber = 4,  // one that is not whole
  kBoolean = 8,
  kList = 16,
  kMapping = 32,
};

struct Schema {
  unsigned types = 0;                // 0: any
  std::vector<std::string> allowed;  // const and enum
  Format format = Format::None;
  std::map<std::string, std::unique_ptr<Schema>, std::less<>> properties;
  std::vector<std::string> required;
  std::unique_ptr<Schema> values;  // of a map: additionalProperties
  std::unique_ptr<Schema> keys;    // of a map: propertyNames
  std::unique_ptr<Schema> items;
  bool extensions = false;  // takes x-* keys
  std::optional<std::int64_t> minimum;
  std::optional<std::int64_t> maximum;
  std::size_t min_length = 0;
  std::size_t min_items = 0;
  std::optional<std::size_t> max_items;
  std::size_t min_properties = 0;
  std::optional<std::size_t> max_properties;
  std::vector<std::string> runtimes;        // x-runtime: the only ones that read it; empty: all
  std::optional<std::string> default_text;  // a scalar default
  std::vector<std::string> default_texts;   // a default that is a list of texts
  std::vector<std::string> known;           // names of properties, for suggestions
};

// The desired file, and the node file. They throw nothing: a schema that they cannot read is a bug, and a test looks.
const Schema& cluster_schema();
const Schema& agent_schema();

// The schema of a field by its path of property names; a bug when there is none.
const Schema& field(const Schema& file, std::string_view dotted_path);

// Dotted paths of all fields whose last name is `key`, e.g. "tls.cert" and "tls.peer.cert".
const std::vector<std::string>& fields_named(const Schema& file, std::string_view key);

}  // namespace quorate::validate
